//! Table: the operations of the IR, one row each.
//!
//! A row is: variant, mnemonic in IR text, class of types it takes, PTX stem, and what it does. The macro makes the enum,
//! its list, its names and the way back from a name.

// The rows' lines are also what a user of the tables prints; marks in them would show.
#![allow(clippy::doc_markdown)]

use scalar::Ty;

/// Which types an operation takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TyClass {
    /// Integers.
    Int,
    /// Reals.
    Real,
    /// Reals of 4 bytes.
    Single,
    /// Integers and reals.
    Num,
    /// Integers and predicates.
    Bits,
    /// Everything.
    Any,
}

impl TyClass {
    /// Whether the class has `ty`.
    pub fn has(self, ty: Ty) -> bool {
        match self {
            TyClass::Int => ty.is_int(),
            TyClass::Real => ty.is_real(),
            TyClass::Single => ty == Ty::F32,
            TyClass::Num => ty.is_int() || ty.is_real(),
            TyClass::Bits => ty.is_int() || ty == Ty::Pred,
            TyClass::Any => true,
        }
    }
}

macro_rules! ops {
    ($(#[$edoc:meta])* $enum:ident { $($variant:ident $mnemonic:literal $class:ident $ptx:literal $doc:literal;)* }) => {
        $(#[$edoc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $enum { $(#[doc = $doc] $variant,)* }

        impl $enum {
            /// All rows, in order.
            pub const ALL: &[$enum] = &[$($enum::$variant),*];

            /// The name in IR text.
            pub fn mnemonic(self) -> &'static str {
                match self { $($enum::$variant => $mnemonic,)* }
            }

            /// The types that it takes.
            pub fn class(self) -> TyClass {
                match self { $($enum::$variant => TyClass::$class,)* }
            }

            /// The PTX instruction that it becomes, without types; empty where it is a sequence.
            pub fn ptx(self) -> &'static str {
                match self { $($enum::$variant => $ptx,)* }
            }

            /// What it does.
            pub fn doc(self) -> &'static str {
                match self { $($enum::$variant => $doc,)* }
            }

            /// The operation of that name.
            pub fn from_mnemonic(name: &str) -> Option<$enum> {
                match name { $($mnemonic => Some($enum::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.mnemonic())
            }
        }
    };
}

ops! {
    /// Operations with one operand and a result of the same type.
    UnOp {
        Mov "mov" Any "mov" "copies";
        Neg "neg" Num "neg" "negates; integers wrap, reals flip the sign";
        Abs "abs" Num "abs" "absolute value; the least integer stays";
        Not "not" Bits "not" "complements every bit; of a predicate, negates it";
        Sqrt "sqrt" Real "sqrt.rn" "square root, correctly rounded";
        Floor "floor" Real "cvt.rmi" "greatest integral value not above";
        Ceil "ceil" Real "cvt.rpi" "least integral value not below";
        Trunc "trunc" Real "cvt.rzi" "integral value towards zero (AINT)";
        Round "round" Real "" "nearest integral value, halves away from zero (ANINT)";
        RoundEven "rint" Real "cvt.rni" "nearest integral value, halves to even";
        Popc "popc" Int "popc" "number of one bits (POPCNT)";
        Clz "clz" Int "clz" "number of leading zeros (LEADZ)";
        Ctz "ctz" Int "" "number of trailing zeros (TRAILZ)";
        Brev "brev" Int "brev" "reverses the bits";
        Canon "canon" Real "" "makes a real(4) NaN the canonical one; everything else stays";
        SinApprox "sin.approx" Single "sin.approx" "sine, about";
        CosApprox "cos.approx" Single "cos.approx" "cosine, about";
        Ex2Approx "ex2.approx" Single "ex2.approx" "power of two, about";
        Lg2Approx "lg2.approx" Single "lg2.approx" "logarithm to the base 2, about";
        SqrtApprox "sqrt.approx" Single "sqrt.approx" "square root, about";
        RsqrtApprox "rsqrt.approx" Single "rsqrt.approx" "reciprocal square root, about";
    }
}

impl UnOp {
    /// Whether its result is approximate: a GPU has its own bits, and the evaluator those nearest to the exact result.
    pub fn is_approximate(self) -> bool {
        use UnOp::{CosApprox, Ex2Approx, Lg2Approx, RsqrtApprox, SinApprox, SqrtApprox};
        matches!(self, SinApprox | CosApprox | Ex2Approx | Lg2Approx | SqrtApprox | RsqrtApprox)
    }
}

impl BinOp {
    /// The same.
    pub fn is_approximate(self) -> bool {
        self == BinOp::DivApprox
    }
}

ops! {
    /// Operations with two operands and a result, all of one type.
    BinOp {
        Add "add" Num "add" "sum; integers wrap, reals round to nearest even";
        Sub "sub" Num "sub" "difference";
        Mul "mul" Num "mul" "product; of integers, the low half";
        MulHi "mulhi" Int "mul.hi" "high half of the signed product";
        Div "div" Num "div" "quotient; of integers towards zero, x/0 = -1; of reals correctly rounded";
        Rem "rem" Int "rem" "remainder with the sign of the dividend (MOD); mod(x,0) = x";
        Min "min" Num "min" "the lesser; of a NaN and a number, the number";
        Max "max" Num "max" "the greater; of a NaN and a number, the number";
        And "and" Bits "and" "bitwise and";
        Or "or" Bits "or" "bitwise or";
        Xor "xor" Bits "xor" "bitwise exclusive or";
        Shl "shl" Int "shl" "shifts left; 0 when the count, taken as unsigned, is the width or more";
        ShrU "shr.u" Int "shr" "shifts right bringing in zeros; 0 when the count is the width or more";
        ShrS "shr.s" Int "shr" "shifts right bringing in the sign; all sign when the count is the width or more";
        Copysign "copysign" Real "copysign" "magnitude of the first operand with the sign of the second (SIGN)";
        Fmod "fmod" Real "" "remainder of reals with the sign of the dividend, exact (MOD)";
        DivApprox "div.approx" Single "div.approx" "quotient of reals, about";
    }
}

ops! {
    /// Operations with three operands and a result, all of one type.
    TriOp {
        Fma "fma" Real "fma.rn" "a*b + c with one rounding";
        Mad "mad" Int "mad.lo" "a*b + c, wrapping";
    }
}

ops! {
    /// Comparisons; the result is a predicate. With a NaN every ordered comparison is false and `ne` is true.
    CmpOp {
        Eq "eq" Any "eq" "equal";
        Ne "ne" Any "ne" "not equal (also when unordered)";
        Lt "lt" Num "lt" "less, signed";
        Le "le" Num "le" "less or equal, signed";
        Gt "gt" Num "gt" "greater, signed";
        Ge "ge" Num "ge" "greater or equal, signed";
        LtU "lt.u" Int "lt" "less, unsigned";
        GeU "ge.u" Int "ge" "greater or equal, unsigned";
    }
}

ops! {
    /// Conversions between types.
    CvtOp {
        Cast "cast" Any "cvt" "value conversion: integers sign-extend or wrap, integer to real rounds to nearest even, real to integer truncates and saturates, real to real rounds";
        CastU "cast.u" Int "cvt" "integer to integer of another width, bringing in zeros";
        Nint "nint" Num "cvt.rni" "real to the nearest integer, halves away from zero (NINT)";
        FloorI "floori" Num "cvt.rmi" "real to the greatest integer not above (FLOOR)";
        CeilI "ceili" Num "cvt.rpi" "real to the least integer not below (CEILING)";
        Bits "bits" Any "mov" "same bits, other type of the same width";
        PredToInt "p2i" Any "selp" "predicate to logical: true is all ones, false 0";
        IntToPred "i2p" Any "setp" "logical to predicate: the lowest bit";
        FromHalf "half.widen" Any "cvt" "the bits of a real(2) (IEEE binary16) as real(4); exact";
        ToHalf "half.round" Any "cvt.rn" "real to the bits of the nearest real(2), ties to even";
    }
}

ops! {
    /// Read-modify-write operations on memory; the result is the old value.
    AtomOp {
        Add "add" Num "add" "sum; of real(4) in global memory subnormals are flushed";
        AddHalf "add.half" Int "" "sum of real(2): of i16 their bits, of i32 two that lie side by side";
        Sub "sub" Num "" "difference";
        Min "min" Num "min" "the lesser";
        Max "max" Num "max" "the greater";
        And "and" Int "and" "bitwise and";
        Or "or" Int "or" "bitwise or";
        Xor "xor" Int "xor" "bitwise exclusive or";
        Exch "exch" Num "exch" "replaces";
        Cas "cas" Num "cas" "replaces by the second operand if the memory equals the first, bit for bit";
        Inc "inc" Int "" "old < a ? old+1 : 0, unsigned (PTX `atom.inc`)";
        Dec "dec" Int "" "0 < old <= a ? old-1 : a, unsigned (PTX `atom.dec`)";
    }
}

ops! {
    /// Barriers of a block, of a cluster of blocks, or of all blocks.
    BarOp {
        Sync "sync" Any "bar.sync" "syncthreads()";
        And "and" Any "bar.red.and.pred" "syncthreads_and: true if the predicate holds in all threads";
        Or "or" Any "bar.red.or.pred" "syncthreads_or: true if the predicate holds in any thread";
        Count "count" Any "bar.red.popc" "syncthreads_count: in how many threads the predicate holds";
        Cluster "cluster" Any "barrier.cluster" "syncthreads(cluster): all threads of a cluster of blocks";
        Grid "grid" Any "" "syncthreads(grid): all threads of a cooperative launch";
    }
}

ops! {
    /// Warp votes; the operand is a predicate, but a value of any type for `match`.
    VoteOp {
        All "all" Any "vote.sync.all" "predicate: it holds in all lanes";
        Any "any" Any "vote.sync.any" "predicate: it holds in some lane";
        Ballot "ballot" Any "vote.sync.ballot" "i32: the mask of the lanes where it holds";
        MatchAny "match.any" Any "match.any.sync" "i32: the mask of the lanes with the same value";
        MatchAll "match.all" Any "match.all.sync" "i32: the mask if all lanes have the same value, else 0";
    }
}

ops! {
    /// Warp shuffles; the lane operand counts from 0.
    ShflOp {
        Idx "idx" Num "shfl.sync.idx" "value of that lane of the segment";
        Up "up" Num "shfl.sync.up" "value of the lane so many below";
        Down "down" Num "shfl.sync.down" "value of the lane so many above";
        Xor "bfly" Num "shfl.sync.bfly" "value of the lane whose number is the exclusive or";
    }
}

ops! {
    /// Special registers; indices count from 0 here, lowering adds the one of `threadidx` and `blockidx`.
    Special {
        TidX "tid.x" Int "%tid.x" "thread index in the block, x";
        TidY "tid.y" Int "%tid.y" "thread index in the block, y";
        TidZ "tid.z" Int "%tid.z" "thread index in the block, z";
        NtidX "ntid.x" Int "%ntid.x" "block extent, x";
        NtidY "ntid.y" Int "%ntid.y" "block extent, y";
        NtidZ "ntid.z" Int "%ntid.z" "block extent, z";
        CtaidX "ctaid.x" Int "%ctaid.x" "block index in the grid, x";
        CtaidY "ctaid.y" Int "%ctaid.y" "block index in the grid, y";
        CtaidZ "ctaid.z" Int "%ctaid.z" "block index in the grid, z";
        NctaidX "nctaid.x" Int "%nctaid.x" "grid extent, x";
        NctaidY "nctaid.y" Int "%nctaid.y" "grid extent, y";
        NctaidZ "nctaid.z" Int "%nctaid.z" "grid extent, z";
        ClusterNctaidX "cluster.nctaid.x" Int "%cluster_nctaid.x" "blocks of a cluster, x; 1 in a launch without clusters";
        ClusterNctaidY "cluster.nctaid.y" Int "%cluster_nctaid.y" "blocks of a cluster, y";
        ClusterNctaidZ "cluster.nctaid.z" Int "%cluster_nctaid.z" "blocks of a cluster, z";
        LaneId "laneid" Int "%laneid" "lane in the warp";
        ActiveMask "activemask" Int "" "mask of the lanes that execute this together";
        Clock64 "clock64" Int "%clock64" "i64 cycle counter; the emulator counts schedule points";
        OnGpu "on.gpu" Int "" "1 on a GPU, 0 on the emulator: what a GPU has an instruction for, the emulator computes";
        GlobalTimer "globaltimer" Int "%globaltimer" "i64 nanoseconds; the emulator counts schedule points";
    }
}

impl BinOp {
    /// Whether the operands may change places, bit for bit. A real(8) sum of two NaNs gives the second one's bits.
    pub fn is_commutative(self, ty: Ty) -> bool {
        match self {
            BinOp::Add | BinOp::Mul | BinOp::MulHi | BinOp::Min | BinOp::Max => !ty.is_real(),
            BinOp::And | BinOp::Or | BinOp::Xor => true,
            BinOp::Sub
            | BinOp::Div
            | BinOp::Rem
            | BinOp::Shl
            | BinOp::ShrU
            | BinOp::ShrS
            | BinOp::Copysign
            | BinOp::Fmod
            | BinOp::DivApprox => false,
        }
    }
}

impl CmpOp {
    /// The comparison that holds when this one does not, where no operand is a NaN.
    #[must_use]
    pub fn inverse(self) -> CmpOp {
        match self {
            CmpOp::Eq => CmpOp::Ne,
            CmpOp::Ne => CmpOp::Eq,
            CmpOp::Lt => CmpOp::Ge,
            CmpOp::Le => CmpOp::Gt,
            CmpOp::Gt => CmpOp::Le,
            CmpOp::Ge => CmpOp::Lt,
            CmpOp::LtU => CmpOp::GeU,
            CmpOp::GeU => CmpOp::LtU,
        }
    }

    /// The comparison that says the same of the operands the other way round, if there is one.
    pub fn mirrored(self) -> Option<CmpOp> {
        match self {
            CmpOp::Eq | CmpOp::Ne => Some(self),
            CmpOp::Lt => Some(CmpOp::Gt),
            CmpOp::Le => Some(CmpOp::Ge),
            CmpOp::Gt => Some(CmpOp::Lt),
            CmpOp::Ge => Some(CmpOp::Le),
            CmpOp::LtU | CmpOp::GeU => None,
        }
    }
}

impl BarOp {
    /// The type of the result; `sync`, `cluster` and `grid` have none.
    pub fn result(self) -> Option<Ty> {
        match self {
            BarOp::Sync | BarOp::Cluster | BarOp::Grid => None,
            BarOp::And | BarOp::Or => Some(Ty::Pred),
            BarOp::Count => Some(Ty::I32),
        }
    }
}

impl VoteOp {
    /// The type of the result.
    pub fn result(self) -> Ty {
        match self {
            VoteOp::All | VoteOp::Any => Ty::Pred,
            VoteOp::Ballot | VoteOp::MatchAny | VoteOp::MatchAll => Ty::I32,
        }
    }

    /// Whether the operand is a value of any type and not a predicate.
    pub fn is_match(self) -> bool {
        matches!(self, VoteOp::MatchAny | VoteOp::MatchAll)
    }
}

impl Special {
    /// The type of its value.
    pub fn ty(self) -> Ty {
        match self {
            Special::Clock64 | Special::GlobalTimer => Ty::I64,
            Special::TidX
            | Special::TidY
            | Special::TidZ
            | Special::NtidX
            | Special::NtidY
            | Special::NtidZ
            | Special::CtaidX
            | Special::CtaidY
            | Special::CtaidZ
            | Special::NctaidX
            | Special::NctaidY
            | Special::NctaidZ
            | Special::ClusterNctaidX
            | Special::ClusterNctaidY
            | Special::ClusterNctaidZ
            | Special::LaneId
            | Special::OnGpu
            | Special::ActiveMask => Ty::I32,
        }
    }

    /// Whether all threads of a block read the same value.
    pub fn is_block_uniform(self) -> bool {
        !matches!(
            self,
            Special::TidX
                | Special::TidY
                | Special::TidZ
                | Special::LaneId
                | Special::ActiveMask
                | Special::Clock64
                | Special::GlobalTimer
        )
    }
}
