//! From the checked program to IR.
//!
//! [`lower`] makes a module of all functions that a checked program runs: the main program, host procedures, kernels, and
//! the device procedures that they call. It cannot fail: the checked program is valid, and a feature that this version
//! refuses becomes a trap at its place, raised when execution reaches it. The head of the crate `ir` describes the
//! conventions. The rooms, each of which imports only rooms above it in this list:
//!
//! - `types`, `analysis`: facts about types, declarations and expressions; which variables need an address
//! - `value`: values, memory references, lvalues, array views and descriptors as data
//! - `module`: the module under construction, clones of procedures, globals, debug types
//! - `builder`: the IR builder with addresses, temporaries, scopes, arithmetic, loads and stores
//! - `storage`, `elements`, `targets`: where variables are stored, element-wise evaluations in progress, jump targets
//! - `object`: arrays and objects in memory: copying, freeing, finalising, transfers between host and device
//! - `function`: the state of the recursion over the source
//! - `expr`, `array`, `call`, `assign`, `stmt`, `io`, `intrinsic`, `device`, `procedure`, `debug`: the parts of that recursion
//! - `driver`: makes all functions
//! - `unset`: which scalars `--check init` wants in memory, found in the code of a first try
//!
//! `expr` describes the contraction to fused operations, `device::cuf_kernel` CUF kernels, `builder::memory` access to device
//! data from host code.
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
mod unset;
mod value;

pub use analysis::mathematics::mathematics;
pub use module::MPI_CALLS;

use module::ModuleLowering;
use sema::checked::{Program, Shape, Storage, VarId};
use source::SourceMap;

/// What may differ from run to run in what is made of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LowerOptions {
    /// Whether device code fuses products with sums.
    pub fma: bool,
    /// Whether subscripts are checked against the declared bounds.
    pub check_bounds: bool,
    /// Whether local scalars of device code that may be read before they are set live in memory, where such reads can be seen.
    pub check_init: bool,
    /// Whether device code looks for real operations that make a NaN or an infinity, and the like.
    pub check_fp: bool,
    /// Whether device code computes quotients, roots and functions of real(4) by the approximate operations of a GPU.
    pub fast_math: bool,
    /// `-gpu=managed`: what host code allocates for plain allocatables and pointers is managed memory.
    pub managed: bool,
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            fma: true,
            check_bounds: false,
            check_init: false,
            check_fp: false,
            fast_math: false,
            managed: false,
        }
    }
}

/// Makes the module of the main program and of what it calls, without procedures that nothing reaches: the code of an
/// expression of the debugger, for which a main program was made.
pub fn lower_main(program: &Program, options: &LowerOptions) -> ir::Module {
    let sources = SourceMap::new();
    made(program, *options, &sources, driver::main_only)
}

/// Makes the module of a checked program. `sources` gives CUF kernels their line numbers as names.
pub fn lower(program: &Program, options: &LowerOptions, sources: &SourceMap) -> ir::Module {
    made(program, *options, sources, driver::whole_program)
}

/// Makes a module by `driver`. For `--check init` it is made twice: the first shows which scalars may hold what was never set.
fn made(
    program: &Program,
    options: LowerOptions,
    sources: &SourceMap,
    driver: fn(ModuleLowering<'_>) -> ir::Module,
) -> ir::Module {
    let mut usage = analysis::usage::analyse(program);
    let tags = analysis::type_tags::tags(program);
    let module = driver(ModuleLowering::new(program, &options, sources, &usage, &tags));
    if !options.check_init {
        return module;
    }
    let is_local = |&v: &VarId| {
        let var = program.var(v);
        matches!((&var.storage, &var.shape), (Storage::Local | Storage::Result, Shape::Scalar))
            && var.attrs.cuda.is_none()
    };
    let kept: Vec<VarId> = unset::variables(&module).into_iter().filter(is_local).collect();
    if kept.is_empty() {
        return module;
    }
    usage.in_memory.extend(kept);
    driver(ModuleLowering::new(program, &options, sources, &usage, &tags))
}
