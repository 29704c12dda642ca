//! Table: the basic datatypes, in the order of their handles.

use std::fmt;

/// What kind of value a basic datatype has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    Integer,
    /// An integer of C without a sign.
    Unsigned,
    Real,
    Complex,
    Logical,
    Character,
    /// Bytes of anything.
    Byte,
    /// A value and an index for `MPI_MAXLOC`, both of one type.
    IntegerPair,
    RealPair,
}

struct Row {
    name: &'static str,
    class: Class,
    bytes: u8,
}

const fn row(name: &'static str, class: Class, bytes: u8) -> Row {
    Row { name, class, bytes }
}

/// The rows; the number of a handle is the place here, from 1.
static ROWS: &[Row] = &[
    row("MPI_INTEGER", Class::Integer, 4),
    row("MPI_REAL", Class::Real, 4),
    row("MPI_DOUBLE_PRECISION", Class::Real, 8),
    row("MPI_COMPLEX", Class::Complex, 8),
    row("MPI_DOUBLE_COMPLEX", Class::Complex, 16),
    row("MPI_LOGICAL", Class::Logical, 4),
    row("MPI_CHARACTER", Class::Character, 1),
    row("MPI_BYTE", Class::Byte, 1),
    row("MPI_PACKED", Class::Byte, 1),
    row("MPI_INTEGER1", Class::Integer, 1),
    row("MPI_INTEGER2", Class::Integer, 2),
    row("MPI_INTEGER4", Class::Integer, 4),
    row("MPI_INTEGER8", Class::Integer, 8),
    row("MPI_REAL4", Class::Real, 4),
    row("MPI_REAL8", Class::Real, 8),
    row("MPI_COMPLEX8", Class::Complex, 8),
    row("MPI_COMPLEX16", Class::Complex, 16),
    row("MPI_2INTEGER", Class::IntegerPair, 8),
    row("MPI_2REAL", Class::RealPair, 8),
    row("MPI_2DOUBLE_PRECISION", Class::RealPair, 16),
    row("MPI_INT", Class::Integer, 4),
    row("MPI_LONG", Class::Integer, 8),
    row("MPI_LONG_LONG", Class::Integer, 8),
    row("MPI_FLOAT", Class::Real, 4),
    row("MPI_DOUBLE", Class::Real, 8),
    row("MPI_CHAR", Class::Character, 1),
    row("MPI_INT8_T", Class::Integer, 1),
    row("MPI_INT16_T", Class::Integer, 2),
    row("MPI_INT32_T", Class::Integer, 4),
    row("MPI_INT64_T", Class::Integer, 8),
    row("MPI_AINT", Class::Integer, 8),
    row("MPI_COUNT", Class::Integer, 8),
    row("MPI_OFFSET", Class::Integer, 8),
    row("MPI_C_BOOL", Class::Logical, 1),
    row("MPI_C_FLOAT_COMPLEX", Class::Complex, 8),
    row("MPI_C_DOUBLE_COMPLEX", Class::Complex, 16),
    row("MPI_LOGICAL1", Class::Logical, 1),
    row("MPI_LOGICAL2", Class::Logical, 2),
    row("MPI_LOGICAL4", Class::Logical, 4),
    row("MPI_LOGICAL8", Class::Logical, 8),
    row("MPI_SIGNED_CHAR", Class::Integer, 1),
    row("MPI_UNSIGNED_CHAR", Class::Unsigned, 1),
    row("MPI_WCHAR", Class::Character, 4),
    row("MPI_SHORT", Class::Integer, 2),
    row("MPI_UNSIGNED_SHORT", Class::Unsigned, 2),
    row("MPI_UNSIGNED", Class::Unsigned, 4),
    row("MPI_UNSIGNED_LONG", Class::Unsigned, 8),
    row("MPI_UNSIGNED_LONG_LONG", Class::Unsigned, 8),
    row("MPI_2INT", Class::IntegerPair, 8),
    row("MPI_UINT8_T", Class::Unsigned, 1),
    row("MPI_UINT16_T", Class::Unsigned, 2),
    row("MPI_UINT32_T", Class::Unsigned, 4),
    row("MPI_UINT64_T", Class::Unsigned, 8),
    row("MPI_C_COMPLEX", Class::Complex, 8),
    row("MPI_REAL2", Class::Real, 2),
];

/// Datatypes that have a name and consist of others; the numbers of their handles follow those of the rows.
pub(crate) static COMPOSED: [(&str, &[&str]); 6] = [
    ("MPI_FLOAT_INT", &["MPI_FLOAT", "MPI_INT"]),
    ("MPI_DOUBLE_INT", &["MPI_DOUBLE", "MPI_INT"]),
    ("MPI_LONG_INT", &["MPI_LONG", "MPI_INT"]),
    ("MPI_SHORT_INT", &["MPI_SHORT", "MPI_INT"]),
    (LOWER_MARKER, &[]),
    (UPPER_MARKER, &[]),
];
/// What has no values and says where a structure begins and ends.
pub(crate) const LOWER_MARKER: &str = "MPI_LB";
pub(crate) const UPPER_MARKER: &str = "MPI_UB";

/// The name of the datatype with that number, if the standard names it.
pub(crate) fn name_of(number: u32) -> Option<&'static str> {
    let composed = || COMPOSED.get((number as usize).checked_sub(ROWS.len() + 1)?).map(|row| row.0);
    Basic::with_number(number).map(Basic::name).or_else(composed)
}

/// A basic datatype.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Basic(u8);

impl Basic {
    /// `MPI_BYTE`.
    pub(crate) const BYTE: Basic = Basic(7);

    /// All of them, in the order of their numbers.
    pub(crate) fn all() -> impl Iterator<Item = Basic> {
        (0..ROWS.len() as u8).map(Basic)
    }

    fn row(self) -> &'static Row {
        &ROWS[usize::from(self.0)]
    }

    /// The type whose handle has that number.
    pub(crate) fn with_number(number: u32) -> Option<Basic> {
        Basic::all().nth(number.checked_sub(1)? as usize)
    }

    /// The type of that name.
    pub(crate) fn named(name: &str) -> Option<Basic> {
        Basic::all().find(|basic| basic.name() == name)
    }

    /// The number of its handle.
    pub(crate) fn number(self) -> u32 {
        u32::from(self.0) + 1
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        self.row().name
    }

    /// What its values are.
    pub(crate) fn class(self) -> Class {
        self.row().class
    }

    /// Bytes of a value.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.row().bytes)
    }

    /// The type of which a value has one or two, and how many: a pair for `MPI_MAXLOC` is as if made of two values (MPI 4.0,
    /// 6.9.4).
    pub(crate) fn elements(self) -> (Basic, u64) {
        let half = |class| Basic::of(class, self.bytes() / 2).map_or((self, 1), |element| (element, 2));
        match self.class() {
            Class::IntegerPair => half(Class::Integer),
            Class::RealPair => half(Class::Real),
            _ => (self, 1),
        }
    }

    /// The alignment that a compiler gives such a value, in bytes.
    pub(crate) fn alignment(self) -> u64 {
        match self.class() {
            Class::Complex | Class::IntegerPair | Class::RealPair => self.bytes() / 2,
            _ => self.bytes(),
        }
        .min(8)
    }

    /// Whether one may be received as the other: they are the same kind of value, or bytes.
    pub(crate) fn matches(self, other: Basic) -> bool {
        let (a, b) = (self.row(), other.row());
        (a.class, a.bytes) == (b.class, b.bytes)
    }

    /// Whether it is raw bytes, which match anything.
    pub(crate) fn is_raw(self) -> bool {
        self.class() == Class::Byte
    }

    /// The basic type of a value of that class with that many bytes.
    pub(crate) fn of(class: Class, bytes: u64) -> Option<Basic> {
        Basic::all().find(|b| b.class() == class && b.bytes() == bytes)
    }
}

impl fmt::Debug for Basic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
