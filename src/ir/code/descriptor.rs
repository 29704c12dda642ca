//! The one layout of array descriptors in memory: `base, element bytes, rank`, then `lower bound, extent, stride in
//! bytes` for each dimension, all `i64`.

/// Byte offset of the base address.
pub const BASE: i64 = 0;
/// Byte offset of the bytes of one element.
pub const ELEMENT_BYTES: i64 = 8;
/// Byte offset of the rank.
pub const RANK: i64 = 16;

/// Bytes of a descriptor of that rank.
pub fn bytes(rank: u32) -> u64 {
    24 + 24 * u64::from(rank)
}

/// Byte offset of the lower bound of dimension `dim`, counted from 0.
pub fn lower(dim: u32) -> i64 {
    24 + 24 * i64::from(dim)
}

/// Byte offset of the extent of dimension `dim`, counted from 0.
pub fn extent(dim: u32) -> i64 {
    lower(dim) + 8
}

/// Byte offset of the stride in bytes of dimension `dim`, counted from 0.
pub fn stride(dim: u32) -> i64 {
    lower(dim) + 16
}
