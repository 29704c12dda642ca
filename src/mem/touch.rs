//! Notes of whole stretches of bytes that were read and written by address, for checks that watch the run time.
//!
//! The executor tells of its own loads and stores through hooks; what goes through [`Memory::read`](crate::Memory::read) and
//! its kin is noted here while somebody wants to know. A clone of a memory takes no notes.

use std::sync::{Mutex, PoisonError};

/// A stretch of bytes that was read or written at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The first byte.
    pub address: u64,
    /// How many.
    pub bytes: u64,
    /// Whether they were written.
    pub is_write: bool,
}

/// The notes, if they are wanted.
#[derive(Debug, Default)]
pub(crate) struct Touches(Option<Mutex<Vec<Touch>>>);

impl Clone for Touches {
    fn clone(&self) -> Touches {
        Touches(None)
    }
}

impl Touches {
    /// Begins or ends the notes.
    pub(crate) fn want(&mut self, is_wanted: bool) {
        self.0 = is_wanted.then(Mutex::default);
    }

    /// Notes a stretch.
    #[inline]
    pub(crate) fn note(&self, address: u64, bytes: u64, is_write: bool) {
        if let Some(list) = &self.0 {
            list.lock().unwrap_or_else(PoisonError::into_inner).push(Touch { address, bytes, is_write });
        }
    }

    /// The notes since the last call.
    pub(crate) fn take(&mut self) -> Vec<Touch> {
        self.0.as_mut().map_or_else(Vec::new, |l| std::mem::take(l.get_mut().unwrap_or_else(PoisonError::into_inner)))
    }
}
