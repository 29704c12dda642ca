//! The optimiser: passes over the IR, run in a fixed order.
//!
//! The same passes serve the host, the emulator and the GPU. Therefore they never add, drop, merge or reorder an access that
//! another thread could see, and where [`Options::keeps_points`] says so they keep every schedule point
//! ([`ir::InstKind::is_schedule_point`]) in its place: the same seed gives the same schedule, findings and debugger events with and
//! without them. Otherwise small local arrays become registers. Constants are folded by [`ir::eval`], so
//! a value has the same bits at every level. Only wrapping integer sums are reassociated.
//!
//! While a debugger watches ([`Options::watched`]), Stmt marks stay, and a source variable keeps its register and every
//! assignment to it. A read of the variable may be replaced by its known value, so a value that the user sets is sure to take
//! effect only at level 0. Otherwise marks and scalar variables go, small divergent branches become selections, what a loop does
//! not change is computed before it, and a loop whose checks pass in all iterations has none. Only where some threads of a warp
//! would fail such a check, if all iterations came to it, and others not may they part earlier than without the passes, which changes
//! the order in which they go on; so may threads of which some RETURN inside of nested branches. Loops with synchronisations or calls
//! of device functions are not among those. Threads that are apart for good may meet by chance in a function that was inlined, where
//! frames of their own would have kept them apart.
//!
//! One pass runs at every level: `mark_reductions` decides which atomics have a result that the program uses.
//!
//! Code that runs on a GPU only is a copy, which [`run_for_gpu`] changes further: nobody counts its accesses or stops it. Loops
//! are unrolled, local memory becomes registers, loads and stores that nobody can see go, and addresses are summed up so that
//! accesses share them. These passes may use what Fortran forbids a program to do: to change through one dummy argument what
//! another names, and to compute a subscript that overflows. What a thread of a valid program computes has the same bits.
//!
//! Not here: the forming of fused multiply-adds, which is part of lowering.

mod dce;
mod dead_locals;
mod dse;
mod gvn;
mod hoist_invariants;
mod hoist_loads;
mod if_convert;
mod inline;
mod leaks;
mod loops;
mod mark_reductions;
mod narrow_counts;
mod pair_iterations;
mod promote;
mod promote_in_loops;
mod range_facts;
mod rematerialize;
mod simplify_cfg;
mod spaces;
mod split_copies;
mod strip_debug;
mod unroll;
mod unswitch;
mod webs;

pub use hoist_loads::is_long;
use ir::{FuncKind, Function, Module};

/// A pass over one function, with its name.
struct Pass {
    name: &'static str,
    run: fn(&mut Function, Target),
}

/// What a program has on the GPU that it will run on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// Bytes of the largest allocation that kernels may access. Up to 2^30, all indices may be computed in 32 bits.
    pub largest_allocation: u64,
    /// The most threads that a grid has in one direction.
    pub threads: u64,
    /// Whether all arrays begin at a multiple of 16 bytes that kernels get as arguments and reach by vectors.
    pub aligned: bool,
}

impl Target {
    /// Whether code for this target may run where things are at most as in `largest`.
    pub fn holds(self, largest: Target) -> bool {
        self.largest_allocation >= largest.largest_allocation
            && self.threads >= largest.threads
            && (largest.aligned || !self.aligned)
    }
}

impl Default for Target {
    /// No allocation is larger than 1 GiB, and no grid has more than 2^30 threads in a direction. Arrays begin anywhere.
    fn default() -> Target {
        Target { largest_allocation: 1 << 30, threads: 1 << 30, aligned: false }
    }
}

const MARK_REDUCTIONS: Pass = Pass { name: "mark-reductions", run: |f, _| mark_reductions::run(f) };
const SIMPLIFY_CFG: Pass = Pass { name: "simplify-cfg", run: |f, _| simplify_cfg::run(f) };
const GVN: Pass = Pass { name: "gvn", run: |f, _| gvn::run(f) };
const DCE: Pass = Pass { name: "dce", run: |f, _| dce::run(f) };
const STRIP_DEBUG: Pass = Pass { name: "strip-debug", run: |f, _| strip_debug::run(f) };
const IF_CONVERT: Pass = Pass { name: "if-convert", run: |f, _| if_convert::run(f) };

const ORDER_BY_LOOPS: Pass = Pass { name: "order-by-loops", run: |f, _| gvn::order_by_loops(f) };
const HOIST_INVARIANTS: Pass = Pass { name: "hoist-invariants", run: |f, _| hoist_invariants::run(f) };

const UNSWITCH: Pass = Pass { name: "unswitch", run: |f, _| unswitch::run(f, true) };
const UNSWITCH_CHECKS: Pass = Pass { name: "unswitch-checks", run: |f, _| unswitch::run(f, false) };

const STRIP_FOR_GPU: Pass = Pass { name: "strip-for-gpu", run: |f, _| strip_debug::for_gpu(f) };
const GVN_FOR_GPU: Pass = Pass { name: "gvn-for-gpu", run: |f, _| gvn::run_for_gpu(f) };
const ORDER_ADDRESSES: Pass = Pass { name: "order-addresses", run: gvn::order_addresses };
const DCE_FOR_GPU: Pass = Pass { name: "dce-for-gpu", run: |f, _| dce::run_for_gpu(f) };
const RANGE_FACTS: Pass = Pass { name: "range-facts", run: range_facts::run };
const NARROW_COUNTS: Pass = Pass { name: "narrow-counts", run: narrow_counts::run };
const UNROLL_FULL: Pass = Pass { name: "unroll-full", run: |f, _| unroll::full(f) };
const UNROLL_NESTS: Pass = Pass { name: "unroll-nests", run: |f, _| unroll::nests(f) };
const UNROLL_PARTIAL: Pass = Pass { name: "unroll-partial", run: |f, _| unroll::partial(f) };
const PAIR_ITERATIONS: Pass = Pass { name: "pair-iterations", run: pair_iterations::run };
const WEBS: Pass = Pass { name: "webs", run: |f, _| webs::run(f) };
const DEAD_LOCALS: Pass = Pass { name: "dead-locals", run: |f, _| dead_locals::run(f) };
const DSE: Pass = Pass { name: "dse", run: |f, _| dse::run(f) };
const HOIST_LOADS: Pass = Pass { name: "hoist-loads", run: |f, _| hoist_loads::run(f) };
const REMATERIALIZE: Pass = Pass { name: "rematerialize", run: |f, _| rematerialize::run(f) };
const SPLIT_COPIES: Pass = Pass { name: "split-copies", run: |f, _| split_copies::run(f) };
const PROMOTE: Pass = Pass { name: "promote", run: |f, _| promote::run(f) };
const PROMOTE_IN_LOOPS: Pass = Pass { name: "promote-in-loops", run: |f, _| promote_in_loops::run(f) };

/// At every level.
const ALWAYS: &[Pass] = &[MARK_REDUCTIONS];

/// From level 1 on; again if calls were inlined.
const SIMPLIFY: &[Pass] = &[SIMPLIFY_CFG, GVN, SIMPLIFY_CFG, GVN, SIMPLIFY_CFG, DCE];

/// From level 1 on, where no debugger watches.
const UNWATCHED: &[Pass] =
    &[STRIP_DEBUG, SIMPLIFY_CFG, GVN, DCE, IF_CONVERT, SIMPLIFY_CFG, STRIP_DEBUG, GVN, SIMPLIFY_CFG, HOIST_INVARIANTS];

/// The same, when loops are unswitched.
const UNSWITCHED: &[Pass] = &[SIMPLIFY_CFG, GVN, ORDER_BY_LOOPS, DCE, HOIST_INVARIANTS];

const UNROLL_OVER_LOCALS: Pass = Pass { name: "unroll-over-locals", run: |f, _| unroll::over_locals(f) };

/// From level 1 on, for device code of which nobody watches local memory: arrays become registers.
const OF_LOCALS: &[Pass] = &[
    STRIP_DEBUG,
    SIMPLIFY_CFG,
    WEBS,
    GVN,
    SIMPLIFY_CFG,
    UNROLL_OVER_LOCALS,
    GVN,
    SIMPLIFY_CFG,
    UNROLL_OVER_LOCALS,
    GVN,
    SIMPLIFY_CFG,
    DCE,
    SPLIT_COPIES,
    PROMOTE,
    WEBS,
    GVN,
    SIMPLIFY_CFG,
    DCE,
];

/// For code that runs on a GPU only. Loops around unrolled loops are unrolled in their turn.
const FOR_GPU: &[Pass] = &[
    STRIP_FOR_GPU,
    SIMPLIFY_CFG,
    WEBS,
    GVN_FOR_GPU,
    SIMPLIFY_CFG,
    RANGE_FACTS,
    GVN_FOR_GPU,
    SIMPLIFY_CFG,
    NARROW_COUNTS,
    DCE_FOR_GPU,
    UNROLL_FULL,
    GVN_FOR_GPU,
    SIMPLIFY_CFG,
    DCE_FOR_GPU,
    UNROLL_NESTS,
    GVN_FOR_GPU,
    SIMPLIFY_CFG,
    UNROLL_FULL,
    GVN_FOR_GPU,
    SIMPLIFY_CFG,
    SPLIT_COPIES,
    PROMOTE,
    WEBS,
    GVN_FOR_GPU,
    DCE_FOR_GPU,
    PROMOTE_IN_LOOPS,
    SIMPLIFY_CFG,
    PAIR_ITERATIONS,
    UNROLL_PARTIAL,
    SIMPLIFY_CFG,
    WEBS,
    GVN_FOR_GPU,
    SIMPLIFY_CFG,
    ORDER_ADDRESSES,
    DEAD_LOCALS,
    DSE,
    DCE_FOR_GPU,
    HOIST_LOADS,
    REMATERIALIZE,
    DCE_FOR_GPU,
];

/// The largest function, in instructions, whose calls are inlined. The mathematical functions are made of smaller ones.
const INLINE_LIMIT: usize = 300;

/// How much to optimise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// 0 leaves the code as lowering made it; all other levels are the same.
    pub level: u8,
    /// Whether a debugger may stop at statements and show scalar variables.
    pub watched: bool,
    /// Whether each call of a function with memory has a frame of its own, as a debugger and the check of uninitialised memory know it.
    pub keeps_frames: bool,
    /// Whether schedule points are counted: by a schedule that is chosen, by findings that tell places apart, by a clock.
    pub keeps_points: bool,
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
    if !options.keeps_frames && inline_with_memory(module) {
        observer("inline-with-memory", module);
        run_passes(module, SIMPLIFY, observer);
    }
    if !options.watched {
        if !options.keeps_frames && !options.keeps_points {
            let has_locals = |f: &Function| f.kind != FuncKind::Host && !f.locals.is_empty();
            run_passes_of(module, OF_LOCALS, has_locals, observer);
        }
        run_passes(module, UNWATCHED, observer);
        // Where findings tell places apart, an access of device code stays one.
        let splits = |f: &Function| f.kind == FuncKind::Host || !options.keeps_points;
        run_passes_of(module, &[UNSWITCH], splits, observer);
        run_passes_of(module, &[UNSWITCH_CHECKS], |f| !splits(f), observer);
        run_passes(module, UNSWITCHED, observer);
    }
}

/// Changes a module whose kernels will run on a GPU and nowhere else. Host code stays as it is.
pub fn run_for_gpu(module: &mut Module, target: Target) {
    run_for_gpu_observed(module, target, &mut |_, _| {});
}

/// The same, and shows the module to `observer` after each pass with the name of the pass.
pub fn run_for_gpu_observed(module: &mut Module, target: Target, observer: &mut dyn FnMut(&str, &Module)) {
    if inline::run_for_gpu(module) {
        observer("inline-for-gpu", module);
    }
    for pass in FOR_GPU {
        for f in module.funcs.iter_mut().filter(|f| f.kind != FuncKind::Host) {
            (pass.run)(f, target);
        }
        observer(pass.name, module);
    }
}

/// Puts the bodies of device procedures where they are called, for code of which nobody sees a call stack: those that neither call
/// themselves nor declare shared memory, and are small or called once.
pub fn inline_for_gpu(module: &mut Module) {
    inline::run_for_gpu(module);
}

/// Puts the bodies of device procedures where they are called, for engines that tell call stacks and have memory that is new with each
/// call. Whether there were some.
pub fn inline_with_memory(module: &mut Module) -> bool {
    let any = inline::run_with_memory(module);
    if any {
        spaces::run(module);
    }
    any
}

fn run_passes(module: &mut Module, passes: &[Pass], observer: &mut dyn FnMut(&str, &Module)) {
    run_passes_of(module, passes, |_| true, observer);
}

/// Runs passes over the functions that `of` chooses.
fn run_passes_of(
    module: &mut Module,
    passes: &[Pass],
    of: impl Fn(&Function) -> bool,
    observer: &mut dyn FnMut(&str, &Module),
) {
    for pass in passes {
        for f in module.funcs.iter_mut().filter(|f| of(f)) {
            (pass.run)(f, Target::default());
        }
        observer(pass.name, module);
    }
}
