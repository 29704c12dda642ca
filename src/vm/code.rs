//! Compact code: flat operations over slots.
//!
//! A frame has three files of slots: predicates (one bit a lane), 32-bit values and 64-bit values; integers narrower than
//! 32 bits live zero-extended in 32-bit slots. Constants are slots that are filled when a frame is made. In device code a
//! register that is the same in all lanes that hold it together ([`ir::analysis::uniform`]) has a scalar besides; the first
//! slots of the files of 32 and 64 bits are those of such registers, so that slot and scalar number say each other.
//!
//! The operations of a function exist more than once with the same numbering. [`Code::ops`] takes every register as a row of
//! lanes and is always right. A [`Way`] computes uniform registers once, as scalars; it is run as long as the lanes of the
//! warp have met where the analysis says that they meet (see `fragment`). Which registers are uniform depends on the block:
//! where its rows are whole warps, `tid.y` and `tid.z` are the same for a warp. An operation that only serves one of them is [`Op::Nop`]
//! in the others.
//!
//! Addresses are sums ([`Form`]): a constant, uniform registers times constants, and at most one part that differs by lane.
//! How the lanes differ is worked out once, where the registers behind it are assigned ([`Op::Spread`], `spread`), not at
//! each access; instructions that only served the address are left out.

pub(crate) use crate::operands::{
    AtomicOp, CallOp, Form, Index, LaunchOp, MemOp, R2, R3, R4, R5, RtOp, SpreadCode, SwitchOp, Term, Width,
};
use crate::rounds::Rounds;
use crate::tight::Tight;
use ir::op::{BarOp, BinOp, CmpOp, CvtOp, ShflOp, Special, TriOp, UnOp, VoteOp};
use ir::{Bb, FuncId, Scope, Trap, Ty};
use source::Span;
use std::sync::Arc;

/// A slot number within its file, or the number of a scalar.
pub(crate) type Slot = u32;

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The module it was compiled from.
    pub(crate) module: Arc<ir::Module>,
    /// Code, by [`FuncId`].
    pub(crate) code: Vec<Code>,
    /// Address of each global variable.
    pub(crate) globals: Vec<u64>,
    /// The instruction set that its warps are run with.
    pub(crate) set: crate::InstructionSet,
    /// Whether every register has what the source says in every lane, also where the program has no more use for it, as a
    /// debugger wants it. It costs time.
    pub(crate) exact: bool,
}

/// The code of one function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    /// Operations that take every register as a row of lanes.
    pub(crate) ops: Vec<Op>,
    /// Source place of each operation.
    pub(crate) spans: Vec<Span>,
    /// The instruction of the IR that each operation is, by block and index; none for those that only serve the executor.
    pub(crate) insts: Vec<Option<(Bb, usize)>>,
    /// The operation of each load, store and atomic of the function, in the order of its blocks.
    pub(crate) accesses: Vec<u32>,
    /// The size of virtual registers and constants in words of 32 bits, predicates not counted.
    pub(crate) register_words: u32,
    /// Slots of each file: predicates, 32 bits, 64 bits.
    pub(crate) files: [u32; 3],
    /// The same with uniform registers as scalars. The first is right for every block; a second one, where there is one,
    /// for blocks whose rows are whole warps. Those of host code have no operations.
    pub(crate) ways: Vec<Way>,
    /// Scalars that are constants; they follow those of the uniform registers, of which the last way has most.
    pub(crate) scalars: Vec<u64>,
    /// Where each register of the IR lives. Registers that no operation needs have a slot that means nothing.
    pub(crate) slots: Vec<(Ty, Slot)>,
    /// Constants: 32-bit slots.
    pub(crate) consts32: Vec<(Slot, u32)>,
    /// Constants: 64-bit slots.
    pub(crate) consts64: Vec<(Slot, u64)>,
    /// Constants: predicates.
    pub(crate) constsp: Vec<(Slot, bool)>,
    /// Parameters in order.
    pub(crate) params: Vec<(Ty, Slot)>,
    /// Which parameters are needed as rows though they have a scalar.
    pub(crate) row_params: Vec<bool>,
    /// Where in local memory the copy of a parameter of so many bytes lies, by position.
    pub(crate) param_offsets: Vec<Option<u64>>,
    /// Slots that the program or a debugger may read before they are assigned; a frame that begins has zeros there.
    pub(crate) unset: Vec<(Ty, Slot)>,
    /// Bytes of local memory of a frame.
    pub(crate) local_bytes: u64,
    /// Offset of each local slot.
    pub(crate) local_offsets: Vec<u64>,
    /// Offset of each shared variable from the beginning of the block's shared memory; `None` for dynamic ones.
    pub(crate) shared_offsets: Vec<Option<u64>>,
    /// Bytes of static shared memory that the function and all that it calls need.
    pub(crate) shared_bytes: u64,
    /// Loops of host code that may be run many rounds at a time.
    pub(crate) rounds: Vec<Rounds>,
}

/// What depends on which registers are uniform.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    /// Operations, numbered as [`Code::ops`].
    pub(crate) ops: Vec<Op>,
    /// How many of the 32-bit and of the 64-bit slots, from the first, have a scalar.
    pub(crate) uniforms: [u32; 2],
    /// Sums that are addresses.
    pub(crate) forms: Vec<Form>,
    /// Parts of addresses that differ by lane.
    pub(crate) spreads: Vec<SpreadCode>,
    /// Loops that write nothing, by the number of their [`Op::Tight`]; `None` where this way has an operation that is not one
    /// of theirs.
    pub(crate) tight: Vec<Option<Tight>>,
}

impl Code {
    /// The number of the way for blocks of these extents.
    #[inline(always)]
    pub(crate) fn way(&self, block: [u32; 3]) -> usize {
        usize::from(self.ways.len() > 1 && (block[0].is_multiple_of(32) || block[1] == 1 && block[2] == 1))
    }
}

/// A place in code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Site {
    /// The function.
    pub func: FuncId,
    /// The operation.
    pub pc: u32,
}

impl Op {
    /// The load that it is, of a word for each lane.
    pub(crate) fn load(&self) -> Option<&MemOp> {
        match self {
            Op::LoadG32(m)
            | Op::LoadG64(m)
            | Op::LoadS32(m)
            | Op::LoadS64(m)
            | Op::LoadL32(m)
            | Op::LoadL64(m)
            | Op::Load(m) => Some(m),
            _ => None,
        }
    }

    /// The store that it is.
    pub(crate) fn store(&self) -> Option<&MemOp> {
        match self {
            Op::StoreG32(m)
            | Op::StoreG64(m)
            | Op::StoreS32(m)
            | Op::StoreS64(m)
            | Op::StoreL32(m)
            | Op::StoreL64(m)
            | Op::Store(m) => Some(m),
            _ => None,
        }
    }
}

/// One operation.
///
/// Names end with the type of the operands. Operations that begin with `U` compute scalars.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub(crate) enum Op {
    MovP(R2),
    NotP(R2),
    AndP(R3),
    OrP(R3),
    XorP(R3),
    SelP(R4),
    Mov32(R2),
    AddI32(R3),
    SubI32(R3),
    MulI32(R3),
    And32(R3),
    Or32(R3),
    Xor32(R3),
    MinI32(R3),
    MaxI32(R3),
    Shl32(R3),
    ShrU32(R3),
    ShrS32(R3),
    DivI32(R3),
    RemI32(R3),
    AddF32(R3),
    SubF32(R3),
    MulF32(R3),
    DivF32(R3),
    MinF32(R3),
    MaxF32(R3),
    NegF32(R2),
    AbsF32(R2),
    SqrtF32(R2),
    FmaF32(R4),
    MadI32(R4),
    Sel32(R4),
    Mov64(R2),
    AddI64(R3),
    SubI64(R3),
    MulI64(R3),
    And64(R3),
    Or64(R3),
    Xor64(R3),
    MinI64(R3),
    MaxI64(R3),
    Shl64(R3),
    ShrU64(R3),
    ShrS64(R3),
    DivI64(R3),
    RemI64(R3),
    AddF64(R3),
    SubF64(R3),
    MulF64(R3),
    DivF64(R3),
    MinF64(R3),
    MaxF64(R3),
    NegF64(R2),
    AbsF64(R2),
    SqrtF64(R2),
    FmaF64(R4),
    MadI64(R4),
    Sel64(R4),
    EqI32(R3),
    NeI32(R3),
    LtI32(R3),
    LeI32(R3),
    GtI32(R3),
    GeI32(R3),
    LtU32(R3),
    GeU32(R3),
    EqF32(R3),
    NeF32(R3),
    LtF32(R3),
    LeF32(R3),
    GtF32(R3),
    GeF32(R3),
    EqI64(R3),
    NeI64(R3),
    LtI64(R3),
    LeI64(R3),
    GtI64(R3),
    GeI64(R3),
    LtU64(R3),
    GeU64(R3),
    EqF64(R3),
    NeF64(R3),
    LtF64(R3),
    LeF64(R3),
    GtF64(R3),
    GeF64(R3),
    I32ToI64(R2),
    I64ToI32(R2),
    I32ToF32(R2),
    I32ToF64(R2),
    F32ToF64(R2),
    F64ToF32(R2),
    F32ToI32(R2),
    F64ToI32(R2),
    I64ToF64(R2),
    /// Anything else, lane by lane through the evaluator.
    EvalUn {
        op: UnOp,
        ty: Ty,
        r: R2,
    },
    EvalBin {
        op: BinOp,
        ty: Ty,
        r: R3,
    },
    EvalTri {
        op: TriOp,
        ty: Ty,
        r: R4,
    },
    EvalCvt {
        op: CvtOp,
        from: Ty,
        to: Ty,
        r: R2,
    },
    EvalCmp {
        op: CmpOp,
        ty: Ty,
        r: R3,
    },
    /// Scalars, canonical words of their type.
    UMov(R2),
    UAddI32(R3),
    USubI32(R3),
    UMulI32(R3),
    UAddI64(R3),
    USubI64(R3),
    UMulI64(R3),
    UMinI64(R3),
    UMaxI64(R3),
    UShlI32(R3),
    UShlI64(R3),
    UI32ToI64(R2),
    UEvalUn {
        op: UnOp,
        ty: Ty,
        r: R2,
    },
    UEvalBin {
        op: BinOp,
        ty: Ty,
        r: R3,
    },
    UEvalTri {
        op: TriOp,
        ty: Ty,
        r: R4,
    },
    UEvalCvt {
        op: CvtOp,
        from: Ty,
        to: Ty,
        r: R2,
    },
    /// The result is a predicate.
    UEvalCmp {
        op: CmpOp,
        ty: Ty,
        r: R3,
    },
    /// The same for integers, of 64 bits if `wide`, else of 32.
    UCmp {
        op: CmpOp,
        wide: bool,
        r: R3,
    },
    /// The same, and the branch that follows.
    UCmpBranch {
        op: CmpOp,
        wide: bool,
        r: R3,
    },
    /// The same, and what follows: a sum of scalars, a back edge and the branch.
    UCmpLoop {
        op: CmpOp,
        wide: bool,
        r: R3,
    },
    /// `c` is a predicate.
    USel(R4),
    USpecial {
        reg: Special,
        d: Slot,
    },
    UDynamicShared {
        d: Slot,
    },
    /// The scalar takes what its slot has in the first lane.
    Take {
        ty: Ty,
        d: Slot,
        a: Slot,
    },
    /// The slot takes its scalar in all lanes.
    Splat32(R2),
    Splat64(R2),
    /// Works out how the lanes of an address differ.
    Spread {
        spread: u32,
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
    /// A load of four or eight bytes of global (host, constant), shared or local memory.
    LoadG32(MemOp),
    LoadG64(MemOp),
    LoadS32(MemOp),
    LoadS64(MemOp),
    LoadL32(MemOp),
    LoadL64(MemOp),
    /// Any other load.
    Load(MemOp),
    /// A load of one word for all lanes.
    ULoad(MemOp),
    StoreG32(MemOp),
    StoreG64(MemOp),
    StoreS32(MemOp),
    StoreS64(MemOp),
    StoreL32(MemOp),
    StoreL64(MemOp),
    /// Any other store.
    Store(MemOp),
    Atomic(Box<AtomicOp>),
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
    Call(Box<CallOp>),
    Rt(Box<RtOp>),
    Launch(Box<LaunchOp>),
    /// Rounds of a host loop may be run many at a time; nothing in device code.
    Rounds {
        number: u32,
    },
    /// The head of a loop of device code that writes nothing.
    Tight {
        number: u32,
    },
    Stmt,
    BackEdge,
    /// A back edge and the jump that follows.
    BackJump {
        to: u32,
    },
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
    Switch(Box<SwitchOp>),
    Return(Box<[(Ty, Slot)]>),
    Exit,
    Trap(Trap),
    Nop,
    // Those that follow are only in loops that are run as a whole; see `tight`.
    /// `d = a & b == 0`
    NoBits32(R3),
    NoBits64(R3),
    /// `d = a` where `x & y == 0`, else `b`.
    ChooseNoBits32(R5),
    ChooseNoBits64(R5),
    /// A shift of all lanes by as many bits, fewer than the width.
    ShlBy32(R2, u32),
    ShrUBy32(R2, u32),
    ShrSBy32(R2, u32),
    ShlBy64(R2, u32),
    ShrUBy64(R2, u32),
    ShrSBy64(R2, u32),
    /// The load of that number in the loop: of words or of longs, of shared memory or of another.
    LoadRow {
        number: u32,
        wide: bool,
        shared: bool,
    },
    /// The load of that number, one word for all lanes.
    LoadWord {
        number: u32,
    },
    /// Compares scalars for the next [`Op::LeaveTested`].
    Test {
        op: CmpOp,
        wide: bool,
        r: R3,
    },
    /// All lanes leave if the last test came out as it says.
    LeaveTested {
        holds: bool,
    },
    /// Lanes leave for which the predicate is as it says.
    Leave {
        p: Slot,
        holds: bool,
    },
    /// Lanes leave for which the comparison, of 64 bits if `wide`, else of 32, comes out as it says.
    LeaveInts {
        op: CmpOp,
        wide: bool,
        a: Slot,
        b: Slot,
        holds: bool,
    },
}

/// The join of a branch whose lanes never meet in this function.
pub(crate) const NO_JOIN: u32 = u32::MAX;
