//! What is known of a page, and how large a whole one is.
//!
//! Not here: where headers lie (`page`, `arena`).

use crate::sync::AtomicUsize;
use std::sync::atomic::{AtomicBool, AtomicU32};

/// Bytes of a whole page.
pub(crate) const PAGE: usize = 1 << 16;

/// What is known of a page. Zeros are the header of a page that nobody refers to.
#[repr(C, align(16))]
pub(crate) struct Header {
    /// References.
    pub(crate) count: AtomicUsize,
    /// Bytes of the page.
    pub(crate) bytes: AtomicU32,
    /// Of a block: bytes from its beginning to those of the page; fewer than a line and a header.
    pub(crate) lead: u8,
    /// Of a page in the arena: whether its bytes may not be zeros.
    pub(crate) is_used: AtomicBool,
    /// Stands for the bytes, so that the model checker sees who uses them when.
    #[cfg(loom)]
    pub(crate) tracked: loom::cell::UnsafeCell<()>,
}
