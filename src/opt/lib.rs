//! The optimiser: passes over the IR, run in a fixed order.
//!
//! The same passes serve the host, the emulator and the GPU. Therefore they never add, drop, merge or reorder an access that
//! another thread could see, and they keep every schedule point ([`ir::InstKind::is_schedule_point`]) in its place: the same
//! seed gives the same schedule, findings and debugger events with and without them. Constants are folded by [`ir::eval`], so
//! a value has the same bits at every level. Only wrapping integer sums are reassociated.
//!
//! While a debugger watches ([`Options::watched`]), Stmt marks stay, and a source variable keeps its register and every
//! assignment to it. A read of the variable may be replaced by its known value, so a value that the user sets is sure to take
//! effect only at level 0. Otherwise marks and scalar variables go, and small divergent branches become selections.
//!
//! One pass runs at every level: `mark_reductions` decides which atomics have a result that the program uses.
//!
//! Not here: passes that change accesses (elimination, hoisting or widening of loads), and the forming of fused multiply-adds, which
//! is part of lowering.

mod dce;
mod gvn;
mod if_convert;
mod inline;
mod mark_reductions;
mod simplify_cfg;
mod strip_debug;

use ir::{FuncId, Function, Module};

/// A pass over one function, with its name.
struct Pass {
    name: &'static str,
    run: fn(&mut Function),
}

const MARK_REDUCTIONS: Pass = Pass { name: "mark-reductions", run: mark_reductions::run };
const SIMPLIFY_CFG: Pass = Pass { name: "simplify-cfg", run: simplify_cfg::run };
const GVN: Pass = Pass { name: "gvn", run: gvn::run };
const DCE: Pass = Pass { name: "dce", run: dce::run };
const STRIP_DEBUG: Pass = Pass { name: "strip-debug", run: strip_debug::run };
const IF_CONVERT: Pass = Pass { name: "if-convert", run: if_convert::run };

/// At every level.
const ALWAYS: &[Pass] = &[MARK_REDUCTIONS];

/// From level 1 on; again if calls were inlined.
const SIMPLIFY: &[Pass] = &[SIMPLIFY_CFG, GVN, SIMPLIFY_CFG, GVN, SIMPLIFY_CFG, DCE];

/// From level 1 on, where no debugger watches.
const UNWATCHED: &[Pass] =
    &[STRIP_DEBUG, SIMPLIFY_CFG, GVN, DCE, IF_CONVERT, SIMPLIFY_CFG, STRIP_DEBUG, GVN, SIMPLIFY_CFG, DCE];

/// The largest function, in instructions, whose calls are inlined. The mathematical functions are made of smaller ones.
const INLINE_LIMIT: usize = 300;

/// How much to optimise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// 0 leaves the code as lowering made it; all other levels are the same.
    pub level: u8,
    /// Whether a debugger may stop at statements and show scalar variables.
    pub watched: bool,
}

/// Optimises a valid module, which stays valid.
pub fn run(module: &mut Module, options: Options) {
    run_observed(module, options, &mut |_, _| {});
}

/// Optimises a valid module, and shows it to `observer` after each pass with the name of the pass.
pub fn run_observed(module: &mut Module, options: Options, observer: &mut dyn FnMut(&str, &Module)) {
    run_passes(module, ALWAYS, observer);
    if options.level == 0 {
        return;
    }
    // Callees are simplified before their size decides whether they are inlined.
    run_passes(module, SIMPLIFY, observer);
    if inline::run(module, INLINE_LIMIT) {
        observer("inline", module);
        run_passes(module, SIMPLIFY, observer);
    }
    if !options.watched {
        run_passes(module, UNWATCHED, observer);
    }
}

fn run_passes(module: &mut Module, passes: &[Pass], observer: &mut dyn FnMut(&str, &Module)) {
    for pass in passes {
        for id in (0..module.funcs.len()).map(|i| FuncId(i as u32)) {
            (pass.run)(&mut module.funcs[id.index()]);
        }
        observer(pass.name, module);
    }
}
