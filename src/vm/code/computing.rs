//! Table: the operations that only compute, one row each, with the files of their result and their operands.
//!
//! The enum of operations ([`super::Op`]) has these rows as variants, and what a row reads and writes is taken from here. What it computes stands once in `exec::compute`, in a match without a wildcard: a row that one
//! of these places lacks does not build.

use super::{R2, R3, R4, Slot};
use ir::Ty;

/// A file of registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum RegFile {
    /// Predicates.
    P,
    /// Rows of 32 bits.
    W,
    /// Rows of 64 bits.
    L,
    /// Scalars.
    S,
}

impl RegFile {
    /// The file of a type.
    pub(crate) fn of(ty: Ty) -> RegFile {
        match ty {
            Ty::Pred => RegFile::P,
            Ty::I8 | Ty::I16 | Ty::I32 | Ty::F32 => RegFile::W,
            Ty::I64 | Ty::F64 => RegFile::L,
        }
    }
}

/// A slot and its file.
pub(crate) type FileSlot = (RegFile, Slot);

/// What an operation that computes writes and reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    pub(crate) writes: FileSlot,
    pub(crate) reads: [Option<FileSlot>; 3],
}

impl R2 {
    pub(crate) fn operands(self, d: RegFile, [a]: [RegFile; 1]) -> Operands {
        Operands { writes: (d, self.d), reads: [Some((a, self.a)), None, None] }
    }
}

impl R3 {
    pub(crate) fn operands(self, d: RegFile, [a, b]: [RegFile; 2]) -> Operands {
        Operands { writes: (d, self.d), reads: [Some((a, self.a)), Some((b, self.b)), None] }
    }
}

impl R4 {
    pub(crate) fn operands(self, d: RegFile, [a, b, c]: [RegFile; 3]) -> Operands {
        Operands { writes: (d, self.d), reads: [Some((a, self.a)), Some((b, self.b)), Some((c, self.c))] }
    }
}

/// Calls the macro `$then` with `$extra` and the rows: operation, operands, file of the result, files of the operands.
macro_rules! computing_ops {
    ($then:ident $($extra:tt)*) => {
        $then! { { $($extra)* }
            MovP(R2) P: P;
            NotP(R2) P: P;
            AndP(R3) P: P P;
            OrP(R3) P: P P;
            XorP(R3) P: P P;
            SelP(R4) P: P P P;
            Mov32(R2) W: W;
            AddI32(R3) W: W W;
            SubI32(R3) W: W W;
            MulI32(R3) W: W W;
            And32(R3) W: W W;
            Or32(R3) W: W W;
            Xor32(R3) W: W W;
            MinI32(R3) W: W W;
            MaxI32(R3) W: W W;
            AddF32(R3) W: W W;
            SubF32(R3) W: W W;
            MulF32(R3) W: W W;
            DivF32(R3) W: W W;
            MinF32(R3) W: W W;
            MaxF32(R3) W: W W;
            NegF32(R2) W: W;
            AbsF32(R2) W: W;
            SqrtF32(R2) W: W;
            FmaF32(R4) W: W W W;
            MadI32(R4) W: W W W;
            Sel32(R4) W: W W P;
            EqI32(R3) P: W W;
            NeI32(R3) P: W W;
            LtI32(R3) P: W W;
            LeI32(R3) P: W W;
            GtI32(R3) P: W W;
            GeI32(R3) P: W W;
            LtU32(R3) P: W W;
            GeU32(R3) P: W W;
            EqF32(R3) P: W W;
            NeF32(R3) P: W W;
            LtF32(R3) P: W W;
            LeF32(R3) P: W W;
            GtF32(R3) P: W W;
            GeF32(R3) P: W W;
            Mov64(R2) L: L;
            AddI64(R3) L: L L;
            SubI64(R3) L: L L;
            MulI64(R3) L: L L;
            And64(R3) L: L L;
            Or64(R3) L: L L;
            Xor64(R3) L: L L;
            MinI64(R3) L: L L;
            MaxI64(R3) L: L L;
            AddF64(R3) L: L L;
            SubF64(R3) L: L L;
            MulF64(R3) L: L L;
            DivF64(R3) L: L L;
            MinF64(R3) L: L L;
            MaxF64(R3) L: L L;
            NegF64(R2) L: L;
            AbsF64(R2) L: L;
            SqrtF64(R2) L: L;
            FmaF64(R4) L: L L L;
            MadI64(R4) L: L L L;
            Sel64(R4) L: L L P;
            EqI64(R3) P: L L;
            NeI64(R3) P: L L;
            LtI64(R3) P: L L;
            LeI64(R3) P: L L;
            GtI64(R3) P: L L;
            GeI64(R3) P: L L;
            LtU64(R3) P: L L;
            GeU64(R3) P: L L;
            EqF64(R3) P: L L;
            NeF64(R3) P: L L;
            LtF64(R3) P: L L;
            LeF64(R3) P: L L;
            GtF64(R3) P: L L;
            GeF64(R3) P: L L;
            I32ToI64(R2) L: W;
            I64ToI32(R2) W: L;
            I32ToF32(R2) W: W;
            I32ToF64(R2) L: W;
            I64ToF64(R2) L: L;
            F32ToF64(R2) L: W;
            F64ToF32(R2) W: L;
            F32ToI32(R2) W: W;
            F64ToI32(R2) W: L;
            UMov(R2) S: S;
            UAddI32(R3) S: S S;
            USubI32(R3) S: S S;
            UMulI32(R3) S: S S;
            UAddI64(R3) S: S S;
            USubI64(R3) S: S S;
            UMulI64(R3) S: S S;
            UI32ToI64(R2) S: S;
            Splat32(R2) W: S;
            Splat64(R2) L: S;
        }
    };
}

/// An enum of operations: the rows of the table, and others.
macro_rules! op_enum {
    ({ $(#[$doc:meta])* $name:ident { $($own:tt)* } } $($op:ident($r:ident) $d:ident: $($s:ident)*;)*) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug)]
        pub(crate) enum $name { $($op($r),)* $($own)* }

        impl $name {
            /// What it writes and reads, if it only computes.
            pub(crate) fn operands(&self) -> Option<Operands> {
                match *self {
                    $($name::$op(r) => Some(r.operands(RegFile::$d, [$(RegFile::$s),*])),)*
                    _ => None,
                }
            }
        }
    };
}

/// A pattern of all operations that only compute.
macro_rules! op_pattern {
    ({ $name:ident } $($op:ident($r:ident) $d:ident: $($s:ident)*;)*) => { $($name::$op(_))|* };
}
