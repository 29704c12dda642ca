//! What is known of an allocation, and why allocating or freeing may fail.

use crate::address::Region;
use source::Span;
use std::sync::Arc;

/// Number of an allocation, in order of birth; never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AllocId(pub u32);

/// What is known of an allocation, dead ones included.
#[derive(Clone, Debug)]
pub struct Alloc {
    /// First address.
    pub base: u64,
    /// Bytes asked for.
    pub bytes: u64,
    /// What its first address and its place for C are multiples of: a power of two.
    pub align: u32,
    /// Where it lies.
    pub region: Region,
    /// Name of the variable it was made for; empty if none.
    pub name: Arc<str>,
    /// The statement that made it.
    pub span: Span,
    /// The statement that freed it.
    pub freed: Option<Span>,
}

/// An allocation that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// Bytes asked for.
    pub bytes: u64,
    /// Bytes that are free in the region.
    pub free: u64,
}

/// An address that cannot be freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FreeError {
    /// It was freed before.
    Freed(AllocId),
    /// It lies inside an allocation, not at its beginning.
    Inside(AllocId),
    /// Nothing was ever allocated there.
    Unknown,
}
