//! Host code in machine code: when it is made, and how the host runs it.
#![allow(unsafe_code)] // Hands the registers of a frame to compiled code.

use super::nests::{Translation, translate};
use crate::code::{HostFunction, Op, Program};
use crate::memory::slow_path::allowed;
use crate::memory::windows::WindowTable;
use crate::warp::{Context, MOST_SERVED, Services, Warp};
use ir::FuncId;
use jit::Entry;
use jit::host::{HostCode, HostState};
use mem::MemoryView;
use std::ffi::c_void;
use std::sync::atomic::Ordering;

/// Back edges of a frame behind which the loops of its function are compiled.
pub(crate) const HOT: u32 = 1000;

/// Calls of a function behind which all of it is compiled.
const OFTEN: u32 = 1000;

/// The compiled code of a function in a frame that has passed so many back edges, if there is some and no access in it is to be reported.
pub(crate) fn take(
    program: &Program,
    (func, back_edges): (FuncId, u32),
    is_reported: Option<impl Fn(FuncId, u32) -> bool>,
) -> Option<&HostFunction> {
    let code = program.code.get(func.index())?;
    let cache = &code.native.host;
    let is_whole = cache.calls() >= OFTEN;
    if !is_whole && cache.loops.get().is_none() && back_edges < HOT {
        return None;
    }
    let made = if is_whole { &cache.whole } else { &cache.loops };
    let made = made.get_or_init(|| {
        let Translation { mut routine, entries: worthwhile, accesses } = translate(code, is_whole)?;
        routine.first_site = program.sites.fetch_add(accesses.len() as u32, Ordering::Relaxed);
        let native = jit::host::compile(&routine).ok()?;
        let mut entries = vec![None; code.ops.len()];
        for (pc, entry) in native.entries().filter(|entry| worthwhile.contains(&entry.0)) {
            if let Some(of) = entries.get_mut(pc as usize) {
                *of = Some(entry);
            }
        }
        Some(HostFunction { code: native, entries, accesses })
    });
    let host = made.as_ref()?;
    let is_silent = is_reported.is_none_or(|is_reported| !host.accesses.iter().any(|&pc| is_reported(func, pc)));
    is_silent.then_some(host)
}

/// What the functions need that the code calls.
struct Environment<'a, 's> {
    memory: MemoryView<'a>,
    windows: *mut WindowTable,
    code: &'a HostCode,
    open: u64,
    /// The operations of the function, who serves services among them, and the first free address of the stack.
    ops: &'a [Op],
    services: Option<*mut (dyn Services + 's)>,
    top: u64,
}

/// Has a service served, if somebody does that at once.
extern "C" fn serve(user: *mut c_void, pc: u32, words: *mut u64) -> bool {
    // SAFETY: `run` gave this pointer, and waits in compiled code.
    let environment = unsafe { &*user.cast::<Environment<'_, '_>>() };
    let (Some(services), Some(Op::Rt(rt))) = (environment.services, environment.ops.get(pc as usize)) else {
        return false;
    };
    // SAFETY: the context of the run has them, which nobody else uses meanwhile; the code gives the address of so many words.
    let (services, words) = unsafe { (&mut *services, std::slice::from_raw_parts_mut(words, MOST_SERVED)) };
    let Some(args) = words.get(..rt.args.len()) else { return false };
    match services.serve(&environment.memory, rt.rt, args, environment.top) {
        Some(result) => {
            words[0] = result;
            true
        }
        None => false,
    }
}

/// Fills a site.
extern "C" fn refill(user: *mut c_void, address: u64, number: u32) -> bool {
    // SAFETY: `run` gave this pointer, and waits in compiled code.
    let environment = unsafe { &*user.cast::<Environment<'_, '_>>() };
    // SAFETY: this is the table of the run, which nobody else uses meanwhile.
    let windows = unsafe { &mut *environment.windows };
    let Some(site) = environment.code.site(number) else { return false };
    allowed(environment.open, address) && windows.fill_site(environment.memory, address, site)
}

/// Where compiled code was left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    /// The operation at which the interpreter goes on.
    pub(crate) pc: u32,
    /// Points since the last progress.
    pub(crate) polls: u32,
    /// Whether that is in another frame, of which the split knows.
    pub(crate) is_elsewhere: bool,
}

/// Runs the host from an entry on, in the frame of that number, and on into functions that are called and return, as far as there is
/// compiled code for them. Counts the budget of the context down; `polls` are the points since the last progress so far.
pub(crate) fn run<const W: usize, R: Fn(FuncId, u32) -> bool + Copy>(
    program: &Program,
    (mut host, entry): (&HostFunction, Entry),
    warp: &mut Warp<W>,
    mut number: u32,
    (ctx, is_reported): (&mut Context<'_>, Option<R>),
    polls: u32,
) -> Option<Left> {
    let mut left = Left { pc: 0, polls, is_elsewhere: false };
    let mut entry = Some(entry);
    loop {
        let ops = program.code.get(warp.frame(number)?.func.index())?.ops.as_slice();
        if let Some(entry) = entry {
            (left.pc, left.polls) = run_in_frame((host, ops), entry, warp, number, ctx, left.polls)?;
        }
        let is_to_stop = warp.is_to_stop_before_call();
        let split = warp.splits.get_mut(warp.current)?;
        (split.pc, split.polls) = (left.pc, left.polls);
        match ops.get(left.pc as usize) {
            Some(Op::Call(call)) if !is_to_stop => {
                // What does not fit into the stack is told by the interpreter.
                if warp.enter(program, call.func, &call.args).is_none() {
                    break;
                }
            }
            Some(Op::Return(values)) if split.reconvergences.is_empty() && warp.frame(number)?.caller.is_some() => {
                warp.leave(program, values);
            }
            _ => break,
        }
        let split = warp.splits.get(warp.current)?;
        (number, left.pc, left.is_elsewhere) = (split.frame, split.pc, true);
        let frame = warp.frame(number)?;
        match take(program, (frame.func, frame.back_edges), is_reported) {
            Some(of_frame) => (host, entry) = (of_frame, of_frame.entry(left.pc)),
            None => break,
        }
    }
    Some(left)
}

/// The same in one frame, until the code is left; gives where, and the points since the last progress.
fn run_in_frame<const W: usize>(
    (host, ops): (&HostFunction, &[Op]),
    entry: Entry,
    warp: &mut Warp<W>,
    number: u32,
    ctx: &mut Context<'_>,
    polls: u32,
) -> Option<(u32, u32)> {
    let open = warp.open;
    let writes = warp.writes;
    let top = warp.stack?.top;
    let frame = warp.frame_mut(number).filter(|_| W == 1)?;
    let sites = ctx.windows.sites_at(ctx.memory.generation(), host.code.table());
    let services = ctx.services.as_deref_mut().map(std::ptr::from_mut);
    let (memory, windows, code) = (ctx.memory, &raw mut *ctx.windows, &host.code);
    let mut environment = Environment { memory, windows, code, open, ops, services, top };
    let mut state = HostState {
        preds: frame.preds.as_mut_ptr(),
        words: frame.words.as_mut_ptr().cast(),
        longs: frame.longs.as_mut_ptr().cast(),
        sites,
        budget: ctx.budget,
        writes,
        statements: ctx.statements,
        polls,
        pc: 0,
        local_base: frame.local_base,
        refill,
        serve,
        served: [0; MOST_SERVED],
        user: (&raw mut environment).cast(),
        formulas: host.code.formulas(),
    };
    // SAFETY: the code was made for this function, whose registers the frame has; the host has one lane. The warp is borrowed
    // exclusively, so nobody else uses them. The table has a site for each access, and stores go to places that the view allows to be
    // written.
    unsafe { host.code.run(entry, &raw mut state) };
    (ctx.budget, ctx.statements) = (state.budget, state.statements);
    warp.writes = state.writes;
    Some((state.pc, state.polls))
}
