//! Instructions and terminators: about twenty formats, whose operations are rows of [`crate::op`] and [`crate::rt`].

use crate::op::{AtomOp, BarOp, BinOp, CmpOp, CvtOp, ShflOp, Special, TriOp, UnOp, VoteOp};
use crate::rt::Rt;
use crate::{Bb, FuncId, GlobalId, InlineId, LocalId, Reg, SharedId};
use scalar::Ty;
use source::Span;

/// An operand: a register or the bits of a constant. The instruction says the type; a constant is zero-extended from its
/// width to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Val {
    /// The value of a register.
    Reg(Reg),
    /// A constant.
    Imm(u64),
}

impl From<Reg> for Val {
    fn from(reg: Reg) -> Val {
        Val::Reg(reg)
    }
}

impl Val {
    /// The constant 32-bit integer `value`.
    pub fn i32(value: i32) -> Val {
        Val::Imm(u64::from(value as u32))
    }

    /// The constant 64-bit integer `value`.
    pub fn i64(value: i64) -> Val {
        Val::Imm(value as u64)
    }

    /// The constant real(4) `value`.
    pub fn f32(value: f32) -> Val {
        Val::Imm(u64::from(value.to_bits()))
    }

    /// The constant real(8) `value`.
    pub fn f64(value: f64) -> Val {
        Val::Imm(value.to_bits())
    }

    /// The constant predicate `value`.
    pub fn pred(value: bool) -> Val {
        Val::Imm(u64::from(value))
    }
}

/// Address space of a memory operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Space {
    /// Memory that the host may touch: host, pinned, managed. Host code only.
    Host,
    /// Device memory that all threads see (also managed and mapped memory).
    Global,
    /// Memory of the block.
    Shared,
    /// Memory of the thread.
    Local,
    /// Constant memory, read-only in kernels.
    Const,
    /// Any device space; the address decides.
    Generic,
}

/// How a load or store touches memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Access {
    /// A weak access.
    #[default]
    Plain,
    /// VOLATILE: strong at system scope, never merged.
    Volatile,
}

/// Scope of an atomic or a fence (PTX ISA 8.5).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Scope {
    /// The thread block.
    Block,
    /// The device.
    #[default]
    Device,
    /// Everything, the host included.
    System,
}

/// What an [`InstKind::Addr`] takes the address of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddrBase {
    /// A slot of local memory.
    Local(LocalId),
    /// A shared variable.
    Shared(SharedId),
    /// A global variable.
    Global(GlobalId),
}

/// The configuration of a kernel launch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LaunchConfig {
    /// Grid extents, `i32`; all −1 for `*`.
    pub grid: [Val; 3],
    /// Block extents, `i32`.
    pub block: [Val; 3],
    /// Bytes of dynamic shared memory, `i64`.
    pub bytes: Val,
    /// The stream, `i64`.
    pub stream: Val,
}

impl LaunchConfig {
    /// As the stream: the stream set for the first array argument that has one, else the default stream.
    pub const STREAM_OF_ARRAYS: i64 = -1;
}

/// An instruction with its place in the source.
#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    /// What it does.
    pub kind: InstKind,
    /// The expression or statement that it came from.
    pub span: Span,
    /// The call in whose place it stands.
    pub inlined: InlineId,
}

impl Inst {
    /// An instruction of the function itself.
    pub fn new(kind: InstKind, span: Span) -> Inst {
        Inst { kind, span, inlined: InlineId::NONE }
    }
}

/// The formats of an instruction.
// The parts of a format are named by its own line; a sentence on each would say the name again.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Debug)]
pub enum InstKind {
    /// `dst = op a`
    Un { op: UnOp, ty: Ty, dst: Reg, a: Val },
    /// `dst = op a, b`
    Bin { op: BinOp, ty: Ty, dst: Reg, a: Val, b: Val },
    /// `dst = op a, b, c`
    Tri { op: TriOp, ty: Ty, dst: Reg, a: Val, b: Val, c: Val },
    /// `dst = a op b`; `dst` is a predicate, `ty` the operands' type.
    Cmp { op: CmpOp, ty: Ty, dst: Reg, a: Val, b: Val },
    /// `dst = cond ? a : b`
    Select { ty: Ty, dst: Reg, cond: Val, a: Val, b: Val },
    /// `dst = convert a`
    Cvt { op: CvtOp, from: Ty, to: Ty, dst: Reg, a: Val },
    /// `dst = address of base`, an `i64`.
    Addr { dst: Reg, base: AddrBase },
    /// `dst = [addr + offset]`; a schedule point.
    Load { ty: Ty, space: Space, access: Access, dst: Reg, addr: Val, offset: i64 },
    /// `[addr + offset] = value`; a schedule point.
    Store { ty: Ty, space: Space, access: Access, addr: Val, offset: i64, value: Val },
    /// `dst = old [addr + offset]`, which `op` replaces; `b` is CAS's new value. A schedule point.
    ///
    /// `used` says whether the program depends on the old value. It is decided once, before any optimisation, and every
    /// consumer asks it: an atomic whose old value is not used is a reduction (`red`), which acquires nothing and may be
    /// done later. A reduction may still have a `dst`, for a debugger that shows the variable.
    Atomic {
        op: AtomOp,
        ty: Ty,
        space: Space,
        scope: Scope,
        dst: Option<Reg>,
        used: bool,
        addr: Val,
        offset: i64,
        a: Val,
        b: Option<Val>,
    },
    /// THREADFENCE and kin; a schedule point.
    Fence { scope: Scope },
    /// SYNCTHREADS and kin; `a` is a predicate, `dst` a predicate (`and`, `or`) or an `i32` (`count`). A schedule point.
    Barrier { op: BarOp, dst: Option<Reg>, a: Option<Val> },
    /// SYNCWARP; a schedule point.
    SyncWarp { mask: Val },
    /// A vote of the lanes in `mask` (absent: of all lanes that have not exited); a schedule point.
    Vote { op: VoteOp, ty: Ty, dst: Reg, mask: Option<Val>, a: Val },
    /// A shuffle among all lanes that have not exited; `lane` counts from 0, `width` is 1 to 32. A schedule point.
    Shuffle { op: ShflOp, ty: Ty, dst: Reg, a: Val, lane: Val, width: Val },
    /// `dst = special register`
    Special { reg: Special, dst: Reg },
    /// Calls a function of the module.
    Call { func: FuncId, args: Vec<Val>, results: Vec<Reg> },
    /// Calls a service of the run time: input and output, allocation, the CUDA API …
    Rt { rt: Rt, args: Vec<Val>, results: Vec<Reg> },
    /// Launches a kernel; in device code each lane launches one.
    Launch { func: FuncId, config: LaunchConfig, args: Vec<Val> },
    /// A source statement begins here; the debugger stops at these.
    Stmt,
    /// The loop is about to begin another iteration; a schedule point.
    BackEdge,
    /// A slot of local memory is as it is when a function begins, all zero. No access, and no schedule point.
    Clear { local: LocalId },
}

/// How a basic block ends.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// Goes on at a block.
    Jump(Bb),
    /// Goes on at one of two blocks by a predicate.
    Branch { cond: Val, then_bb: Bb, else_bb: Bb },
    /// Goes on at the block of an equal value (`i64` compare after sign extension of `ty`), or at the default.
    Switch { ty: Ty, value: Val, arms: Vec<(i64, Bb)>, default: Bb },
    /// Returns from the function.
    Return(Vec<Val>),
    /// Ends the thread (device code: STOP, the end of a kernel is a Return).
    Exit,
    /// Ends the run with an error.
    Trap(Trap),
}

/// Errors that compiled code raises on its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    /// A DO loop's step is zero.
    ZeroStep,
    /// An integer is divided by zero, in host code.
    ZeroDivisor,
    /// Control came to code that a constant condition ruled out.
    Unreachable,
    /// A feature that this version refuses was reached; the span says which and the message was given at compile time.
    Unsupported,
}
