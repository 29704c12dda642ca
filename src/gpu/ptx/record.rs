//! The buffer through which kernels report to the host what they print and why they end.
//!
//! The buffer is in global memory; the module variable [`super::RECORDS_SYMBOL`] has its address. It begins with a header
//! ([`CAPACITY`], [`NEXT`], [`FAULTS`]), followed by records of one size. A thread takes the number of its next record from
//! `NEXT` by an atomic sum, so the records of one thread are in the order in which it wrote them. A record that does not fit is
//! counted and lost. The host reads the buffer when it synchronises, so nothing in it needs to be ordered.

/// Offset in the header: how many records fit (`u64`).
pub const CAPACITY: usize = 0;
/// Offset in the header: how many records were wanted (`u64`).
pub const NEXT: usize = 8;
/// Offset in the header: how many records that end a program were wanted (`u64`).
pub const FAULTS: usize = 16;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;

/// Offset in a record: which launch, a number that grows (`u64`).
pub const GRID: usize = 0;
/// Offset in a record: number of the block in the grid, x fastest (`u64`).
pub const BLOCK: usize = 8;
/// Offset in a record: number of the thread in the block, x fastest (`u32`).
pub const THREAD: usize = 16;
/// Offset in a record: what it is, a [`Kind`] (`u32`).
pub const KIND: usize = 20;
/// Offset in a record: a small value (`u32`).
pub const EXTRA: usize = 24;
/// Offset in a record: first value (`u64`).
pub const A: usize = 32;
/// Offset in a record: second value (`u64`).
pub const B: usize = 40;
/// Bytes of a record.
pub const RECORD_BYTES: usize = 48;

/// Kinds at and above this number end the program.
pub const FIRST_FAULT: u32 = 16;

macro_rules! kinds {
    ($($name:ident = $number:literal $doc:literal;)*) => {
        /// What a record says.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Kind { $(#[doc = $doc] $name = $number,)* }

        impl Kind {
            /// The kind of that number.
            pub fn from_number(number: u32) -> Option<Kind> {
                match number { $($number => Some(Kind::$name),)* _ => None }
            }
        }
    };
}

kinds! {
    Begin = 0 "A transfer statement begins: `extra` the form, `a` the unit.";
    End = 1 "The transfer statement ends.";
    Int = 2 "An integer: `extra` its kind, `a` its value.";
    Real4 = 3 "A real(4): its bits in `a`.";
    Real8 = 4 "A real(8): its bits in `a`.";
    Complex4 = 5 "A complex(4): bits of its parts in `a` and `b`.";
    Complex8 = 6 "A complex(8): bits of its parts in `a` and `b`.";
    Logical = 7 "A logical: `extra` its kind, `a` its value.";
    Char = 8 "A character value of `a` bytes, which follow as `Text`.";
    Text = 9 "`extra` more bytes of a character value, in `a` and `b`.";
    Place = 10 "Where in the source the fault before it is: `extra` the file, `a` the first byte, `b` the end.";
    Upper = 11 "Of the bounds fault before it: `a` the upper bound.";
    Extents = 12 "Of the fault before it, where kernels launch others: `a` the extents of its grid, `b` of its block ([`extents`]).";
    Stop = 16 "STOP: `extra` 1 if ERROR STOP, `a` the code; a message may follow as `Char`.";
    Bounds = 17 "A subscript out of bounds: `extra` the dimension, `a` the subscript, `b` the lower bound.";
    Unallocated = 18 "Use of an array that is not allocated; its name follows as `Char`.";
    NoMemory = 19 "An allocation without `stat=` that failed: `a` the bytes; the name follows as `Char`.";
    Allocated = 21 "ALLOCATE of what is allocated; its name follows as `Char`.";
    Shape = 22 "Arrays that do not conform: `extra` the dimension, `a` and `b` the extents.";
    Trap = 20 "Compiled code raised an error: `extra` 0 for a zero step, 1 for a refused feature.";
}

/// The extents in a word of an `Extents` record: of a grid 32, 16 and 16 bits, of a block too.
pub fn extents(word: u64) -> [u32; 3] {
    [word as u32, (word >> 32) as u32 & 0xFFFF, (word >> 48) as u32]
}
