//! Words, and how they are read from and written to the pages of a backing.
//!
//! These are the accesses of the executor's hot loop, so the bounds are the caller's duty (`view` checks them once for all
//! lanes). Not here: addresses, lanes and live allocations.
#![allow(unsafe_code)] // Reads and writes through pointers into pages, whose bounds the caller has checked.

use crate::backing::Backing;
use crate::header::PAGE;

mod sealed {
    /// Keeps [`super::Word`] to the types below, of which every bit pattern is a value.
    pub trait Sealed {}
}

/// A word that memory operations move: bits without a meaning.
pub trait Word: sealed::Sealed + Copy + Default + PartialEq + std::fmt::Debug {
    /// Size in bytes.
    const BYTES: usize;
    /// Little-endian bytes, the first `BYTES` of the array.
    fn to_bytes(self) -> [u8; 8];
    /// From little-endian bytes.
    fn from_bytes(bytes: [u8; 8]) -> Self;
    /// The bits, zero-extended.
    fn word(self) -> u64;
    /// From the first `BYTES` of a slice that has as many.
    fn read(bytes: &[u8]) -> Self;
    /// To the first `BYTES` of a slice that has as many.
    fn write(self, bytes: &mut [u8]);
}

macro_rules! words {
    ($($ty:ident $bytes:literal;)*) => {$(
        impl sealed::Sealed for $ty {}

        impl Word for $ty {
            const BYTES: usize = $bytes;

            #[inline(always)]
            fn to_bytes(self) -> [u8; 8] {
                u64::from(self).to_le_bytes()
            }

            #[inline(always)]
            fn from_bytes(bytes: [u8; 8]) -> $ty {
                u64::from_le_bytes(bytes) as $ty
            }

            #[inline(always)]
            fn word(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn read(bytes: &[u8]) -> $ty {
                let mut word = [0; $bytes];
                word.copy_from_slice(&bytes[..$bytes]);
                $ty::from_le_bytes(word)
            }

            #[inline(always)]
            fn write(self, bytes: &mut [u8]) {
                bytes[..$bytes].copy_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

words! {
    u8 1;
    u16 2;
    u32 4;
    u64 8;
}

impl Backing {
    /// Reads a word.
    ///
    /// # Safety
    /// The word lies in the backing.
    #[inline(always)]
    pub(crate) unsafe fn load<T: Word>(&self, offset: usize) -> T {
        if offset % PAGE + T::BYTES <= PAGE {
            // SAFETY: the word lies in one page.
            return unsafe { self.read_ptr(offset).map_or(T::default(), |p| p.cast::<T>().read_unaligned()) };
        }
        let mut bytes = [0; 8];
        self.read(offset, &mut bytes[..T::BYTES]);
        T::from_bytes(bytes)
    }

    /// Writes a word. `None` if the pool has no page for it.
    ///
    /// # Safety
    /// The word lies in the backing, and no other thread accesses its bytes meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn store<T: Word>(&self, offset: usize, value: T) -> Option<()> {
        if offset % PAGE + T::BYTES <= PAGE {
            // SAFETY: the word lies in one page of the backing's own.
            unsafe { self.write_ptr(offset)?.as_ptr().cast::<T>().write_unaligned(value) };
            return Some(());
        }
        // SAFETY: the caller's.
        unsafe { self.write(offset, &value.to_bytes()[..T::BYTES]) }
    }

    /// Reads `N` consecutive words.
    ///
    /// # Safety
    /// They lie in one page of the backing.
    #[inline(always)]
    pub(crate) unsafe fn load_row<T: Word, const N: usize>(&self, offset: usize, out: &mut [T; N]) {
        // Each way writes the row itself, so that no copy of it goes through the stack.
        // SAFETY: the whole row lies in one page.
        match unsafe { self.read_ptr(offset) } {
            Some(p) => *out = unsafe { p.cast::<[T; N]>().read_unaligned() },
            None => *out = [T::default(); N],
        }
    }

    /// Writes consecutive words. `None` if the pool has no page for them.
    ///
    /// # Safety
    /// They lie in one page of the backing, and no other thread accesses their bytes meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn store_row<T: Word>(&self, offset: usize, values: &[T]) -> Option<()> {
        // SAFETY: all the words lie in one page of the backing's own.
        unsafe {
            let p = self.write_ptr(offset)?.as_ptr();
            std::ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), p, size_of_val(values));
        }
        Some(())
    }

    /// Asks the processor for the two cache lines at `offset` ahead of their use.
    ///
    /// # Safety
    /// The byte lies in the backing.
    #[inline(always)]
    pub(crate) unsafe fn prefetch(&self, offset: usize) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: a prefetch reads nothing that a program could see, wherever it points.
        if let Some(p) = unsafe { self.read_ptr(offset) } {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(p.cast());
                _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(64).cast());
            }
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        let _ = offset;
    }
}
