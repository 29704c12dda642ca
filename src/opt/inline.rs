//! Inlining of small functions that only compute.
//!
//! A finding names the call stack of an access, a barrier compares call stacks, and a frame's local memory is new with each
//! call. None of this may change, so a function is inlined only if it neither has nor touches memory, calls and synchronises
//! nothing, and cannot trap. It may have loops and statements, whose back edges and Stmt marks keep their spans. A function of
//! the mathematical library may also call others of it, which read tables: no finding names a place in the library.
//!
//! Its source variables are appended to the caller's under the name `function.variable`.

use ir::analysis::{Cfg, Liveness};
use ir::op::UnOp;
use ir::{Bb, BlockData, FuncId, Function, Inst, InstKind, Module, ParamKind, Reg, Term, Trap, Val, VarId};

/// No function grows beyond so many instructions.
const LARGEST_CALLER: usize = 20_000;

/// Inlines calls of functions of up to `limit` instructions; whether there were some. A function that only computes once its
/// own calls are inlined is inlined in the next iteration.
pub(crate) fn run(module: &mut Module, limit: usize) -> bool {
    let mut any = false;
    for _ in 0..4 {
        let fit: Vec<bool> = module.funcs.iter().map(|f| is_fit(module, f, limit)).collect();
        let mut changed = false;
        for i in 0..module.funcs.len() {
            changed |= inline_into(module, FuncId(i as u32), &fit);
        }
        any |= changed;
        if !changed {
            break;
        }
    }
    any
}

fn size(f: &Function) -> usize {
    f.blocks.iter().map(|b| b.insts.len() + 1).sum()
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
    let cfg = Cfg::new(f);
    let unset = Liveness::new(f, &cfg).live_in(Bb(0)).any(|r| !f.params.iter().any(|p| p.reg == r));
    !unset
}

/// Replaces the calls in one function; whether there were some.
fn inline_into(module: &mut Module, id: FuncId, fit: &[bool]) -> bool {
    let wanted = |kind: &InstKind| match kind {
        InstKind::Call { func, .. } => *func != id && fit.get(func.index()).copied().unwrap_or(false),
        _ => false,
    };
    if !module.func(id).blocks.iter().any(|b| b.insts.iter().any(|i| wanted(&i.kind))) {
        return false;
    }
    let mut caller = module.funcs[id.index()].clone();
    let mut total = size(&caller);
    let mut changed = false;
    let mut at = 0;
    // Blocks that are added are looked at in their turn: the rest of a block behind a call has calls too.
    while at < caller.blocks.len() {
        let found = caller.blocks[at].insts.iter().position(|i| wanted(&i.kind));
        let Some(place) = found.filter(|_| total < LARGEST_CALLER) else {
            at += 1;
            continue;
        };
        let call = caller.blocks[at].insts[place].kind.clone();
        if let InstKind::Call { func, args, results } = call {
            let callee = &module.funcs[func.index()];
            total += size(callee);
            splice(&mut caller, callee, at, place, &args, &results);
            changed = true;
        }
        at += 1;
    }
    module.funcs[id.index()] = caller;
    changed
}

/// Puts the body of `callee` where instruction `place` of block `at` calls it.
fn splice(caller: &mut Function, callee: &Function, at: usize, place: usize, args: &[Val], results: &[Reg]) {
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
    caller.regs.extend(callee.regs.iter().map(|r| {
        let mut r = r.clone();
        r.var = r.var.map(|v| VarId(v.0 + first_var));
        r
    }));
    caller.vars.extend(callee.vars.iter().map(|v| {
        let mut v = v.clone();
        v.name = format!("{}.{}", callee.name, v.name).into();
        v.each_reg_mut(|r| *r = reg(*r));
        v
    }));
    let behind = caller.blocks[at].insts.split_off(place);
    let span = behind.first().map_or(callee.span, |call| call.span);
    let copy = |dst: Reg, ty, a: Val| Inst { kind: InstKind::Un { op: UnOp::Mov, ty, dst, a }, span };
    let calling = &mut caller.blocks[at];
    for (param, &arg) in callee.params.iter().zip(args) {
        calling.insts.push(copy(reg(param.reg), callee.ty(param.reg), arg));
    }
    let term = std::mem::replace(&mut calling.term, Term::Jump(Bb(first_block)));
    let term_span = std::mem::replace(&mut calling.term_span, span);
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
            if matches!(inst.kind, InstKind::Call { .. }) {
                // A call stack names the place in the caller.
                inst.span = span;
            }
        }
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
    caller.blocks.push(BlockData { insts, term, term_span });
}
