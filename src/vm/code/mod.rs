//! Compact code: flat operations over slots.
//!
//! A frame has three files of slots: predicates (one bit a lane), 32-bit values and 64-bit values; integers narrower than 32 bits
//! are zero-extended in 32-bit slots. Constants are slots that are filled when a frame is made. In device code a register that is
//! the same in all lanes that hold it together ([`ir::analysis::uniform`]) also has a scalar. Such registers have the first
//! slots of the files of 32 and 64 bits, so that slot and scalar have the same number.
//!
//! The operations of a function exist more than once, with the same numbers. [`Code::ops`] takes every register as a row of lanes
//! and is always right. A [`Variant`] computes uniform registers once, as scalars; it runs as long as the lanes of the warp have
//! met where the analysis expects it (see `warp::split`). Which registers are uniform depends on the block: where its rows are
//! whole warps, `tid.y` and `tid.z` are the same for a warp. An operation that serves only one of them is [`Op::Nop`] in the
//! others.
//!
//! Addresses are sums ([`AddressExpr`]): a constant, uniform registers times constants, and at most one part that differs by lane.
//! That part is computed where its registers are assigned ([`Op::UpdatePattern`]), not at each access; instructions that only
//! served the address are left out.
//!
//! Not here: how code is made (`compile`) and run (`exec`).

#[macro_use]
mod computing;

mod form;
mod instruction_set;
mod native;
mod operands;

use crate::memory::local::{Layout, Part};
pub(crate) use computing::{FileSlot, Operands, RegFile};
pub(crate) use form::form;
pub use instruction_set::InstructionSet;
pub(crate) use instruction_set::Set;
use ir::op::{BarOp, BinOp, CmpOp, CvtOp, ShflOp, Special, TriOp, UnOp, VoteOp};
use ir::{Bb, FuncId, InlineId, Scope, Trap, Ty};
pub use native::Engine;
pub(crate) use native::{BACK_EDGES, HostFunction, Line, NativeCache, NativeFunction, Restored, Told};
pub(crate) use operands::{
    AddressExpr, AtomicOp, CallOp, FAR, Index, LaunchOp, MemOp, PatternCode, R2, R3, R4, RtOp, SwitchOp, Term, Width,
};
use source::Span;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

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
    pub(crate) set: InstructionSet,
    /// Whether every register has what the source says in every lane, also where the program has no more use for it, as a
    /// debugger wants it. It costs time.
    pub(crate) materialise_all: bool,
    /// Whether code is compiled where it can be.
    pub(crate) is_native: bool,
    /// How many sites the compiled loops of the host have; clones share the number.
    pub(crate) sites: Arc<AtomicU32>,
}

/// The code of one function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    /// Operations that take every register as a row of lanes.
    pub(crate) ops: Vec<Op>,
    /// Source place of each operation.
    pub(crate) spans: Vec<Span>,
    /// The call in whose place each operation stands; nothing if none stands in the place of a call.
    pub(crate) inlined: Vec<InlineId>,
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
    pub(crate) variants: Vec<Variant>,
    /// Scalars that are constants; they follow those of the uniform registers, of which the last variant has most.
    pub(crate) scalars: Vec<u64>,
    /// Where each register of the IR lives. Registers that no operation needs have a slot that means nothing.
    pub(crate) slots: Vec<(Ty, Slot)>,
    /// Slots that are read from outside: of device code those that tell where arrays lie, for findings; of code that keeps its
    /// statements those of all variables of the source, for a debugger, which may stop anywhere.
    pub(crate) shown: Vec<(Ty, Slot)>,
    /// Constants: 32-bit slots.
    pub(crate) consts32: Vec<(Slot, u32)>,
    /// Constants: 64-bit slots.
    pub(crate) consts64: Vec<(Slot, u64)>,
    /// Constants: predicates.
    pub(crate) constsp: Vec<(Slot, bool)>,
    /// Parameters in order, and whether each is needed as a row though it has a scalar.
    pub(crate) params: Vec<((Ty, Slot), bool)>,
    /// Where in local memory the copy of a parameter of so many bytes lies, by position.
    pub(crate) param_parts: Vec<Option<Part>>,
    /// Slots that the program or a debugger may read before they are assigned; a frame that begins has zeros there. Whether
    /// each is needed as a row though it has a scalar.
    pub(crate) unset: Vec<((Ty, Slot), bool)>,
    /// Whether it is a kernel whose warps wait for no other: it has no barrier and calls nothing.
    pub(crate) meets_nobody: bool,
    /// Whether it is a kernel whose blocks meet those of their cluster or reach their shared memory.
    pub(crate) unites_cluster: bool,
    /// Whether it is a kernel that launches others.
    pub(crate) launches: bool,
    /// Bytes of local memory of a frame: what the function itself has.
    pub(crate) local_bytes: u64,
    /// Bytes of addresses that a frame takes for it.
    pub(crate) local_span: u64,
    /// Where each local slot is; on the host there are no rows.
    pub(crate) local_parts: Vec<Part>,
    /// Where they all are, in device code.
    pub(crate) local_layout: Arc<Layout>,
    /// Offset of each shared variable from the beginning of the block's shared memory; `None` for dynamic ones.
    pub(crate) shared_offsets: Vec<Option<u64>>,
    /// Bytes of static shared memory that the function and all that it calls need.
    pub(crate) shared_bytes: u64,
    /// Blocks of host code that lie in loops.
    pub(crate) host_blocks: Vec<HostBlock>,
    /// Loops of device code that lanes leave one after another.
    pub(crate) side_exit_loops: Vec<SideExitLoop>,
    /// Its compiled code.
    pub(crate) native: NativeCache,
}

/// A basic block of host code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostBlock {
    /// Its first operation.
    pub(crate) start: u32,
    /// The first operation behind it.
    pub(crate) end: u32,
    /// The number of the outermost loop that it is in, if it is in one.
    pub(crate) nest: Option<u32>,
    /// How many loops it is in.
    pub(crate) depth: u32,
}

/// A loop of device code without branches inside, which lanes leave one after another and wait for each other behind it.
#[derive(Clone, Debug)]
pub(crate) struct SideExitLoop {
    /// The operation where lanes that have left wait.
    pub(crate) exit: u32,
    /// Whether the lanes that leave are those that take a branch.
    pub(crate) takes: bool,
    /// The branches at which they leave.
    pub(crate) branches: Vec<u32>,
}

/// What depends on which registers are uniform.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variant {
    /// Operations, numbered as [`Code::ops`].
    pub(crate) ops: Vec<Op>,
    /// How many of the 32-bit and of the 64-bit slots, from the first, have a scalar.
    pub(crate) uniforms: [u32; 2],
    /// Sums that are addresses.
    pub(crate) address_exprs: Vec<AddressExpr>,
    /// Parts of addresses that differ by lane.
    pub(crate) patterns: Vec<PatternCode>,
}

impl Code {
    /// The number of the variant for blocks of these extents.
    #[inline(always)]
    pub(crate) fn variant(&self, block: [u32; 3]) -> usize {
        usize::from(self.variants.len() > 1 && (block[0].is_multiple_of(32) || block[1] == 1 && block[2] == 1))
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

computing_ops! { op_enum
    /// One operation.
    ///
    /// Names end with the type of the operands. Operations that begin with `U` compute scalars. Those that only compute rows and
    /// scalars stand in the table of `computing`.
    Op {
        Shl32(R3),
        ShrU32(R3),
        ShrS32(R3),
        DivI32(R3),
        RemI32(R3),
        Shl64(R3),
        ShrU64(R3),
        ShrS64(R3),
        DivI64(R3),
        RemI64(R3),
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
        UMinI64(R3),
        UMaxI64(R3),
        UShlI32(R3),
        UShlI64(R3),
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
        /// Works out how the lanes of an address differ.
        UpdatePattern {
            pattern: u32,
        },
        /// Address of a piece of the frame's local memory.
        LocalAddr {
            d: Slot,
            offset: u64,
        },
        /// So many bytes of the frame's local memory are zero, from that byte of its rows on.
        ClearLocal {
            offset: u64,
            bytes: u64,
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
        Stmt,
        BackEdge,
        /// A back edge and the jump that follows.
        BackJump {
            to: u32,
        },
        /// Lanes of a split may meet here.
        Reconverge,
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
    }
}

/// The join of a branch whose lanes never meet in this function.
pub(crate) const NO_RECONVERGENCE: u32 = u32::MAX;
