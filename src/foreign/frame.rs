//! The registers of a call by C's convention, in either direction.
//!
//! Not here: who fills a frame and makes the call (`stack`), what the registers mean (`call`).

/// The registers with which a procedure is called, and those with which it goes on. `stack` knows the layout.
#[repr(C)]
pub(crate) struct Frame {
    pub(crate) integers: [u64; 6],
    pub(crate) reals: [u64; 8],
    /// The words of the stack that are passed.
    pub(crate) stack: *const u64,
    /// How many there are. Where C calls an entry this is the address behind the call in the entry.
    pub(crate) count: u64,
    /// The result: two integers.
    pub(crate) integer_results: [u64; 2],
    /// The result: two reals.
    pub(crate) real_results: [u64; 2],
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            integers: [0; 6],
            reals: [0; 8],
            stack: std::ptr::null(),
            count: 0,
            integer_results: [0; 2],
            real_results: [0; 2],
        }
    }
}
