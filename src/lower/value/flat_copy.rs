//! Copies of objects of the host as objects of device code whose length parameters do not belong to them, and the other way round.
//!
//! Not here: making them (`object::flat`).

/// Which way objects are copied between memory and flat objects, and what becomes of their allocatable components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FlatCopy {
    /// To flat objects, which name the same components.
    To,
    /// To flat objects, whose components they become. The others have none then.
    Give,
    /// Nothing is copied, but that the flat objects have those components only.
    Leave,
    /// From flat objects: the components stay what they are.
    From,
    /// From flat objects: with copies of the components.
    Own,
    /// From flat objects: the components become theirs.
    Take,
    /// The same; parts whose sizes length parameters decide are not copied, but lie in the flat objects, as pointers may know them there.
    Share,
    /// The end of that.
    Return,
}
