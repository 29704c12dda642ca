//! The functions that lowering generates to handle objects: what each does.
//!
//! Not here: their code (`object`).

/// What a generated function does with objects of a recursive type, or one whose objects are made at run time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ObjectHelper {
    /// `to = from`
    Copy,
    /// `to = from` where components have a defined assignment.
    Assign,
    /// Frees what the object owns.
    Free,
    /// The same of an object that is finalised already.
    FreeFields,
    /// The same of a copy, which is not finalised.
    Release,
    /// Makes an object of given lengths.
    Make,
    /// Gives a flat object, which was copied as bytes, its own of what the original owns.
    Own,
}

/// What a generated function does with an object of a class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ClassHelper {
    /// Copies an object into fresh memory.
    Copy,
    /// The same for an assignment statement: components may have a defined assignment.
    Assign,
    /// Assigns an object to one of the same type that is there, for types with components that have a defined assignment.
    Replace,
    /// Frees what an object owns.
    Free,
    /// The same of a copy, which is not finalised.
    Release,
    /// Gives an object its default values.
    Init,
}
