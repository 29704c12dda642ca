//! The variables of a random program: types, shapes, and how each is written. Makes no expressions.

/// The type of a value. Numbers in parentheses are kinds or the length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Integer(u8),
    Real(u8),
    Complex(u8),
    Logical,
    Character(usize),
}

impl Ty {
    /// The declaration of the type.
    pub(super) fn declared(self) -> String {
        match self {
            Ty::Integer(kind) => format!("integer({kind})"),
            Ty::Real(kind) => format!("real({kind})"),
            Ty::Complex(kind) => format!("complex({kind})"),
            Ty::Logical => "logical".to_owned(),
            Ty::Character(len) => format!("character({len})"),
        }
    }

    /// The edit descriptor that shows all of a value.
    pub(super) fn edit(self) -> &'static str {
        match self {
            Ty::Integer(_) => "1x,i0",
            Ty::Real(_) => "1x,f12.4",
            Ty::Complex(_) => "1x,2f12.4",
            Ty::Logical => "1x,l1",
            Ty::Character(_) => ":,1x,'[',a,']'",
        }
    }
}

/// One dimension: lower bound and extent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dim {
    pub(super) lower: i64,
    pub(super) extent: i64,
}

impl Dim {
    pub(super) fn upper(self) -> i64 {
        self.lower + self.extent - 1
    }
}

/// What holds the value of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Storage {
    Plain,
    Allocatable,
    Pointer,
}

/// A variable, or a component of one.
#[derive(Clone, Debug)]
pub(super) struct Var {
    /// What is written before the subscripts.
    pub(super) name: String,
    /// What is written behind them: components of an array of structures.
    pub(super) suffix: String,
    pub(super) ty: Ty,
    pub(super) dims: Vec<Dim>,
    pub(super) storage: Storage,
    /// Whether it may be assigned to.
    pub(super) is_writable: bool,
    /// Whether it is a named constant.
    pub(super) is_constant: bool,
    /// Whether its last dimension has no upper bound.
    pub(super) is_assumed_size: bool,
    /// Whether its length is deferred.
    pub(super) is_deferred: bool,
    /// Whether a pointer may point at it.
    pub(super) is_target: bool,
    /// Variables of one group may share memory.
    pub(super) group: usize,
}

impl Var {
    pub(super) fn extents(&self) -> Vec<i64> {
        self.dims.iter().map(|d| d.extent).collect()
    }

    /// The whole variable.
    pub(super) fn whole(&self) -> String {
        format!("{}{}", self.name, self.suffix)
    }

    /// With these subscripts.
    pub(super) fn at(&self, subscripts: &[String]) -> String {
        if subscripts.is_empty() {
            self.whole()
        } else {
            format!("{}({}){}", self.name, subscripts.join(","), self.suffix)
        }
    }
}

/// The bounds of a declaration.
pub(super) fn bounds(dims: &[Dim]) -> String {
    let one = |d: &Dim| if d.lower == 1 { d.extent.to_string() } else { format!("{}:{}", d.lower, d.upper()) };
    if dims.is_empty() { String::new() } else { format!("({})", dims.iter().map(one).collect::<Vec<_>>().join(",")) }
}

/// As many colons as dimensions.
pub(super) fn colons(rank: usize) -> String {
    if rank == 0 { String::new() } else { format!("({})", vec![":"; rank].join(",")) }
}
