//! Values that text is made of or read into: data items of the five intrinsic types, by value.
//!
//! Invariant: numeric bits are in `scalar`'s canonical form (the value in the low bits of a word, the rest zero), so that a
//! caller passes what its registers or memory hold.
//!
//! Not here: derived types and arrays (the caller takes them apart), kinds other than integer(1, 2, 4, 8),
//! real(2, 4, 8), complex(4, 8) and logical(1, 2, 4, 8).

use scalar::{Ty, bits};

/// A data item to be written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    /// An integer of type `ty`.
    Int {
        /// Integer type.
        ty: Ty,
        /// Its canonical bits.
        bits: u64,
    },
    /// A real of type `ty`.
    Real {
        /// Real type, as [`real_type`] has it.
        ty: Ty,
        /// Its canonical bits.
        bits: u64,
    },
    /// A complex number of two reals of type `ty`.
    Complex {
        /// Real type of both parts.
        ty: Ty,
        /// Bits of the real part.
        re: u64,
        /// Bits of the imaginary part.
        im: u64,
    },
    /// A logical in an integer of type `ty`; any bit set is true.
    Logical {
        /// The integer type of the same size.
        ty: Ty,
        /// Its canonical bits.
        bits: u64,
    },
    /// A character value, one byte a character.
    Char(&'a [u8]),
}

impl Value<'_> {
    /// An integer(4).
    pub fn int4(value: i32) -> Self {
        Value::Int { ty: Ty::I32, bits: bits::from_signed(Ty::I32, value.into()) }
    }

    /// An integer(8).
    pub fn int8(value: i64) -> Self {
        Value::Int { ty: Ty::I64, bits: value as u64 }
    }

    /// A real(4).
    pub fn real4(value: f32) -> Self {
        Value::Real { ty: Ty::F32, bits: bits::from_f32(value) }
    }

    /// A real(8).
    pub fn real8(value: f64) -> Self {
        Value::Real { ty: Ty::F64, bits: bits::from_f64(value) }
    }

    /// A logical(4).
    pub fn logical4(value: bool) -> Self {
        Value::Logical { ty: Ty::I32, bits: value.into() }
    }

    /// The item's type in Fortran's words, for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Int { .. } => "integer",
            Value::Real { .. } => "real",
            Value::Complex { .. } => "complex",
            Value::Logical { .. } => "logical",
            Value::Char(_) => "character",
        }
    }
}

/// The type of a real of so many bytes. A real(2) is held as its bits, an `I16`.
pub fn real_type(bytes: u64) -> Ty {
    match bytes {
        2 => Ty::I16,
        8 => Ty::F64,
        _ => Ty::F32,
    }
}

/// The value of a real of a type that [`real_type`] gives, widened; exact.
pub fn real_value(ty: Ty, word: u64) -> f64 {
    if ty == Ty::I16 {
        return scalar::half::widen(word as u16).into();
    }
    f64::from_bits(bits::convert(ty, Ty::F64, word))
}

/// What a data item to be read into is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// An integer of this type.
    Int(Ty),
    /// A real of this type.
    Real(Ty),
    /// A complex number of two reals of this type.
    Complex(Ty),
    /// A logical the size of this integer type.
    Logical(Ty),
    /// A character variable of so many characters.
    Char(usize),
    /// An object that a procedure of the program reads; in namelist groups only.
    Defined,
}

impl Want {
    /// The item's type in Fortran's words, for messages.
    pub fn type_name(self) -> &'static str {
        match self {
            Want::Int(_) => "integer",
            Want::Real(_) => "real",
            Want::Complex(_) => "complex",
            Want::Logical(_) => "logical",
            Want::Char(_) => "character",
            Want::Defined => "object",
        }
    }
}

/// A value that was read, of the kind asked for by a [`Want`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Datum {
    /// Canonical bits of an integer, a real or a logical (1 for true).
    Bits(u64),
    /// Canonical bits of the parts of a complex number.
    Complex(u64, u64),
    /// Characters, exactly as many as asked for.
    Char(Vec<u8>),
}
