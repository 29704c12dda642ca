//! What a procedure of the program that C calls gets from C, and gives back: registers.
//!
//! Not here: who makes a frame (`stack`), what the registers mean (`call`).

/// The registers with which C called an entry, and those with which it goes on. `stack` fills it and knows the layout.
#[repr(C)]
pub(crate) struct Frame {
    pub(crate) integers: [u64; 6],
    pub(crate) reals: [u64; 8],
    /// The words of the stack that C passes.
    pub(crate) stack: *const u64,
    /// The address behind the call in the entry.
    pub(crate) entry: u64,
    /// The result: two integers.
    pub(crate) integer_results: [u64; 2],
    /// The result: two reals.
    pub(crate) real_results: [u64; 2],
}
