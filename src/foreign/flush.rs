//! Flushes the C library's standard streams, so that what C prints comes in order with what the program prints.
#![allow(unsafe_code)] // Calls the C library by symbols of it.

use crate::libraries::Libraries;

/// What `fflush` and `__fpending` take.
type File = *mut ();

/// The functions for it, and where the C library has its streams.
pub(crate) struct Flush {
    fflush: Option<unsafe extern "C" fn(File) -> i32>,
    /// `size_t __fpending(FILE *)`, which glibc and musl have: bytes that wait to be written.
    fpending: Option<unsafe extern "C" fn(File) -> usize>,
    streams: [usize; 2],
}

impl Flush {
    pub(crate) fn new(libraries: &Libraries) -> Flush {
        let symbol = |name| libraries.symbol(name);
        // SAFETY: these are their types in every C library.
        let fflush =
            symbol("fflush").map(|f| unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(File) -> i32>(f) });
        // SAFETY: the same.
        let fpending = symbol("__fpending")
            .map(|f| unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(File) -> usize>(f) });
        let streams = ["stdout", "stderr"].map(symbol);
        let is_known = streams.iter().all(Option::is_some);
        Flush { fflush, fpending: fpending.filter(|_| is_known), streams: streams.map(|at| at.unwrap_or(0)) }
    }

    /// Has the streams write what waits.
    pub(crate) fn flush(&self) {
        let Some(fflush) = self.fflush else { return };
        let Some(fpending) = self.fpending else {
            // SAFETY: a null pointer stands for all streams.
            unsafe { fflush(std::ptr::null_mut()) };
            return;
        };
        for stream in self.streams {
            // SAFETY: the variables `stdout` and `stderr` of the C library hold streams.
            unsafe {
                let stream = (stream as *const File).read();
                if !stream.is_null() && fpending(stream) > 0 {
                    fflush(stream);
                }
            }
        }
    }
}
