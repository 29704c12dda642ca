//! The layout of descriptors for C (`CFI_cdesc_t`, Fortran 2018, 18.5.3) and the values of their members, as the header
//! `ISO_Fortran_binding.h` has them (`src/foreign/c`).
//!
//! Not here: the program's own descriptors (`descriptor`), which are made of them and of which they are made (`lower`).

/// Byte offset of the base address.
pub const BASE: i64 = 0;
/// Byte offset of the bytes of an element, 8 bytes.
pub const ELEMENT_BYTES: i64 = 8;
/// Byte offset of the version, 4 bytes.
pub const VERSION: i64 = 16;
/// Byte offset of the rank, 1 byte.
pub const RANK: i64 = 20;
/// Byte offset of the attribute, 1 byte.
pub const ATTRIBUTE: i64 = 21;
/// Byte offset of the type, 2 bytes.
pub const TYPE: i64 = 22;

/// The version of the header.
pub const THIS_VERSION: i32 = 20_180_515;

/// The largest rank.
pub const MOST_DIMENSIONS: u8 = 15;

/// An attribute: a pointer.
pub const POINTER: i64 = 0;
/// An attribute: an allocatable.
pub const ALLOCATABLE: i64 = 1;
/// An attribute: neither of them.
pub const OTHER: i64 = 2;

/// Where addresses of the program's host memory end; memory and procedures of C lie above.
pub const OWN_END: i64 = 8 << 42;

/// The extent of the last dimension of an assumed-size array.
pub const UNKNOWN_EXTENT: i64 = -1;

/// Bytes in front of a descriptor that is passed to C: the address that the program has for its data.
pub const IN_FRONT: i64 = 8;

/// The class of a type; a type is this and, above it by 8 bits, the bytes of a scalar or of a part of a complex number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "they are the names of types")]
pub enum Class {
    Other = -1,
    Integer = 1,
    Logical = 2,
    Real = 3,
    Complex = 4,
    Character = 5,
    Struct = 6,
    DataPointer = 7,
    ProcedurePointer = 8,
}

/// The number of a type; `bytes` is 0 for those of one size and for structures.
pub fn type_number(class: Class, bytes: u8) -> i64 {
    class as i64 + (i64::from(bytes) << 8)
}

/// Bytes of a descriptor of that rank.
pub fn bytes(rank: u8) -> u64 {
    24 + 24 * u64::from(rank)
}

/// Byte offset of the lower bound of dimension `dim`, counted from 0; extent and stride in bytes follow.
pub fn lower(dim: usize) -> i64 {
    24 + 24 * dim as i64
}
