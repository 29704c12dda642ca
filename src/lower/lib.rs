//! From checked program to IR.
//!
//! [`lower`] makes a module of all functions that a checked program runs: the main program, host procedures, kernels, and
//! device procedures as they are called. It cannot fail: the checked program is valid, and what this version refuses
//! becomes a trap at its place, raised if execution comes there. The conventions that it keeps are in the head of the crate
//! `ir`; decisions of its own are in the heads of the files:
//!
//! - which variables have an address, and which live in registers: `analysis::usage`, `procedure::local`
//! - clones of device procedures by address space, procedures as arguments: `module`
//! - hidden parameters of internal procedures: `call`
//! - array expressions: `array`, `value::array_view`, `assign`, `assign::overlap`
//! - data on the device in host code: `value::lvalue` (scalars), `assign::transfer` (arrays)
//! - contraction to fused operations: `expr`
//! - CUF kernels: `device::cuf_kernel`
//!
//! Not here: optimisation beyond folding addresses (`opt`), checking (`sema`), execution (`vm`).

mod analysis;
mod array;
mod assign;
mod builder;
mod call;
mod debug;
mod device;
mod driver;
mod elements;
mod expr;
mod function;
mod intrinsic;
mod io;
mod module;
mod object;
mod procedure;
mod stmt;
mod storage;
mod targets;
mod types;
mod value;

pub use analysis::mathematics::mathematics;

use analysis::usage::Usage;
use module::ModuleLowering;
use sema::checked::Program;
use source::SourceMap;

/// What may differ from run to run in what is made of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LowerOptions {
    /// Whether device code fuses products with sums.
    pub fma: bool,
    /// Whether subscripts are checked against the declared bounds.
    pub check_bounds: bool,
    /// Whether local scalars of device code live in memory, where reads of what was never set can be seen.
    pub check_init: bool,
    /// Whether device code looks for real operations that make a NaN or an infinity, and the like.
    pub check_fp: bool,
    /// `-gpu=managed`: what host code allocates for plain allocatables and pointers is managed memory.
    pub managed: bool,
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions { fma: true, check_bounds: false, check_init: false, check_fp: false, managed: false }
    }
}

/// Makes the module of the main program and of what it calls, without procedures that nothing reaches: the code of an
/// expression of the debugger, for which a main program was made.
pub fn lower_main(program: &Program, options: &LowerOptions) -> ir::Module {
    let (usage, tags) = analyse(program, options.check_init);
    let sources = SourceMap::new();
    driver::main_only(ModuleLowering::new(program, options, &sources, &usage, &tags))
}

/// Makes the module of a checked program. `sources` gives CUF kernels their line numbers as names.
pub fn lower(program: &Program, options: &LowerOptions, sources: &SourceMap) -> ir::Module {
    let (usage, tags) = analyse(program, options.check_init);
    driver::whole_program(ModuleLowering::new(program, options, sources, &usage, &tags))
}

fn analyse(program: &Program, check_init: bool) -> (Usage, Vec<(u64, u64)>) {
    let mut usage = analysis::usage::analyse(program);
    if check_init {
        usage.keep_device_locals_in_memory(program);
    }
    (usage, analysis::type_tags::tags(program))
}
