//! The end of a process whose C code has crashed or does not return.
//!
//! Libraries have procedures that the C library calls when a process ends. Where a call never came back, such a procedure may wait for
//! ever for a lock that the call holds.
#![allow(unsafe_code)] // Calls `_exit`.

use std::sync::atomic::{AtomicBool, Ordering};

static HAS_CRASHED: AtomicBool = AtomicBool::new(false);

/// Whether C code has crashed in this process.
pub fn has_crashed() -> bool {
    HAS_CRASHED.load(Ordering::Relaxed)
}

pub(crate) fn note_crash() {
    HAS_CRASHED.store(true, Ordering::Relaxed);
}

/// Ends the process without what libraries do at its end. What waits to be printed must have been.
pub fn end_at_once(code: i32) -> ! {
    // SAFETY: `_exit` may be called at any time.
    #[cfg(unix)]
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(unix))]
    std::process::exit(code)
}
