//! The input of the compiler: segments of straight-line code over the values of a frame.
//!
//! Values are in SSA form within a segment; a value comes before those that use it. Registers of the frame are read as they are
//! when the segment begins ([`Value::Word`] and its like) and written when it ends ([`Segment::outs`]). Loads see memory as it is
//! when the segment begins, for the stores of a segment come last.

use ir::Ty;
use ir::op::{AtomOp, BinOp, CmpOp, CvtOp, TriOp, UnOp};

/// The number of a value in its segment.
pub type ValueId = u32;

/// The number of an access in its segment.
pub type AccessId = u32;

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// One word for all lanes, of 32 bits zero-extended or of 64 bits; 0 or 1 if it is a truth value.
    Scalar,
    /// A truth value for each lane.
    Pred,
    /// A word of 32 bits for each lane; a narrower integer is zero-extended.
    Word,
    /// A word of 64 bits for each lane.
    Long,
}

/// A value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// The scalar of that number.
    Scalar(u32),
    /// A constant scalar.
    Constant(u64),
    /// A word of [`crate::State::geometry`].
    Geometry(u32),
    /// The thread index of lane 0 in that dimension.
    FirstThread(u32),
    /// The predicate of that number in the first lane that runs.
    FirstPred(u32),
    /// The word of a row, of that class and number, in the first lane that runs.
    FirstRow(Class, u32),
    /// Operations on scalars; comparisons give 0 or 1.
    ScalarUn(UnOp, Ty, ValueId),
    /// See [`Value::ScalarUn`].
    ScalarBin(BinOp, Ty, ValueId, ValueId),
    /// See [`Value::ScalarUn`].
    ScalarTri(TriOp, Ty, ValueId, ValueId, ValueId),
    /// See [`Value::ScalarUn`].
    ScalarCmp(CmpOp, Ty, ValueId, ValueId),
    /// See [`Value::ScalarUn`]: operation, from, to.
    ScalarCvt(CvtOp, Ty, Ty, ValueId),
    /// The second operand where the first is not 0, else the third.
    ScalarSelect(ValueId, ValueId, ValueId),
    /// One word for all lanes.
    ScalarLoad(AccessId),
    /// The row of 32 bits of that number.
    Word(u32),
    /// The row of 64 bits of that number.
    Long(u32),
    /// The predicate of that number.
    Pred(u32),
    /// The thread indices of the lanes in that dimension.
    Thread(u32),
    /// A scalar in all lanes, as words or longs; as a predicate if the scalar is a truth value.
    Splat(Class, ValueId),
    /// Operations on rows.
    Un(UnOp, Ty, ValueId),
    /// See [`Value::Un`].
    Bin(BinOp, Ty, ValueId, ValueId),
    /// See [`Value::Un`].
    Tri(TriOp, Ty, ValueId, ValueId, ValueId),
    /// See [`Value::Un`].
    Cmp(CmpOp, Ty, ValueId, ValueId),
    /// See [`Value::Un`]: operation, from, to.
    Cvt(CvtOp, Ty, Ty, ValueId),
    /// The second operand where the first, a predicate, is true, else the third.
    Select(Class, ValueId, ValueId, ValueId),
    /// A word for each lane, of 32 bits or less, or of 64.
    Load(Class, AccessId),
}

impl Value {
    /// What it is.
    pub fn class(&self) -> Class {
        match *self {
            Value::Scalar(_)
            | Value::Constant(_)
            | Value::Geometry(_)
            | Value::FirstThread(_)
            | Value::FirstPred(_)
            | Value::FirstRow(..)
            | Value::ScalarUn(..)
            | Value::ScalarBin(..)
            | Value::ScalarTri(..)
            | Value::ScalarCmp(..)
            | Value::ScalarCvt(..)
            | Value::ScalarSelect(..)
            | Value::ScalarLoad(_) => Class::Scalar,
            Value::Word(_) | Value::Thread(_) => Class::Word,
            Value::Long(_) => Class::Long,
            Value::Pred(_) | Value::Cmp(..) => Class::Pred,
            Value::Splat(class, _) | Value::Select(class, ..) | Value::Load(class, _) => class,
            Value::Un(_, ty, _) | Value::Bin(_, ty, ..) | Value::Tri(_, ty, ..) | Value::Cvt(_, _, ty, _) => {
                class_of(ty)
            }
        }
    }

    /// Calls `see` with each operand.
    pub fn each_operand(&self, mut see: impl FnMut(ValueId)) {
        match *self {
            Value::Scalar(_)
            | Value::Constant(_)
            | Value::Geometry(_)
            | Value::FirstThread(_)
            | Value::FirstPred(_)
            | Value::FirstRow(..)
            | Value::ScalarLoad(_)
            | Value::Word(_)
            | Value::Long(_)
            | Value::Pred(_)
            | Value::Thread(_)
            | Value::Load(..) => {}
            Value::ScalarUn(_, _, a)
            | Value::ScalarCvt(_, _, _, a)
            | Value::Splat(_, a)
            | Value::Un(_, _, a)
            | Value::Cvt(_, _, _, a) => {
                see(a);
            }
            Value::ScalarBin(_, _, a, b)
            | Value::ScalarCmp(_, _, a, b)
            | Value::Bin(_, _, a, b)
            | Value::Cmp(_, _, a, b) => {
                see(a);
                see(b);
            }
            Value::ScalarSelect(a, b, c)
            | Value::ScalarTri(_, _, a, b, c)
            | Value::Tri(_, _, a, b, c)
            | Value::Select(_, a, b, c) => {
                see(a);
                see(b);
                see(c);
            }
        }
    }
}

/// What a row of a type is.
pub(crate) fn class_of(ty: Ty) -> Class {
    match ty {
        Ty::Pred => Class::Pred,
        Ty::I8 | Ty::I16 | Ty::I32 | Ty::F32 => Class::Word,
        Ty::I64 | Ty::F64 => Class::Long,
    }
}

/// How the lanes of a pattern differ, in one word: lanes of a row (8 bits), step and row distance (28 bits each, signed).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct PatternKey(u64);

impl PatternKey {
    /// Of lanes without a rule.
    pub const IRREGULAR: PatternKey = PatternKey(0);

    /// Rows of `lanes` lanes, a power of two up to 32; `step` from lane to lane and `row` from row to row. Irregular if they are
    /// too far apart.
    pub fn new(lanes: u32, step: i64, row: i64) -> PatternKey {
        let fits = |x: i64| (-(1 << 27)..1 << 27).contains(&x);
        if !lanes.is_power_of_two() || lanes > 32 || !fits(step) || !fits(row) {
            return PatternKey::IRREGULAR;
        }
        let field = |x: i64| x as u64 & ((1 << 28) - 1);
        PatternKey(u64::from(lanes) | field(step) << 8 | field(row) << 36)
    }

    /// The word.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Lanes of a row, step from lane to lane and from row to row; `None` without a rule.
    pub fn rule(self) -> Option<(u32, i64, i64)> {
        let lanes = (self.0 & 0xff) as u32;
        let field = |shift: u32| (self.0 << (36 - shift)) as i64 >> 36;
        (lanes != 0).then(|| (lanes, field(8), field(36)))
    }

    /// How far each lane is from lane 0; `None` without a rule.
    pub fn offsets(self) -> Option<[i64; 32]> {
        let (lanes, step, row) = self.rule()?;
        let lanes = lanes as usize;
        Some(std::array::from_fn(|i| (i % lanes) as i64 * step + (i / lanes) as i64 * row))
    }
}

/// A pattern that is worked out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PatternUpdate {
    /// Its number.
    pub pattern: u32,
    /// How its lanes differ as a rule.
    pub key: PatternKey,
    /// The rows that it is the sum of; none if there are too many for code of its own.
    pub rows: [Option<PatternRow>; 2],
}

/// A register of the frame times a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PatternRow {
    /// Words are signed.
    pub class: Class,
    /// The register.
    pub slot: u32,
    /// The constant.
    pub factor: i64,
}

/// A scalar times a constant, as a part of an address.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AddressTerm {
    /// The scalar.
    pub value: ValueId,
    /// Whether it is an integer of 32 bits.
    pub is_narrow: bool,
    /// The constant.
    pub factor: i64,
}

/// The part of an address that differs by lane: a pattern times a constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    /// The number of the pattern; none if lane 0 adds nothing but `base` and `terms`.
    pub pattern: Option<u32>,
    /// How its lanes have to differ; the code is made for it.
    pub key: PatternKey,
    /// What it is multiplied by, once `base` and `terms` are added.
    pub factor: i64,
    /// Whether the sum of pattern, `base` and `terms` is a 32-bit integer that may wrap. Where it would, the segment is left to
    /// the interpreter.
    pub wraps: bool,
    /// With `wraps`: a constant.
    pub base: i64,
    /// With `wraps`: scalars.
    pub terms: Vec<AddressTerm>,
}

/// Which memory an access is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// What addresses reach but for shared and local memory, through a window.
    Memory,
    /// Shared memory, whose first byte has this address.
    Shared(u64),
    /// A variable in local memory of the frame.
    Local(LocalPart),
}

/// A variable in local memory: what is beyond its bytes is not there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LocalPart {
    /// How far its address is behind the address of the frame's local memory.
    pub start: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Its first row.
    pub row: u32,
}

/// A load or store.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    /// Which memory.
    pub place: Place,
    /// Bytes of a word: 1, 2, 4 or 8. Words of less than four are zero-extended in registers.
    pub bytes: u32,
    /// The constant part of the address.
    pub base: i64,
    /// Whether the address of the frame's local memory is added.
    pub is_local: bool,
    /// Scalars.
    pub terms: Vec<AddressTerm>,
    /// What differs by lane.
    pub index: Option<Index>,
}

impl Access {
    /// How far the address of each lane is from that of lane 0.
    pub fn offsets(&self) -> Option<[i64; 32]> {
        let Some(index) = &self.index else { return Some([0; 32]) };
        Some(index.key.offsets()?.map(|x| x * index.factor))
    }

    /// The bytes from the lowest to behind the highest word of all lanes, active or not.
    pub fn extent(&self) -> Option<u64> {
        let offsets = self.offsets()?;
        let (low, high) = (offsets.iter().min()?, offsets.iter().max()?);
        Some((high - low) as u64 + u64::from(self.bytes))
    }
}

/// A register that a segment writes when it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Out {
    /// Which file.
    pub class: Class,
    /// Its number.
    pub slot: u32,
    /// What it gets.
    pub value: ValueId,
}

/// A store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Store {
    /// Where to.
    pub access: AccessId,
    /// What.
    pub value: ValueId,
}

/// What an [`Indexed`] access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Movement {
    /// Loads into the register.
    Load,
    /// Stores the register.
    Store,
    /// Does an operation on the word and the register, lane after lane, whose order does not matter ([`Movement::commutes`]): what was
    /// there before goes nowhere. In shared memory only.
    Atomic {
        /// What it does.
        op: AtomOp,
        /// What it adds to [`crate::State::polls`] if it changes nothing.
        polls: u32,
    },
}

impl Movement {
    /// Whether the lanes of an atomic may come in any order.
    pub fn commutes(op: AtomOp, ty: Ty) -> bool {
        use AtomOp::{Add, And, Max, Min, Or, Sub, Xor};
        matches!(ty, Ty::I32 | Ty::I64) && matches!(op, Add | Sub | Min | Max | And | Or | Xor)
    }
}

/// A load, store or atomic of a word for each lane, anywhere in one allocation or in shared memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Indexed {
    /// Which memory; not local memory.
    pub place: Place,
    /// What it does.
    pub movement: Movement,
    /// Rows, of whose sum the address is a multiple; without rows all lanes have the same.
    pub rows: Vec<PatternRow>,
    /// What it is multiplied by, once `index_base` and `index_terms` are added if it wraps.
    pub factor: i64,
    /// Whether that sum is a 32-bit integer that wraps.
    pub wraps: bool,
    /// With `wraps`: a constant.
    pub index_base: i64,
    /// With `wraps`: scalars.
    pub index_terms: Vec<AddressTerm>,
    /// The constant part of the address.
    pub base: i64,
    /// Scalars.
    pub terms: Vec<AddressTerm>,
    /// Bytes of a word: 1, 2, 4 or 8; of an atomic 4 or 8.
    pub bytes: u32,
    /// The register that is loaded, stored, or the operand of an atomic.
    pub register: (Class, u32),
    /// Its number: those that differ modulo [`crate::Window::ALLOCATIONS`] each remember an allocation.
    pub number: u32,
    /// With which number [`crate::State::tell_lanes`] is told of it, if it is.
    pub told: Option<u32>,
}

/// What a branch goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A scalar that is 0 or 1.
    Scalar(ValueId),
    /// A predicate. The segment writes it to its slot too, since the interpreter does the branch where lanes disagree.
    Pred(ValueId),
}

/// A loop that lanes leave at a branch, one after another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leave {
    /// The number of the loop.
    pub number: u32,
    /// Whether the lanes that leave are those that take the branch.
    pub takes: bool,
}

/// How a segment ends. Places are operations: code goes on with the segment there, or returns where there is none.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// With the operation there.
    Go(u32),
    /// With one of two.
    Branch {
        /// What it goes by.
        condition: Condition,
        /// Where lanes go for which it holds.
        then_pc: u32,
        /// Where the others go.
        else_pc: u32,
        /// The operation, at which the interpreter goes on where lanes disagree.
        pc: u32,
        /// The loop that lanes leave here.
        leave: Option<Leave>,
    },
}

/// Straight-line code.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    /// The first operation.
    pub pc: u32,
    /// Whether lanes may wait for others at the first operation.
    pub reconverges: bool,
    /// Schedule points that it passes.
    pub points: u32,
    /// How many of them are loads.
    pub loads: u32,
    /// Statements of the source that begin in it.
    pub statements: u32,
    /// Whether one of them is the back edge of a loop.
    pub has_back_edge: bool,
    /// Patterns that are worked out before anything is checked. That changes nothing but what is known.
    pub patterns_before: Vec<PatternUpdate>,
    /// Its values.
    pub values: Vec<Value>,
    /// Its accesses; the bounds of all are checked before anything is done.
    pub accesses: Vec<Access>,
    /// Rows of local memory that are zero before it loads or stores anything: the first, and how many. No access.
    pub clears: Vec<(u32, u32)>,
    /// What it stores, in order.
    pub stores: Vec<Store>,
    /// Registers that it writes; the last of one register counts.
    pub outs: Vec<Out>,
    /// Patterns that are worked out anew once the registers are written.
    pub patterns: Vec<PatternUpdate>,
    /// How it ends.
    pub end: End,
    /// Accesses of which [`crate::State::tell`] is told before any of them is done, in that order, with the number of each.
    pub told: Vec<(AccessId, u32)>,
    /// Whether it is one operation that is done by a call ([`crate::State::operate`]) and not by code: then it has nothing else but
    /// `indexed` and the scalars that it names.
    pub is_call: bool,
    /// What the operation of a call is, if it is such an access: the code may do it, and calls where it cannot.
    pub indexed: Option<Indexed>,
}

impl Segment {
    /// An operation that is done by a call.
    pub fn call(pc: u32) -> Segment {
        Segment { is_call: true, ..Segment::empty(pc, End::Go(pc + 1)) }
    }

    /// A segment that begins at an operation and does nothing.
    pub fn empty(pc: u32, end: End) -> Segment {
        Segment {
            pc,
            reconverges: false,
            points: 0,
            loads: 0,
            statements: 0,
            has_back_edge: false,
            patterns_before: Vec::new(),
            values: Vec::new(),
            accesses: Vec::new(),
            clears: Vec::new(),
            stores: Vec::new(),
            outs: Vec::new(),
            patterns: Vec::new(),
            end,
            told: Vec::new(),
            is_call: false,
            indexed: None,
        }
    }
}
