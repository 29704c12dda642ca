//! The numbers of handles: one range for each kind of object, so that a handle of another kind is recognised.
//!
//! The modules in `src/compile/modules` have the same numbers.

use std::collections::BTreeMap;

/// Bits of the number within a kind.
const BITS: u32 = 24;

/// A kind of object. The null handle of each has number 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Kind {
    Communicator = 1,
    Group = 2,
    Datatype = 3,
    Request = 4,
    Operation = 5,
    ErrorHandler = 6,
    Info = 7,
    File = 8,
    Window = 9,
    /// A message that a matched probe has taken.
    Message = 10,
}

impl Kind {
    /// The handle with that number.
    pub(crate) fn handle(self, number: u32) -> i32 {
        ((self as u32) << BITS | number & ((1 << BITS) - 1)) as i32
    }

    /// The number of a handle of this kind.
    pub(crate) fn number(self, handle: i32) -> Option<u32> {
        (handle as u32 >> BITS == self as u32).then_some(handle as u32 & ((1 << BITS) - 1))
    }

    /// The kind of a handle.
    pub(crate) fn of(handle: i32) -> Option<Kind> {
        let all = [
            Kind::Communicator,
            Kind::Group,
            Kind::Datatype,
            Kind::Request,
            Kind::Operation,
            Kind::ErrorHandler,
            Kind::Info,
            Kind::File,
            Kind::Window,
            Kind::Message,
        ];
        all.into_iter().find(|kind| kind.number(handle).is_some())
    }

    /// What a message calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Communicator => "communicator",
            Kind::Group => "group",
            Kind::Datatype => "datatype",
            Kind::Request => "request",
            Kind::Operation => "reduction operation",
            Kind::ErrorHandler => "error handler",
            Kind::Info => "info object",
            Kind::File => "file",
            Kind::Window => "window",
            Kind::Message => "message",
        }
    }
}

/// The objects of a kind that a rank has made, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    objects: BTreeMap<u32, T>,
    next: u32,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { objects: BTreeMap::new(), next: FIRST_OWN }
    }
}

impl<T> Table<T> {
    /// Adds one; gives its number.
    pub(crate) fn add(&mut self, object: T) -> u32 {
        let number = free_number(&mut self.next, |number| self.objects.contains_key(&number));
        self.objects.insert(number, object);
        number
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.objects.get(&number)
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.objects.get_mut(&number)
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.objects.values()
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        self.objects.remove(&number)
    }
}

/// The next number that no object has; numbers are used again only after all others.
pub(crate) fn free_number(next: &mut u32, is_used: impl Fn(u32) -> bool) -> u32 {
    let after = |number: u32| if number + 1 >= END { FIRST_OWN } else { number + 1 };
    while is_used(*next) {
        *next = after(*next);
    }
    let number = *next;
    *next = after(number);
    number
}

/// `MPI_COMM_WORLD`.
pub(crate) const WORLD: u32 = 1;
/// `MPI_COMM_SELF`.
pub(crate) const SELF: u32 = 2;
/// `MPI_GROUP_EMPTY`.
pub(crate) const EMPTY_GROUP: u32 = 1;
/// The first number of objects that a program makes.
pub(crate) const FIRST_OWN: u32 = 256;
/// One past the last number.
pub(crate) const END: u32 = 1 << BITS;

/// `MPI_ANY_SOURCE`, `MPI_ANY_TAG`, `MPI_PROC_NULL`, `MPI_ROOT`, `MPI_UNDEFINED`.
pub(crate) const ANY_SOURCE: i32 = -1;
pub(crate) const ANY_TAG: i32 = -1;
pub(crate) const PROC_NULL: i32 = -2;
pub(crate) const UNDEFINED: i32 = -32766;
/// `MPI_BSEND_OVERHEAD`.
pub(crate) const BSEND_OVERHEAD: u64 = 64;
/// The largest tag, `MPI_TAG_UB`.
pub(crate) const LARGEST_TAG: i32 = i32::MAX;
