//! Array views: where the first element is, and lower bound, extent and stride of each dimension.
//!
//! Not here: addresses of elements (`builder::address`).

use crate::value::lvalue::MemRef;
use ir::Val;

/// What is known of an array's layout when the code is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Contiguity {
    /// The elements follow each other.
    Yes,
    /// Only the strides tell.
    Unknown,
}

/// One dimension.
#[derive(Clone, Debug)]
pub(crate) struct ArrayDim {
    pub(crate) lower: Val,
    pub(crate) extent: Val,
    /// Bytes from one element to the next.
    pub(crate) stride: Val,
    /// A vector subscript: the subscripts (`integer(8)`, rank 1) and the lower bound that they count from.
    pub(crate) gather: Option<Box<(ArrayView, Val)>>,
}

/// An array.
#[derive(Clone, Debug)]
pub(crate) struct ArrayView {
    /// The first element.
    pub(crate) mem: MemRef,
    /// The element with all subscripts zero, where that is a value of the frame.
    pub(crate) origin: Option<MemRef>,
    pub(crate) dims: Vec<ArrayDim>,
    /// Bytes of an element.
    pub(crate) element: Val,
    /// Length of a character element.
    pub(crate) len: Option<Val>,
    /// The dynamic type of a polymorphic object, see `object::dynamic_type`.
    pub(crate) tag: Option<Val>,
    pub(crate) contiguity: Contiguity,
    /// An assumed-size array: its last extent is not known (and stands as 0).
    pub(crate) assumed_size: bool,
}

impl ArrayView {
    /// The extents.
    pub(crate) fn extents(&self) -> Vec<Val> {
        self.dims.iter().map(|d| d.extent).collect()
    }

    /// Whether a dimension has a vector subscript.
    pub(crate) fn gathers(&self) -> bool {
        self.dims.iter().any(|d| d.gather.is_some())
    }

    /// Whether the elements are known to follow each other.
    pub(crate) fn is_contiguous(&self) -> bool {
        self.contiguity == Contiguity::Yes
    }
}
