//! Inlining of functions.
//!
//! Three times, for what each kind of engine can do without:
//!
//! - Functions that only compute ([`run`]), everywhere. They neither have nor touch memory, call and synchronise nothing, and cannot trap.
//!   They may have loops and statements, whose back edges and Stmt marks keep their spans. A function of the mathematical library may
//!   also call others of it, which read tables: no finding names a place in the library.
//! - Device functions with memory ([`run_with_memory`]), where no debugger shows frames. A finding names the call stack of an access:
//!   each instruction knows the call in whose place it stands ([`ir::Inlined`]). A frame's local memory is new with each call: it is
//!   cleared where the call was. Barriers and operations of warps compare frames, so functions with them stay where lanes of a warp
//!   may call them apart from each other.
//! - Device functions for a GPU ([`run_for_gpu`]), of which nobody sees a call stack: they may do anything but call themselves or declare
//!   shared memory, of which all calls share one copy.
//!
//! The local memory of a function becomes the caller's, one copy for all calls of it there that are as deep: when one begins, none before
//! it needs its own any more. Its source variables are appended to the caller's under the name `function.variable`.

use crate::leaks::Leaks;
use ir::analysis::{Cfg, Liveness, blocks_entered_apart};
use ir::op::UnOp;
use ir::rt::Rt;
use ir::{
    Access, AddrBase, Bb, BlockData, FuncId, FuncKind, Function, InlineId, Inlined, Inst, InstKind, LocalId, LocalSlot,
    Module, ParamKind, Reg, RegInfo, Space, Term, Trap, Ty, Val, VarId, VarLengths, VarLoc,
};
use std::collections::BTreeMap;

/// No function grows beyond so many instructions.
const LARGEST_CALLER: usize = 20_000;

/// On a GPU, functions up to so many instructions are inlined wherever they are called, larger ones where they are called once.
/// A call costs some ten instructions, and makes the compiler of the driver put what it passes into memory.
const GPU_LIMIT: usize = 600;

/// For the emulator, functions up to so many instructions are inlined wherever they are called, larger ones where they are called once.
/// A call costs the emulator as much as some dozens.
const MEMORY_LIMIT: usize = 400;

/// Functions of the emulator with more local memory, in bytes, are not inlined: each warp would have it, called or not.
const MOST_LOCAL_BYTES: u64 = 16 << 10;
/// The same where all blocks of a launch may be there at once, each warp with room for all that its kernel may call.
const MOST_OF_COOPERATIVE: u64 = 1 << 10;

/// No function of the emulator grows beyond so many instructions by those with memory.
const LARGEST_WITH_MEMORY: usize = 6000;

/// Inlines calls of functions of up to `limit` instructions; whether there were some. A function that only computes once its
/// own calls are inlined is inlined in the next iteration.
pub(crate) fn run(module: &mut Module, limit: usize) -> bool {
    let mut any = false;
    for _ in 0..4 {
        let fit: Vec<bool> = module.funcs.iter().map(|f| is_fit(module, f, limit)).collect();
        let mut changed = false;
        for i in 0..module.funcs.len() {
            changed |= inline_into(module, FuncId(i as u32), (&fit, &[], LARGEST_CALLER), false);
        }
        any |= changed;
        if !changed {
            break;
        }
    }
    any
}

/// Inlines the calls of device code for a GPU, callees before callers; whether there were some.
pub(crate) fn run_for_gpu(module: &mut Module) -> bool {
    run_in_order(module, (GPU_LIMIT, LARGEST_CALLER), false, |_, _| Some(Place::Any))
}

/// Inlines the calls of device functions with memory, callees before callers; whether there were some.
pub(crate) fn run_with_memory(module: &mut Module) -> bool {
    let is_cooperative = module.funcs.iter().any(|f| f.cooperative);
    let most = if is_cooperative { MOST_OF_COOPERATIVE } else { MOST_LOCAL_BYTES };
    run_in_order(module, (MEMORY_LIMIT, LARGEST_WITH_MEMORY), true, |f, leaks| {
        let is_small = f.locals.iter().map(|slot| slot.bytes).sum::<u64>() <= most;
        place_of(f).filter(|_| !leaks.of_locals && is_small)
    })
}

/// Where calls of a function may be replaced by its body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Any,
    /// Where the lanes of a warp that come there come together.
    Together,
}

/// Inlines the calls of device functions that neither call themselves nor declare shared memory, where `fits` says so and they are of up
/// to `limit.0` instructions or called once. No caller grows beyond `limit.1`.
fn run_in_order(
    module: &mut Module,
    limit: (usize, usize),
    clears: bool,
    fits: impl Fn(&Function, &Leaks) -> Option<Place>,
) -> bool {
    let mut places = vec![0usize; module.funcs.len()];
    for f in module.funcs.iter().filter(|f| f.kind != FuncKind::Host) {
        each_callee(f, |id| places[id.index()] += 1);
    }
    let mut fit = vec![false; module.funcs.len()];
    let mut waits = vec![false; module.funcs.len()];
    let mut finished = vec![false; module.funcs.len()];
    let mut leaks: Vec<Option<Leaks>> = vec![None; module.funcs.len()];
    let mut any = false;
    for id in callees_first(module) {
        // Each level of a recursion would have the local memory of what is called at any of them.
        let mut is_circular = false;
        each_callee(module.func(id), |callee| is_circular |= callee == id || !finished[callee.index()]);
        let without_locals: Vec<bool>;
        let wanted = if clears && is_circular {
            without_locals =
                fit.iter().enumerate().map(|(i, &fits)| fits && module.funcs[i].locals.is_empty()).collect();
            &without_locals
        } else {
            &fit
        };
        any |= inline_into(module, id, (wanted, &waits, limit.1), clears);
        finished[id.index()] = true;
        let f = module.func(id);
        let mut ends = true;
        each_callee(f, |callee| ends &= callee != id && finished[callee.index()]);
        let is_small = size(f) <= limit.0 || places[id.index()] == 1;
        let is_plain = f.kind == FuncKind::Device && f.shared.is_empty() && !f.blocks.is_empty();
        let of = Leaks::new(f, &leaks);
        let place = fits(f, &of).filter(|_| ends && is_small && is_plain);
        fit[id.index()] = place.is_some();
        waits[id.index()] = place == Some(Place::Together);
        leaks[id.index()] = Some(of);
    }
    any
}

/// Where calls of a function of the emulator may be replaced by its body: anywhere if it waits for no other thread, so that nobody compares
/// its frames. Nowhere if it takes an object by value, which its frame is given without an access, or does something else.
fn place_of(f: &Function) -> Option<Place> {
    let mut place = Place::Any;
    let mut fits = |kind: &InstKind| match kind {
        InstKind::Barrier { .. } | InstKind::SyncWarp { .. } | InstKind::Vote { .. } | InstKind::Shuffle { .. } => {
            place = Place::Together;
            true
        }
        InstKind::Load { .. }
        | InstKind::Store { .. }
        | InstKind::Atomic { .. }
        | InstKind::Fence { .. }
        | InstKind::Call { .. }
        | InstKind::Stmt
        | InstKind::BackEdge
        | InstKind::Clear { .. } => true,
        InstKind::Rt { rt, .. } => matches!(rt, Rt::Alloc | Rt::AllocAligned | Rt::Free),
        _ => kind.is_pure(),
    };
    let all_fit = f.params.iter().all(|p| p.kind == ParamKind::Value)
        && f.blocks.iter().all(|b| b.term != Term::Exit && b.insts.iter().all(|i| fits(&i.kind)));
    all_fit.then_some(place)
}

/// Calls `visit` with the function that each call of `f` names.
fn each_callee(f: &Function, mut visit: impl FnMut(FuncId)) {
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        if let InstKind::Call { func, .. } = inst.kind {
            visit(func);
        }
    }
}

/// The functions of the device, each behind those that it calls, but for the calls that close a circle.
fn callees_first(module: &Module) -> Vec<FuncId> {
    let callees = |id: FuncId| {
        let mut found = Vec::new();
        each_callee(module.func(id), |callee| found.push(callee));
        found
    };
    let mut seen = vec![false; module.funcs.len()];
    let mut order = Vec::new();
    for root in (0..module.funcs.len() as u32).map(FuncId).filter(|&id| module.func(id).kind != FuncKind::Host) {
        if std::mem::replace(&mut seen[root.index()], true) {
            continue;
        }
        let mut open = vec![(root, callees(root))];
        while let Some((id, rest)) = open.last_mut() {
            match rest.pop() {
                None => {
                    order.push(*id);
                    open.pop();
                }
                Some(callee) => {
                    if !std::mem::replace(&mut seen[callee.index()], true) {
                        open.push((callee, callees(callee)));
                    }
                }
            }
        }
    }
    order
}

/// The instructions of a function, but for the marks of statements.
fn size(f: &Function) -> usize {
    let is_counted = |inst: &&Inst| inst.kind != InstKind::Stmt;
    f.blocks.iter().map(|b| b.insts.iter().filter(is_counted).count() + 1).sum()
}

/// Whether a function is one of the mathematical library, the embedded module `cufemu_math`.
fn is_mathematical(f: &Function) -> bool {
    f.name.starts_with("cufemu_math.")
}

/// Whether calls of `f` may be replaced by its body.
fn is_fit(module: &Module, f: &Function, limit: usize) -> bool {
    let computes = |kind: &InstKind| match kind {
        InstKind::Call { func, .. } => is_mathematical(f) && is_mathematical(module.func(*func)),
        InstKind::Stmt | InstKind::BackEdge => true,
        _ => kind.is_pure(),
    };
    let goes_on = |term: &Term| !matches!(term, Term::Exit | Term::Trap(Trap::ZeroStep | Trap::Unsupported));
    if size(f) > limit || !f.locals.is_empty() || !f.shared.is_empty() || f.blocks.is_empty() {
        return false;
    }
    if f.params.iter().any(|p| p.kind != ParamKind::Value) {
        return false;
    }
    if !f.blocks.iter().all(|b| b.insts.iter().all(|i| computes(&i.kind)) && goes_on(&b.term)) {
        return false;
    }
    // A register that may be read before it is set would keep its value from the call before.
    unset(f).is_empty()
}

/// The registers that may be read before they are set; they are zero when a function begins.
fn unset(f: &Function) -> Vec<Reg> {
    let cfg = Cfg::new(f);
    Liveness::new(f, &cfg).live_in(Bb(0)).filter(|&r| !f.params.iter().any(|p| p.reg == r)).collect()
}

/// Replaces the calls of functions that fit in one function, as long as it has no more than so many instructions; whether there were
/// some. Those that wait for other threads stay where lanes may come to the call apart. `clears` says whether memory and registers are
/// as in a frame that is new.
fn inline_into(
    module: &mut Module,
    id: FuncId,
    (fit, waits, largest): (&[bool], &[bool], usize),
    clears: bool,
) -> bool {
    let wanted = |kind: &InstKind| match kind {
        InstKind::Call { func, .. } => *func != id && fit.get(func.index()).copied().unwrap_or(false),
        _ => false,
    };
    if !module.func(id).blocks.iter().any(|b| b.insts.iter().any(|i| wanted(&i.kind))) {
        return false;
    }
    let mut caller = module.funcs[id.index()].clone();
    let waits = |func: FuncId| waits.get(func.index()).copied().unwrap_or(false);
    let mut any_waits = false;
    each_callee(&caller, |callee| any_waits |= waits(callee));
    // Of the blocks that are there now, and then of those that are added.
    let mut apart =
        if any_waits { blocks_entered_apart(&caller, &Cfg::new(&caller)) } else { vec![true; caller.blocks.len()] };
    let mut total = size(&caller);
    let mut changed = false;
    let mut at = 0;
    let mut first_locals = BTreeMap::new();
    // Blocks that are added are looked at in their turn: the rest of a block behind a call has calls too.
    while at < caller.blocks.len() {
        let is_here = |kind: &InstKind| match kind {
            InstKind::Call { func, .. } => wanted(kind) && !(apart[at] && waits(*func)),
            _ => false,
        };
        let found = caller.blocks[at].insts.iter().position(|i| is_here(&i.kind));
        let Some(place) = found.filter(|_| total < largest) else {
            at += 1;
            continue;
        };
        let call = caller.blocks[at].insts[place].kind.clone();
        if let InstKind::Call { func, args, results } = call {
            let callee = &module.funcs[func.index()];
            total += size(callee);
            let depth = caller.inlined(caller.blocks[at].insts[place].inlined).count();
            let first_local = *first_locals.entry((func, depth)).or_insert_with(|| add_locals(&mut caller, callee));
            splice(&mut caller, (func, callee), (first_local, clears), (at, place), &args, &results);
            // What the body calls has stayed there. The rest of the block comes last.
            apart.resize(caller.blocks.len() - 1, true);
            apart.push(apart[at]);
            changed = true;
        }
        at += 1;
    }
    module.funcs[id.index()] = caller;
    changed
}

/// Appends the local memory of `callee` to the caller's, for a call that is about to be inlined: its slots, and one for each parameter that
/// is an object. The number of the first.
fn add_locals(caller: &mut Function, callee: &Function) -> u32 {
    let first = caller.locals.len() as u32;
    let first_inlined = caller.inlined.len() as u32;
    let slot = |slot: &LocalSlot| LocalSlot { inlined: within(first_inlined, slot.inlined), ..slot.clone() };
    caller.locals.extend(callee.locals.iter().map(slot));
    for param in &callee.params {
        if let ParamKind::Bytes { bytes, align } = param.kind {
            let (name, inlined) = (param.name.clone(), InlineId(first_inlined));
            caller.locals.push(LocalSlot { bytes, align, name, span: callee.span, inlined });
        }
    }
    first
}

/// What was a part of `at` in a function, where that stands in the place of a call of that number.
fn within(call: u32, at: InlineId) -> InlineId {
    match at {
        InlineId::NONE => InlineId(call),
        InlineId(inner) => InlineId(call + 1 + inner),
    }
}

/// Copies an object of so many bytes and that alignment, an argument that is passed by value.
fn copy_object(caller: &mut Function, to: Reg, from: Val, (bytes, align): (u64, u64), mut push: impl FnMut(InstKind)) {
    for (offset, unit) in ParamKind::pieces(bytes, align) {
        let ty = Ty::integer(unit);
        caller.regs.push(RegInfo { ty, var: None, mutable: false });
        let (dst, access, offset) = (Reg(caller.regs.len() as u32 - 1), Access::Plain, offset as i64);
        push(InstKind::Load { ty, space: Space::Generic, access, dst, addr: from, offset });
        push(InstKind::Store { ty, space: Space::Local, access, addr: to.into(), offset, value: dst.into() });
    }
}

/// Puts the body of `callee` where instruction `place.1` of block `place.0` calls it. Its local memory is in the caller's slots
/// from `first_local` on, and is cleared if `clears`.
fn splice(
    caller: &mut Function,
    (callee_id, callee): (FuncId, &Function),
    (first_local, clears): (u32, bool),
    (at, place): (usize, usize),
    args: &[Val],
    results: &[Reg],
) {
    let first_reg = caller.regs.len() as u32;
    let first_var = caller.vars.len() as u32;
    // The callee's blocks come last, and behind them the rest of the calling block.
    let first_block = caller.blocks.len() as u32;
    let rest = Bb(first_block + callee.blocks.len() as u32);
    let reg = |r: Reg| Reg(r.0 + first_reg);
    let val = |v: Val| match v {
        Val::Reg(r) => Val::Reg(reg(r)),
        Val::Imm(_) => v,
    };
    let behind = caller.blocks[at].insts.split_off(place);
    let call = behind.first();
    let (span, outer) = call.map_or((callee.span, InlineId::NONE), |call| (call.span, call.inlined));
    let first_inlined = caller.inlined.len() as u32;
    let within = |at: InlineId| within(first_inlined, at);
    caller.inlined.push(Inlined { func: callee_id, outer, span });
    caller.inlined.extend(callee.inlined.iter().map(|of| Inlined { outer: within(of.outer), ..*of }));
    caller.regs.extend(callee.regs.iter().map(|r| {
        let mut r = r.clone();
        r.var = r.var.map(|v| VarId(v.0 + first_var));
        r
    }));
    caller.vars.extend(callee.vars.iter().map(|v| {
        let mut v = v.clone();
        v.name = format!("{}.{}", callee.name, v.name).into();
        v.each_reg_mut(|r| *r = reg(*r));
        if let VarLoc::Memory(AddrBase::Local(id)) | VarLoc::Descriptor(AddrBase::Local(id)) = &mut v.loc {
            id.0 += first_local;
        }
        if let VarLengths::Memory(AddrBase::Local(id)) = &mut v.lengths {
            id.0 += first_local;
        }
        v.inlined = within(v.inlined);
        v
    }));
    let copy = |dst: Reg, ty, a: Val| Inst { kind: InstKind::Un { op: UnOp::Mov, ty, dst, a }, span, inlined: outer };
    let mut passed = Vec::new();
    if clears {
        let slots = 0..callee.locals.len() as u32;
        let clear = |i| Inst { kind: InstKind::Clear { local: LocalId(first_local + i) }, span, inlined: outer };
        passed.extend(slots.map(clear));
        passed.extend(unset(callee).into_iter().map(|r| copy(reg(r), callee.ty(r), Val::Imm(0))));
    }
    let mut object = first_local + callee.locals.len() as u32;
    for (param, &arg) in callee.params.iter().zip(args) {
        match param.kind {
            ParamKind::Value => passed.push(copy(reg(param.reg), callee.ty(param.reg), arg)),
            ParamKind::Bytes { bytes, align } => {
                let base = AddrBase::Local(LocalId(object));
                object += 1;
                passed.push(Inst::new(InstKind::Addr { dst: reg(param.reg), base }, span));
                copy_object(caller, reg(param.reg), arg, (bytes, align), |kind| passed.push(Inst::new(kind, span)));
            }
        }
    }
    let calling = &mut caller.blocks[at];
    calling.insts.append(&mut passed);
    let term = std::mem::replace(&mut calling.term, Term::Jump(Bb(first_block)));
    let term_span = std::mem::replace(&mut calling.term_span, span);
    let term_inlined = std::mem::replace(&mut calling.term_inlined, outer);
    // Several returns may set a result, which is a temporary of the caller: they set registers that may be set twice.
    let through: Vec<Reg> = results
        .iter()
        .map(|r| {
            let mut info = caller.regs[r.index()].clone();
            info.var = None;
            info.mutable = true;
            caller.regs.push(info);
            Reg(caller.regs.len() as u32 - 1)
        })
        .collect();
    for block in &callee.blocks {
        let mut block = block.clone();
        for inst in &mut block.insts {
            inst.kind.each_use_mut(|v| *v = val(*v));
            inst.kind.each_def_mut(|r| *r = reg(*r));
            if let InstKind::Addr { base: AddrBase::Local(id), .. } | InstKind::Clear { local: id } = &mut inst.kind {
                id.0 += first_local;
            }
            inst.inlined = within(inst.inlined);
            if matches!(inst.kind, InstKind::Call { .. }) && is_mathematical(callee) {
                // A call stack names the place in the caller.
                (inst.span, inst.inlined) = (span, outer);
            }
        }
        block.term_inlined = within(block.term_inlined);
        block.term.each_use_mut(|v| *v = val(*v));
        block.term.each_successor_mut(|bb| *bb = Bb(bb.0 + first_block));
        if let Term::Return(values) = &block.term {
            for ((&dst, &ty), &value) in through.iter().zip(&callee.results).zip(values) {
                block.insts.push(copy(dst, ty, value));
            }
            block.term = Term::Jump(rest);
        }
        caller.blocks.push(block);
    }
    let mut insts: Vec<Inst> = Vec::with_capacity(behind.len() + results.len());
    for ((&dst, &from), &ty) in results.iter().zip(&through).zip(&callee.results) {
        insts.push(copy(dst, ty, from.into()));
    }
    insts.extend(behind.into_iter().skip(1));
    caller.blocks.push(BlockData { insts, term, term_span, term_inlined });
}
