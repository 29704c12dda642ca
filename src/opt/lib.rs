//! Passes over the IR, run as a straight list.
//!
//! These passes serve the host, the emulator and the GPU alike. Therefore they never add, drop, merge or reorder an access
//! that another thread could see, and they keep every schedule point ([`ir::InstKind::is_schedule_point`]) and every Stmt
//! mark in its place: the same seed gives the same turns, findings and debugger events with and without them. Arithmetic is
//! folded by [`ir::eval`], so that a value has the same bits whoever computed it; nothing is reassociated but wrapping
//! integer sums.
//!
//! A source variable keeps its register and every assignment to it, because the debugger reads it; reads of it may be
//! replaced by the value that it is known to have, so that a value *set* in the debugger is sure to be used only without
//! passes. Where nobody debugs ([`run_unwatched`]), Stmt marks and scalar variables go and small branches become selections.
//!
//! Deliberately not here: passes that do change accesses (load elimination, hoisting, widening), which only the GPU's side
//! may run; forming fused multiply-adds, which lowering does once and for all.

mod address;
mod blocks;
mod branch;
mod copy;
mod cse;
mod dce;
mod fold;
mod forget;
mod inline;
mod merge;
mod strength;
mod values;

use ir::{FuncId, Function, Module};

/// A pass over one function.
type Pass = fn(&mut Function);

/// What is done to each function, in order; the name is for who looks on.
const PASSES: &[(&str, Pass)] = &[
    ("blocks", blocks::run),
    ("values", values::run),
    ("branch", branch::run),
    ("blocks", blocks::run),
    ("values", values::run),
    ("branch", branch::run),
    ("blocks", blocks::run),
    ("dce", dce::run),
];

/// What follows where nobody debugs: marks and variables for the debugger go first.
const UNWATCHED: &[(&str, Pass)] = &[
    ("forget", forget::run),
    ("blocks", blocks::run),
    ("values", values::run),
    ("dce", dce::run),
    ("merge", merge::run),
    ("blocks", blocks::run),
    ("forget", forget::run),
    ("values", values::run),
    ("branch", branch::run),
    ("blocks", blocks::run),
    ("dce", dce::run),
];

/// Functions of more instructions are called. Functions of mathematics, which are made of small ones, are below it.
const INLINED: usize = 300;

/// Improves a valid module, which stays valid. Level 0 does nothing.
pub fn run(module: &mut Module, level: u8) {
    run_watched(module, level, &mut |_, _| {});
}

/// The same for a program that nobody debugs, as far as statements and scalar variables go; see `forget`. Level 0 does
/// nothing.
pub fn run_unwatched(module: &mut Module, level: u8, watch: &mut dyn FnMut(&str, &Module)) {
    run_watched(module, level, watch);
    if level != 0 {
        functions(module, UNWATCHED, watch);
    }
}

/// The same, showing the module to `watch` after each step with the step's name.
pub fn run_watched(module: &mut Module, level: u8, watch: &mut dyn FnMut(&str, &Module)) {
    if level == 0 {
        return;
    }
    // Callees become small before they are looked at as candidates.
    functions(module, PASSES, watch);
    if inline::run(module, INLINED) {
        watch("inline", module);
        functions(module, PASSES, watch);
    }
}

fn functions(module: &mut Module, passes: &[(&str, Pass)], watch: &mut dyn FnMut(&str, &Module)) {
    for &(name, pass) in passes {
        for id in (0..module.funcs.len()).map(|i| FuncId(i as u32)) {
            pass(&mut module.funcs[id.index()]);
        }
        watch(name, module);
    }
}
