//! Compact code: flat operations over slots.
//!
//! A frame has three files of slots: predicates (one bit a lane), 32-bit values and 64-bit values; integers narrower than
//! 32 bits live zero-extended in 32-bit slots. Constants are slots that are filled when a frame is made.

use ir::op::{AtomOp, BarOp, BinOp, CvtOp, ShflOp, Special, TriOp, UnOp, VoteOp};
use ir::rt::Rt;
use ir::{Access, FuncId, Scope, Space, Trap, Ty};
use source::Span;
use std::sync::Arc;

/// A slot number within its file.
pub(crate) type Slot = u32;

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The module it was compiled from.
    pub module: Arc<ir::Module>,
    /// Code, by [`FuncId`].
    pub code: Vec<Code>,
    /// Address of each global variable.
    pub globals: Vec<u64>,
}

/// The code of one function.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Operations.
    pub ops: Vec<Op>,
    /// Source place of each operation.
    pub spans: Vec<Span>,
    /// Slots of each file: predicates, 32 bits, 64 bits.
    pub files: [u32; 3],
    /// Where each register of the IR lives.
    pub slots: Vec<(Ty, Slot)>,
    /// Constants: 32-bit slots.
    pub consts32: Vec<(Slot, u32)>,
    /// Constants: 64-bit slots.
    pub consts64: Vec<(Slot, u64)>,
    /// Constants: predicates.
    pub constsp: Vec<(Slot, bool)>,
    /// Parameters in order.
    pub params: Vec<(Ty, Slot)>,
    /// Where in local memory the copy of a parameter of so many bytes lies, by position.
    pub param_offsets: Vec<Option<u64>>,
    /// Bytes of local memory of a frame.
    pub local_bytes: u64,
    /// Offset of each local slot.
    pub local_offsets: Vec<u64>,
    /// Offset of each shared variable from the beginning of the block's shared memory; `None` for dynamic ones.
    pub shared_offsets: Vec<Option<u64>>,
    /// Bytes of static shared memory that the function and all that it calls need.
    pub shared_bytes: u64,
}

/// A place in code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Site {
    /// The function.
    pub func: FuncId,
    /// The operation.
    pub pc: u32,
}

impl Program {
    /// The source place of a site.
    pub fn span(&self, site: Site) -> Span {
        self.code[site.func.index()].spans.get(site.pc as usize).copied().unwrap_or(Span::NONE)
    }
}

/// Width of a memory word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// One byte, in a 32-bit slot.
    W8,
    /// Two bytes, in a 32-bit slot.
    W16,
    /// Four bytes.
    W32,
    /// Eight bytes.
    W64,
}

impl Width {
    /// Size in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Width::W8 => 1,
            Width::W16 => 2,
            Width::W32 => 4,
            Width::W64 => 8,
        }
    }

    pub(crate) fn of(ty: Ty) -> Width {
        match ty.bytes() {
            1 => Width::W8,
            2 => Width::W16,
            4 => Width::W32,
            _ => Width::W64,
        }
    }
}

/// Operations on two 32-bit or two 64-bit values that have a form of their own; the others go through the evaluator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fast {
    AddI,
    SubI,
    MulI,
    And,
    Or,
    Xor,
    MinI,
    MaxI,
    Shl,
    ShrU,
    ShrS,
    DivI,
    RemI,
    AddF,
    SubF,
    MulF,
    DivF,
    MinF,
    MaxF,
}

/// Comparisons of 32-bit or 64-bit values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FastCmp {
    EqI,
    NeI,
    LtI,
    LeI,
    GtI,
    GeI,
    LtU,
    GeU,
    EqF,
    NeF,
    LtF,
    LeF,
    GtF,
    GeF,
}

/// Conversions that have a form of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FastCvt {
    I32ToI64,
    I64ToI32,
    I32ToF32,
    I32ToF64,
    F32ToF64,
    F64ToF32,
    F32ToI32,
    F64ToI32,
    I64ToF64,
}

/// One operation.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // The fields are slots: `d` the result, `a`, `b`, `c` operands, `p` a predicate.
pub enum Op {
    /// Copies.
    MovP {
        d: Slot,
        a: Slot,
    },
    Mov32 {
        d: Slot,
        a: Slot,
    },
    Mov64 {
        d: Slot,
        a: Slot,
    },
    /// Predicate logic.
    NotP {
        d: Slot,
        a: Slot,
    },
    AndP {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    OrP {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    XorP {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// Arithmetic.
    Bin32 {
        op: Fast,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Bin64 {
        op: Fast,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    FmaF32 {
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    FmaF64 {
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    MadI32 {
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    MadI64 {
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    NegF32 {
        d: Slot,
        a: Slot,
    },
    NegF64 {
        d: Slot,
        a: Slot,
    },
    SqrtF32 {
        d: Slot,
        a: Slot,
    },
    SqrtF64 {
        d: Slot,
        a: Slot,
    },
    /// Anything else, lane by lane through the evaluator.
    EvalUn {
        op: UnOp,
        ty: Ty,
        d: Slot,
        a: Slot,
    },
    EvalBin {
        op: BinOp,
        ty: Ty,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    EvalTri {
        op: TriOp,
        ty: Ty,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    EvalCvt {
        op: CvtOp,
        from: Ty,
        to: Ty,
        d: Slot,
        a: Slot,
    },
    EvalCmp {
        op: ir::op::CmpOp,
        ty: Ty,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Cvt {
        op: FastCvt,
        d: Slot,
        a: Slot,
    },
    Cmp32 {
        op: FastCmp,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Cmp64 {
        op: FastCmp,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    SelP {
        d: Slot,
        p: Slot,
        a: Slot,
        b: Slot,
    },
    Sel32 {
        d: Slot,
        p: Slot,
        a: Slot,
        b: Slot,
    },
    Sel64 {
        d: Slot,
        p: Slot,
        a: Slot,
        b: Slot,
    },
    /// Address of a piece of the frame's local memory.
    LocalAddr {
        d: Slot,
        offset: u64,
    },
    /// Address of dynamic shared memory.
    DynamicShared {
        d: Slot,
    },
    Special {
        reg: Special,
        d: Slot,
    },
    Load {
        width: Width,
        space: Space,
        access: Access,
        d: Slot,
        addr: Slot,
        offset: i64,
    },
    Store {
        width: Width,
        space: Space,
        access: Access,
        addr: Slot,
        offset: i64,
        value: Slot,
    },
    Atomic {
        op: AtomOp,
        ty: Ty,
        space: Space,
        scope: Scope,
        d: Option<Slot>,
        addr: Slot,
        offset: i64,
        a: Slot,
        b: Option<Slot>,
    },
    Fence {
        scope: Scope,
    },
    Barrier {
        op: BarOp,
        d: Option<Slot>,
        a: Option<Slot>,
    },
    SyncWarp {
        mask: Slot,
    },
    Vote {
        op: VoteOp,
        ty: Ty,
        d: Slot,
        mask: Option<Slot>,
        a: Slot,
    },
    Shuffle {
        op: ShflOp,
        ty: Ty,
        d: Slot,
        a: Slot,
        lane: Slot,
        width: Slot,
    },
    Call {
        func: FuncId,
        args: Box<[(Ty, Slot)]>,
        results: Box<[(Ty, Slot)]>,
    },
    Rt {
        rt: Rt,
        args: Box<[(Ty, Slot)]>,
        results: Box<[(Ty, Slot)]>,
    },
    Launch(Box<LaunchOp>),
    Stmt,
    BackEdge,
    /// Lanes of a split may meet here.
    Join,
    Jump {
        to: u32,
    },
    Branch {
        p: Slot,
        then_pc: u32,
        else_pc: u32,
        join: u32,
    },
    Switch {
        wide: bool,
        ty: Ty,
        a: Slot,
        arms: Box<[(i64, u32)]>,
        default: u32,
        join: u32,
    },
    Return {
        values: Box<[(Ty, Slot)]>,
    },
    Exit,
    Trap(Trap),
}

/// Operands of a launch.
#[derive(Clone, PartialEq, Debug)]
pub struct LaunchOp {
    /// The kernel.
    pub func: FuncId,
    /// Grid and block extents: 32-bit slots.
    pub extents: [Slot; 6],
    /// Dynamic shared bytes: a 64-bit slot.
    pub bytes: Slot,
    /// The stream: a 64-bit slot.
    pub stream: Slot,
    /// The arguments.
    pub args: Box<[(Ty, Slot)]>,
}

/// The join of a branch whose lanes never meet in this function.
pub(crate) const NO_JOIN: u32 = u32::MAX;
