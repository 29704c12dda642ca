//! The IR printed as PTX text (PTX ISA 8, `sm_75` and later).
//!
//! Invariants:
//! - Arithmetic on reals always names its rounding (`add.rn`), so ptxas never contracts a product and a sum. Nothing flushes
//!   subnormals. Where the hardware's result is not that of the IR (division by zero, NaN of a sign operation on real(4),
//!   halves away from zero, remainder of reals), a sequence of instructions gives the exact one.
//! - Registers are untyped and as wide as the value, but `i8` and `i16` are kept sign-extended in 32 bits. Each operation that
//!   could break that restores it.
//! - An address in a register is a generic address, so pointers of all spaces can be stored in memory. If every use of a
//!   register is known to be an access of one space, it holds the address within the window of that space instead ([`space`]).
//! - Names in the text follow from the module alone ([`func_symbol`], [`global_symbol`]), so the host finds them.
//! - The same module gives the same text.
//!
//! Not bit-equal to the emulator: the bits of a real(8) NaN, atomics on reals across threads, clocks, `%activemask`.
//! `threadfence` is `fence.sc`, as CUDA defines it. A vote without a mask names all 32 lanes: lanes that have exited count as
//! arrived. `activemask` would leave out lanes that are only at another place.
//!
//! Refused, as data ([`EmitError`]): host services in device code, launches from kernels where CUDA's device runtime is missing, host
//! memory, atomics on local or
//! constant memory.

mod arith;
mod atomic;
mod body;
mod bulk;
mod call;
mod convert;
mod debug;
mod dwarf;
mod extended;
mod globals;
mod library;
mod memory;
mod names;
mod nested;
pub mod record;
mod service;
mod sign;
mod space;
mod unused;
mod vector;
mod warp;

pub use debug::{VariableSlot, variable_slots};
pub use names::{func_symbol, global_symbol};

use body::Body;
use globals::Placement;
use ir::rt::Rt;
use ir::{FuncId, FuncKind, Function, InstKind, Module, Val};
use library::Helper;
use source::{SourceMap, Span};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The module variable that holds the address of the record buffer (see [`crate::record_buffer`]); 0 where there is none.
pub const RECORDS_SYMBOL: &str = "cufemu$$records";

/// Bytes whose multiples arrays begin at, if [`opt::Target::aligned`] holds.
pub const ALIGNED: u64 = vector::LARGEST;

/// The parameters of a kernel whose addresses must be multiples of [`ALIGNED`] for what is printed for an aligned target, by number.
pub fn relies_on_alignment(func: &Function) -> Vec<usize> {
    vector::relied_on(func)
}

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct PtxOptions<'a> {
    /// Compute capability of the target: 75, 90 …
    pub sm: u32,
    /// Whether every source variable that lives in a register is also kept in local memory, where a debugger finds it
    /// ([`variable_slots`] says where).
    pub debug: bool,
    /// Addresses of the module variables, by number, if they are in the caller's memory; otherwise the text declares
    /// them, and the driver places them.
    pub globals: Option<&'a [u64]>,
    /// What launches are held against; code for a debugger does not rely on it.
    pub target: opt::Target,
    /// Whether approximate operations take subnormal operands and results as zero (`.ftz`).
    pub flushes: bool,
    /// Whether the text may call CUDA's device runtime, for launches from device code: it is linked.
    pub launches: bool,
    /// The sources, for `.file` and `.loc` lines. With `debug` too there are sections of DWARF, and the target is `debug`,
    /// which makes ptxas keep the code as it is written.
    pub sources: Option<&'a SourceMap>,
}

impl<'a> PtxOptions<'a> {
    /// The sources, if there are to be sections of DWARF.
    pub(crate) fn dwarf(&self) -> Option<&'a SourceMap> {
        self.sources.filter(|_| self.debug)
    }
}

impl Default for PtxOptions<'_> {
    fn default() -> Self {
        PtxOptions {
            sm: 75,
            debug: false,
            globals: None,
            target: opt::Target::default(),
            flushes: false,
            launches: true,
            sources: None,
        }
    }
}

/// Code that cannot run on a GPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmitError {
    /// The function that has it.
    pub function: String,
    /// What it is, to stand before "cannot run on a GPU".
    pub what: String,
    /// Where it is.
    pub span: Span,
}

impl std::fmt::Display for EmitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in `{}` cannot run on a GPU", self.what, self.function)
    }
}

impl std::error::Error for EmitError {}

/// What the functions of one text share.
struct Unit<'a> {
    module: &'a Module,
    options: &'a PtxOptions<'a>,
    placement: Placement,
    /// Whether what is printed launches kernels.
    has_launches: bool,
    /// Whether some code of the device asks for aligned memory. Then a word before all that it allocates says where its room begins.
    has_aligned: bool,
}

impl Unit<'_> {
    /// Whether the target has clusters (PTX ISA, `.target`: `sm_90` and up).
    fn has_clusters(&self) -> bool {
        self.options.sm >= 90
    }
}

/// Whether a function is one of the device that asks for aligned memory.
fn allocates_aligned(f: &Function) -> bool {
    let mut insts = f.blocks.iter().flat_map(|b| &b.insts);
    f.kind != FuncKind::Host && insts.any(|inst| matches!(inst.kind, InstKind::Rt { rt: Rt::AllocAligned, .. }))
}

/// Prints `kernels`, the kernels that they launch, the procedures that they call and the device variables of the module.
///
/// # Errors
/// The first thing, in the order of kernels and their code, that cannot run on a GPU.
pub fn emit(module: &Module, kernels: &[FuncId], options: &PtxOptions<'_>) -> Result<String, EmitError> {
    let Reach { kernels, procedures, launched } = reach(module, kernels)?;
    let placement = Placement::new(module, options.globals);
    let (has_launches, has_aligned) = (!launched.is_empty(), module.funcs.iter().any(allocates_aligned));
    let unit = Unit { module, options, placement, has_launches, has_aligned };
    let mut needs = BTreeSet::new();
    let mut bodies = String::new();
    for &id in procedures.iter().chain(&kernels) {
        bodies.push_str(&Body::print(&unit, id, &mut needs)?);
        bodies.push('\n');
    }

    let mut out = String::new();
    header(&mut out, &unit, &kernels);
    globals::print(&mut out, &unit);
    let all = || procedures.iter().chain(&kernels).map(|&id| module.func(id));
    if all().any(|f| f.shared.iter().any(|s| s.size == ir::SharedSize::Dynamic)) {
        let _ = writeln!(out, ".extern .shared .align 16 .b8 {}[];\n", names::DYNAMIC_SHARED);
    }
    Helper::print(&mut out, &needs);
    for &id in &procedures {
        let _ = writeln!(out, "{};", call::declaration(module, id));
    }
    for &id in &launched {
        let _ = writeln!(out, "{};", call::declaration(module, id));
    }
    if !procedures.is_empty() || !launched.is_empty() {
        out.push('\n');
    }
    out.push_str(&bodies);
    if let Some(sources) = options.dwarf() {
        let printed: Vec<FuncId> = procedures.iter().chain(&kernels).copied().collect();
        out.push_str(&dwarf::sections(&unit, &printed, sources));
    }
    Ok(out)
}

/// The module with its device code optimised for a GPU, and without host code. Kernels keep their parameters, and instructions
/// their places in the source.
pub fn optimised(module: &Module, target: opt::Target) -> Module {
    optimised_observed(module, target, &mut |_, _| {})
}

/// The same, and shows the module to `observer` after each pass with the name of the pass.
pub fn optimised_observed(module: &Module, target: opt::Target, observer: &mut dyn FnMut(&str, &Module)) -> Module {
    let mut module = Module {
        funcs: module.funcs.iter().map(|f| if f.kind == FuncKind::Host { declaration(f) } else { f.clone() }).collect(),
        globals: module.globals.clone(),
        types: module.types.clone(),
        main: module.main,
        refusals: module.refusals.clone(),
        designated: module.designated.clone(),
        imports: Vec::new(),
        embedded_files: module.embedded_files.clone(),
    };
    opt::run_for_gpu_observed(&mut module, target, observer);
    module
}

/// The function without its code.
fn declaration(f: &Function) -> Function {
    Function {
        name: f.name.clone(),
        kind: f.kind,
        params: f.params.clone(),
        results: f.results.clone(),
        regs: f.regs.clone(),
        blocks: Vec::new(),
        locals: f.locals.clone(),
        shared: f.shared.clone(),
        vars: Vec::new(),
        inlined: Vec::new(),
        max_threads: f.max_threads,
        cluster: f.cluster,
        cooperative: f.cooperative,
        span: f.span,
    }
}

/// Whether a text calls CUDA's device runtime.
pub fn needs_device_runtime(text: &str) -> bool {
    Helper::of_runtime().any(|helper| text.contains(&format!(" {}(", helper.symbol())))
}

/// Whether device code of the module launches kernels.
pub fn has_launches(module: &Module) -> bool {
    let device = module.funcs.iter().filter(|f| f.kind != FuncKind::Host);
    device.flat_map(|f| &f.blocks).flat_map(|b| &b.insts).any(|i| matches!(i.kind, InstKind::Launch { .. }))
}

/// Whether a text has kernels that write records, so that [`RECORDS_SYMBOL`] needs the address of a buffer.
pub fn writes_records(text: &str) -> bool {
    text.contains(&format!(".func {}(", Helper::Record.symbol()))
}

/// Whether a device procedure of the module calls itself, perhaps through others.
pub fn is_recursive(module: &Module) -> bool {
    let callees = |id: FuncId| {
        let insts = module.funcs.get(id.index()).into_iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts);
        insts.filter_map(|i| if let InstKind::Call { func, .. } = i.kind { Some(func) } else { None })
    };
    (0..module.funcs.len() as u32).map(FuncId).filter(|&id| module.func(id).kind == FuncKind::Device).any(|start| {
        let mut seen: BTreeSet<FuncId> = BTreeSet::new();
        let mut work: Vec<FuncId> = callees(start).collect();
        while let Some(id) = work.pop() {
            if seen.insert(id) {
                work.extend(callees(id));
            }
        }
        seen.contains(&start)
    })
}

/// The targets of PTX that run on more than one device.
const TARGETS: [u32; 13] = [75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121];

/// The greatest known target that runs on a device of that compute capability.
pub fn target_for(sm: u32) -> u32 {
    TARGETS.iter().copied().rfind(|&t| t <= sm).unwrap_or(TARGETS[0])
}

/// The lowest PTX version that knows the target and takes as many bytes of parameters.
fn version(sm: u32, param_bytes: u64) -> &'static str {
    match sm {
        88 => "9.0",
        0..=90 if param_bytes <= 4096 => "8.0",
        0..=90 => "8.1",
        100 | 101 => "8.6",
        120 => "8.7",
        103 | 121 => "8.8",
        _ => "9.0",
    }
}

fn header(out: &mut String, unit: &Unit<'_>, kernels: &[FuncId]) {
    let params = kernels.iter().map(|&id| crate::params::layout(unit.module.func(id)).bytes).max().unwrap_or(0);
    let debug = if unit.options.dwarf().is_some() { ", debug" } else { "" };
    let _ = writeln!(out, ".version {}", version(unit.options.sm, params));
    let _ = writeln!(out, ".target sm_{}{debug}", unit.options.sm);
    let _ = writeln!(out, ".address_size 64\n");
    if let Some(sources) = unit.options.sources {
        debug::print_files(out, sources);
    }
}

/// What a text has, each in the order of the module.
struct Reach {
    kernels: Vec<FuncId>,
    /// What they reach by calls.
    procedures: Vec<FuncId>,
    /// The kernels among them that device code launches.
    launched: Vec<FuncId>,
}

/// Finds what kernels reach by calls and launches.
fn reach(module: &Module, kernels: &[FuncId]) -> Result<Reach, EmitError> {
    let error = |function: &Function, what: String, span| EmitError { function: function.name.to_string(), what, span };
    let mut roots = BTreeSet::new();
    for &id in kernels {
        let Some(func) = module.funcs.get(id.index()) else { continue };
        if func.kind != FuncKind::Kernel {
            return Err(error(func, "a launch of what is no kernel".to_owned(), func.span));
        }
        roots.insert(id);
    }
    let (mut procedures, mut launched) = (BTreeSet::new(), BTreeSet::new());
    let mut work: Vec<FuncId> = roots.iter().copied().collect();
    while let Some(id) = work.pop() {
        let func = module.func(id);
        for inst in func.blocks.iter().flat_map(|b| &b.insts) {
            let (callee, is_launch) = match &inst.kind {
                InstKind::Call { func, .. } => (*func, false),
                InstKind::Launch { func, .. } => (*func, true),
                // What is asked about a kernel is asked with its address.
                InstKind::Rt { rt: Rt::NestedKernel, args, .. } => match args[0] {
                    Val::Imm(func) => (FuncId(func as u32), true),
                    Val::Reg(_) => continue,
                },
                _ => continue,
            };
            let Some(target) = module.funcs.get(callee.index()) else {
                return Err(error(func, "a call of a procedure that does not exist".to_owned(), inst.span));
            };
            match target.kind {
                FuncKind::Device if !is_launch => {
                    if procedures.insert(callee) {
                        work.push(callee);
                    }
                }
                FuncKind::Kernel if is_launch => {
                    launched.insert(callee);
                    if roots.insert(callee) {
                        work.push(callee);
                    }
                }
                FuncKind::Kernel => {
                    return Err(error(func, format!("a call of the kernel `{}`", target.name), inst.span));
                }
                FuncKind::Device => {
                    return Err(error(func, "a launch of what is no kernel".to_owned(), inst.span));
                }
                FuncKind::Host => {
                    return Err(error(func, format!("a call of the host procedure `{}`", target.name), inst.span));
                }
            }
        }
    }
    let listed = |all: BTreeSet<FuncId>| all.into_iter().collect();
    Ok(Reach { kernels: listed(roots), procedures: listed(procedures), launched: listed(launched) })
}

#[cfg(test)]
mod tests {
    use super::{target_for, version};

    #[test]
    fn version_is_the_lowest_that_knows_the_target() {
        assert_eq!(version(75, 64), "8.0");
        assert_eq!(version(90, 8000), "8.1");
        assert_eq!(version(100, 64), "8.6");
        assert_eq!(version(103, 64), "8.8");
        assert_eq!(version(120, 64), "8.7");
        assert_eq!(version(110, 64), "9.0");
    }

    #[test]
    fn target_is_the_greatest_that_the_device_runs() {
        assert_eq!([61, 75, 90, 99, 130].map(target_for), [75, 75, 90, 90, 121]);
    }
}
