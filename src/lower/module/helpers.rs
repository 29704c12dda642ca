//! The functions that lowering makes to handle objects: what each does.

/// What a made function does with objects of a recursive type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ObjectHelper {
    /// `to = from`
    Copy,
    /// `to = from` where components have an assignment of their own.
    Assign,
    /// Frees what the object owns.
    Free,
}

/// What a made function does with an object of some type of a class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ClassHelper {
    /// Copies an object into fresh memory.
    Copy,
    /// The same by an assignment of the program, in which components have an assignment of their own.
    Assign,
    /// Frees what an object owns.
    Free,
    /// Gives an object its default values.
    Init,
}
