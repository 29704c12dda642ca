//! Modules, functions, their registers, memory and variables.

use crate::{AddrBase, Bb, DebugTypeId, FuncId, GlobalId, InlineId, Inst, Reg, Term, Val, VarId};
use scalar::Ty;
use source::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A whole program.
#[derive(Clone, Default, Debug)]
pub struct Module {
    /// Functions, by [`FuncId`].
    pub funcs: Vec<Function>,
    /// Global variables, by [`GlobalId`].
    pub globals: Vec<Global>,
    /// Source types, by [`DebugTypeId`].
    pub types: Vec<DebugType>,
    /// The main program.
    pub main: Option<FuncId>,
    /// What each [`Trap::Unsupported`](crate::Trap) refuses, by the span of the trap. The text form does not have it.
    pub refusals: BTreeMap<Span, Arc<str>>,
    /// The variable that each designator of device code begins with ([`DebugVar::source_id`]), by its span: what an access
    /// meant to touch. The text form does not have it.
    pub designated: BTreeMap<Span, u32>,
    /// Kernels that are declared here and that other files define. Their functions have parameters and no code until a reader
    /// of such a file takes them out of this list. The text form does not have it.
    pub imports: Vec<Import>,
    /// Files that the user does not have, those of embedded modules: a finding in them is told where the program calls them.
    /// The text form does not have it.
    pub embedded_files: BTreeSet<FileId>,
}

/// A kernel that another file defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// The function to be given its code.
    pub func: FuncId,
    /// The name that the other file has for it.
    pub symbol: Arc<str>,
}

/// What a function is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FuncKind {
    /// Runs on the host.
    Host,
    /// A kernel: launched, runs on the device.
    Kernel,
    /// Called from kernels.
    Device,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name, unique in the module: `module.procedure` or `procedure`, lower case.
    pub name: Arc<str>,
    /// What it is.
    pub kind: FuncKind,
    /// Parameters; each is a register that is set on entry.
    pub params: Vec<Param>,
    /// Types of the results that a Return gives.
    pub results: Vec<Ty>,
    /// Registers, by [`Reg`].
    pub regs: Vec<RegInfo>,
    /// Basic blocks, by [`Bb`]; the first is the entry.
    pub blocks: Vec<BlockData>,
    /// Local memory, by `LocalId`.
    pub locals: Vec<LocalSlot>,
    /// Shared memory (kernels, and device functions that declare some), by `SharedId`.
    pub shared: Vec<SharedVar>,
    /// Source variables, by [`VarId`].
    pub vars: Vec<DebugVar>,
    /// Calls in whose place the body of a function stands, by [`InlineId`]; an outer one comes before those in it.
    pub inlined: Vec<Inlined>,
    /// `launch_bounds`: most threads a block.
    pub max_threads: Option<u32>,
    /// `cluster_dims`: blocks of a cluster along each dimension.
    pub cluster: Option<[u32; 3]>,
    /// `grid_global`: launched cooperatively.
    pub cooperative: bool,
    /// The subprogram statement.
    pub span: Span,
}

/// A call in whose place the body of the called function stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inlined {
    /// The function that is called.
    pub func: FuncId,
    /// The call that this one is a part of.
    pub outer: InlineId,
    /// The call.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Param {
    /// The register that holds it.
    pub reg: Reg,
    /// What is passed.
    pub kind: ParamKind,
    /// Name of the dummy, or of the part (`a.extent1`).
    pub name: Arc<str>,
    /// Whether it is the address of memory that, while the function runs, is changed through this parameter alone if it is
    /// changed at all: that of a dummy argument with neither TARGET, POINTER nor VOLATILE (Fortran 2018,
    /// 15.5.2.13). Other threads may change it too; they are seen at synchronisations.
    pub unaliased: bool,
}

/// What is passed for a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// A value of the register's type.
    Value,
    /// So many bytes, by value; the register (an `i64`) has the address of the callee's own copy. The caller gives the
    /// address of the bytes.
    Bytes {
        /// Size.
        bytes: u64,
        /// Alignment.
        align: u64,
    },
}

impl ParamKind {
    /// Cuts an object of so many bytes into accesses that its alignment allows: offset and bytes (1, 2, 4 or 8) of each.
    pub fn pieces(bytes: u64, align: u64) -> impl Iterator<Item = (u64, u64)> {
        let largest = align.clamp(1, 8).next_power_of_two();
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = bytes.checked_sub(at).filter(|&rest| rest > 0)?;
            let unit = largest.min(1 << rest.ilog2());
            at += unit;
            Some((at - unit, unit))
        })
    }
}

/// A register.
#[derive(Clone, Debug)]
pub struct RegInfo {
    /// Type of its value.
    pub ty: Ty,
    /// The source variable that lives in it; such a register may be assigned many times.
    pub var: Option<VarId>,
    /// Whether it may be assigned more than once though it is no source variable (a loop counter, a merged value).
    pub mutable: bool,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct BlockData {
    /// Instructions.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub term: Term,
    /// Place of the terminator.
    pub term_span: Span,
    /// The call in whose place the terminator stands.
    pub term_inlined: InlineId,
}

impl BlockData {
    /// A block whose terminator is one of the function itself.
    pub fn new(insts: Vec<Inst>, term: Term, term_span: Span) -> BlockData {
        BlockData { insts, term, term_span, term_inlined: InlineId::NONE }
    }
}

/// A piece of local memory: of the frame on the host, of the thread on the device.
#[derive(Clone, Debug)]
pub struct LocalSlot {
    /// Size.
    pub bytes: u64,
    /// Alignment.
    pub align: u64,
    /// Name of the variable, for findings.
    pub name: Arc<str>,
    /// Its declaration.
    pub span: Span,
    /// The call in whose place the function stands that has it; none if it is the function's own. What is of one call lies side by side
    /// for all calls of that function that are as deep: none of them needs its own any more when another begins.
    pub inlined: InlineId,
}

/// A shared variable.
#[derive(Clone, Debug)]
pub struct SharedVar {
    /// Name of the variable.
    pub name: Arc<str>,
    /// Size.
    pub size: SharedSize,
    /// Alignment.
    pub align: u64,
    /// Bytes of one element, for findings.
    pub element_bytes: u64,
    /// Bounds of the array, for findings: lower bound and extent per dimension, where constant.
    pub bounds: Vec<(i64, i64)>,
    /// Its declaration.
    pub span: Span,
}

/// Size of a shared variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharedSize {
    /// So many bytes, placed by the compiler.
    Static(u64),
    /// `(*)`: starts where dynamic shared memory starts, as all of its kind do.
    Dynamic,
}

/// A global variable: module data, SAVE data, string constants.
#[derive(Clone, Debug)]
pub struct Global {
    /// Name: `module.variable`, `procedure.variable`, or a made one.
    pub name: Arc<str>,
    /// Where it lives: `Host`, `Global` (device), `Const`; managed memory is `Global` with `managed`.
    pub space: crate::Space,
    /// Whether it is managed memory.
    pub managed: bool,
    /// Size.
    pub bytes: u64,
    /// Alignment.
    pub align: u64,
    /// First contents.
    pub init: GlobalInit,
    /// Runs of bytes of the first contents that count as uninitialised, first byte and length, such as components without a
    /// default value in an object that has some.
    pub holes: Vec<(u64, u64)>,
    /// Whether code may not write it (string constants, parameters).
    pub read_only: bool,
    /// Source type, for findings and the debugger.
    pub var: Option<DebugVar>,
    /// Its declaration.
    pub span: Span,
}

/// First contents of a global variable.
#[derive(Clone, Debug)]
pub enum GlobalInit {
    /// Zeros that count as uninitialised.
    None,
    /// Zeros that count as initialised.
    Zero,
    /// These bytes; as many as the variable has.
    Bytes(Arc<[u8]>),
}

/// A source variable of a function, for the debugger and for findings.
#[derive(Clone, Debug)]
pub struct DebugVar {
    /// Name, lower case.
    pub name: Arc<str>,
    /// Type of an element.
    pub ty: DebugTypeId,
    /// Shape.
    pub shape: VarShape,
    /// Where it is.
    pub loc: VarLoc,
    /// The length parameters of its objects, which do not hold them.
    pub lengths: VarLengths,
    /// Number of the variable in the checked program, so that an expression of the debugger finds it.
    pub source_id: u32,
    /// Whether it is a dummy argument.
    pub is_dummy: bool,
    /// The call whose function declares it.
    pub inlined: InlineId,
    /// Its declaration.
    pub span: Span,
}

/// Where a variable is while its function runs.
#[derive(Clone, Debug)]
pub enum VarLoc {
    /// A scalar in a register.
    Reg(Reg),
    /// A complex scalar in two registers: real part, imaginary part.
    Complex(Reg, Reg),
    /// In memory at this base.
    Memory(AddrBase),
    /// In memory at the address in a register (a dummy by reference).
    At(Reg),
    /// Described by the descriptor in memory at this base (allocatables, pointers).
    Descriptor(AddrBase),
    /// Described by the descriptor at the address in a register.
    DescriptorAt(Reg),
    /// A constant of the checked program; it has no place.
    Constant,
}

/// The shape of a variable; bounds are values in the frame or constants, all `i64`.
#[derive(Clone, Debug)]
pub enum VarShape {
    /// A scalar.
    Scalar,
    /// An array: lower bound, extent, stride in bytes per dimension; an assumed-size array's last extent is `None`.
    Array(Vec<(Val, Option<Val>, Val)>),
    /// An array of that rank whose bounds are in its descriptor.
    Described(u32),
}

/// Where the length parameters of a variable are; all `i64`.
#[derive(Clone, Debug)]
pub enum VarLengths {
    /// Values in the frame or constants; none for most variables.
    Values(Vec<Val>),
    /// One after another in memory at this base.
    Memory(AddrBase),
    /// The same at the address in a register.
    At(Reg),
}

impl Default for VarLengths {
    fn default() -> VarLengths {
        VarLengths::Values(Vec::new())
    }
}

/// A source type.
#[derive(Clone, Debug)]
pub struct DebugType {
    /// Name as Fortran says it: `real(8)`, `type(dim3)`.
    pub name: Arc<str>,
    /// Size in bytes; of a character with a length known only at run time, 0.
    pub bytes: u64,
    /// What it is.
    pub kind: DebugTypeKind,
}

/// The forms of a source type.
#[derive(Clone, Debug)]
pub enum DebugTypeKind {
    /// `integer(k)`
    Integer,
    /// `real(k)`
    Real,
    /// `complex(k)`
    Complex,
    /// `logical(k)`
    Logical,
    /// `character(len)`; the length where it is constant, or the register that has it.
    Character(Option<Val>),
    /// A derived type.
    Derived(Vec<DebugField>),
}

/// A component of a derived type.
#[derive(Clone, Debug)]
pub struct DebugField {
    /// Name.
    pub name: Arc<str>,
    /// Type of an element.
    pub ty: DebugTypeId,
    /// Byte offset in the object.
    pub offset: u64,
    /// Bounds: lower bound and extent per dimension, empty for a scalar.
    pub bounds: Vec<(i64, i64)>,
    /// Rank of the descriptor stored there, for allocatable and pointer components.
    pub described: Option<u32>,
}

impl Module {
    /// The function of that id.
    pub fn func(&self, id: FuncId) -> &Function {
        &self.funcs[id.index()]
    }

    /// The global of that id.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// The function of that name.
    pub fn find(&self, name: &str) -> Option<FuncId> {
        self.funcs.iter().position(|f| &*f.name == name).map(|i| FuncId(i as u32))
    }
}

/// The name of a function without the number that tells clones apart.
pub fn unnumbered(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((head, tail)) if !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit()) => head,
        _ => name,
    }
}

/// The name of the procedure alone that a function was made from, as findings and the debugger say it.
pub fn short_name(name: &str) -> &str {
    let name = unnumbered(name);
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

impl Function {
    /// The name of its procedure alone.
    pub fn short_name(&self) -> &str {
        short_name(&self.name)
    }

    /// A function without blocks.
    pub fn new(name: impl Into<Arc<str>>, kind: FuncKind, span: Span) -> Function {
        Function {
            name: name.into(),
            kind,
            params: Vec::new(),
            results: Vec::new(),
            regs: Vec::new(),
            blocks: Vec::new(),
            locals: Vec::new(),
            shared: Vec::new(),
            vars: Vec::new(),
            inlined: Vec::new(),
            max_threads: None,
            cluster: None,
            cooperative: false,
            span,
        }
    }

    /// The registers that the places and shapes of source variables name, ascending: what a debugger reads.
    pub fn var_regs(&self) -> Vec<Reg> {
        let mut regs = Vec::new();
        for var in &self.vars {
            var.each_reg(|r| regs.push(r));
        }
        regs.sort_unstable();
        regs.dedup();
        regs
    }

    /// Whether a register may be assigned more than once; the others are temporaries.
    pub fn is_mutable(&self, reg: Reg) -> bool {
        self.regs.get(reg.index()).is_some_and(|r| r.mutable || r.var.is_some())
    }

    /// Type of a register.
    pub fn ty(&self, reg: Reg) -> Ty {
        self.regs[reg.index()].ty
    }

    /// The calls in whose place code stands that is part of `at`, the innermost first.
    pub fn inlined(&self, mut at: InlineId) -> impl Iterator<Item = &Inlined> {
        std::iter::from_fn(move || {
            let inlined = self.inlined.get(at.index())?;
            at = inlined.outer;
            Some(inlined)
        })
    }

    /// The block of that id.
    pub fn block(&self, bb: Bb) -> &BlockData {
        &self.blocks[bb.index()]
    }
}

impl DebugVar {
    /// Calls `f` with each register that the place, the shape and the lengths name.
    pub fn each_reg(&self, mut f: impl FnMut(Reg)) {
        self.clone().each_reg_mut(|r| f(*r));
    }

    /// Calls `f` with each register that the place, the shape and the lengths name, to change it.
    pub fn each_reg_mut(&mut self, mut f: impl FnMut(&mut Reg)) {
        match &mut self.loc {
            VarLoc::Reg(r) | VarLoc::At(r) | VarLoc::DescriptorAt(r) => f(r),
            VarLoc::Complex(re, im) => {
                f(re);
                f(im);
            }
            VarLoc::Memory(_) | VarLoc::Descriptor(_) | VarLoc::Constant => {}
        }
        if let VarShape::Array(dims) = &mut self.shape {
            for (lower, extent, stride) in dims {
                for val in [Some(lower), extent.as_mut(), Some(stride)].into_iter().flatten() {
                    if let Val::Reg(r) = val {
                        f(r);
                    }
                }
            }
        }
        match &mut self.lengths {
            VarLengths::Values(values) => {
                for val in values {
                    if let Val::Reg(r) = val {
                        f(r);
                    }
                }
            }
            VarLengths::At(r) => f(r),
            VarLengths::Memory(_) => {}
        }
    }
}

impl Term {
    /// The blocks that may come next, in order.
    pub fn successors(&self) -> Vec<Bb> {
        match self {
            Term::Jump(bb) => vec![*bb],
            Term::Branch { then_bb, else_bb, .. } => vec![*then_bb, *else_bb],
            Term::Switch { arms, default, .. } => arms.iter().map(|&(_, bb)| bb).chain([*default]).collect(),
            Term::Return(_) | Term::Exit | Term::Trap(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_have_the_name_of_their_procedure() {
        assert_eq!(short_name("m.saxpy.2"), "saxpy");
        assert_eq!(short_name("main"), "main");
        assert_eq!(unnumbered("m.saxpy"), "m.saxpy");
    }
}
