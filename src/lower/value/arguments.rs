//! Arguments of a call as they are passed, and what follows the call.
//!
//! Not here: passing them (`call`).

use crate::module::ArgKey;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::Descriptor;
use crate::value::flat_copy::FlatCopy;
use crate::value::lvalue::{Allocation, Lvalue, MemRef};
use ir::Val;
use sema::checked::Type;
use source::Span;

/// What an internal procedure gets of its host.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    /// Where the variables are, and what their declarations leave open.
    pub(crate) words: Vec<Val>,
    /// The ranks of those that are assumed-rank dummies of the host, in their order: the procedure is made for them.
    pub(crate) ranks: Vec<ArgKey>,
}

/// What is passed to a procedure so far.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    pub(crate) words: Vec<Val>,
    pub(crate) keys: Vec<ArgKey>,
    pub(crate) back: Vec<CopyBack>,
    /// Whether a service is called: objects with VALUE are one word.
    pub(crate) service: bool,
    /// Whether the procedure is elemental: an array stands for its current element.
    pub(crate) elemental: bool,
    /// Whether a service copies the bytes of what is passed and does nothing else with them.
    pub(crate) copies_bytes: bool,
    /// Whether copies of objects were passed for that.
    pub(crate) has_copies: bool,
    /// Whether what is passed for `type(*), dimension(..)` goes with its shape and its type.
    pub(crate) is_described: bool,
    /// Whether a procedure of C is called, which gets some arguments by descriptors of C.
    pub(crate) to_c: bool,
    /// The lengths of objects that do not hold them, where the dummies declare some as expressions.
    pub(crate) lengths: Vec<GivenLengths>,
    /// The positions of dummies that get copies of the rest of an array, and of what is done with these after the call.
    pub(crate) sequences: Vec<(usize, usize)>,
    /// Whether a kernel is launched, which reaches copies in managed memory only.
    pub(crate) to_kernel: bool,
    /// The stream that a launch of the host names: copies of sections with gaps are made when its work is done.
    pub(crate) stream: Option<Val>,
    /// Copies that a kernel which device code launches reads, and which are given back when it has ended, with the condition under which
    /// there is one.
    pub(crate) freed_behind: Vec<(Val, Val)>,
}

/// The length parameters of an object that is passed.
#[derive(Debug)]
pub(crate) struct GivenLengths {
    /// The position of the dummy.
    pub(crate) dummy: usize,
    /// The actual argument.
    pub(crate) span: Span,
    /// Whether there is an object.
    pub(crate) present: Val,
    pub(crate) given: Vec<Val>,
}

/// What is to be done after the call.
#[derive(Debug)]
pub(crate) enum CopyBack {
    /// A scalar that was passed as a copy.
    Scalar { from: MemRef, to: Lvalue, ty: Type },
    /// An array that was passed as a copy if `when` holds, in memory that is given back unless it is that of the procedure.
    Array { when: Val, from: ArrayView, to: Option<ArrayView>, ty: Type, free: Option<Allocation> },
    /// Parts of objects that were passed as a copy, and their addresses.
    Parts { from: ArrayView, places: ArrayView, ty: Type },
    /// Objects of type `ty` that hold their lengths, and objects that do not, of which the ones were passed for the others.
    Twin { made: ArrayView, flat: ArrayView, ty: Type, how: FlatCopy },
    /// The kernel that was launched has to end before what follows.
    Kernel,
    /// A descriptor that was passed as a copy.
    Descriptor { from: Val, to: Descriptor },
    /// A descriptor of C of an allocatable or pointer, if the predicate holds.
    OfC { when: Val, from: MemRef, to: Descriptor, is_allocatable: bool },
}
