//! Words of memory, and the addresses of a warp's lanes.
#![allow(unsafe_code)] // Reads and writes words through the page pointers of `page`, whose bounds the caller has checked.

use crate::backing::Backing;
use crate::page::PAGE;

/// A word that memory operations move: bits without a meaning.
pub trait Word: Copy + Default + PartialEq + std::fmt::Debug {
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

/// The addresses of one memory instruction of a warp of `W` lanes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lanes<const W: usize> {
    /// Lane `i` is at this address plus `i` words.
    Contiguous(u64),
    /// All lanes are at this address.
    Uniform(u64),
    /// The lanes form rows of a regular grid.
    Grid(Grid),
    /// Each lane is at its own; those of inactive lanes mean nothing.
    Each([u64; W]),
}

impl<const W: usize> Lanes<W> {
    /// Classifies the addresses of the lanes of `mask` for words of `bytes`.
    #[inline(always)]
    pub fn of(addresses: &[u64; W], mask: u32, bytes: usize) -> Lanes<W> {
        if mask == 0 {
            return Lanes::Each(*addresses);
        }
        let first = mask.trailing_zeros() as usize;
        let anchor = addresses[first];
        let row = anchor.wrapping_sub((first * bytes) as u64);
        let full = mask.count_ones() as usize == W;
        let mut contiguous = true;
        let mut uniform = true;
        for (i, &a) in addresses.iter().enumerate() {
            let idle = !full && mask >> i & 1 == 0;
            contiguous &= idle || (a == row.wrapping_add((i * bytes) as u64));
            uniform &= idle || (a == anchor);
        }
        if contiguous {
            Lanes::Contiguous(row)
        } else if uniform {
            Lanes::Uniform(anchor)
        } else {
            Lanes::Each(*addresses)
        }
    }

    /// The address of lane `lane` for words of `bytes`.
    #[inline(always)]
    pub fn address(&self, lane: usize, bytes: usize) -> u64 {
        match self {
            Lanes::Contiguous(base) => base.wrapping_add((lane * bytes) as u64),
            Lanes::Uniform(address) => *address,
            Lanes::Grid(grid) => grid.address(lane),
            Lanes::Each(addresses) => addresses[lane],
        }
    }
}

/// Addresses of lanes that form rows: lane `i` is `i % lanes` steps and `i / lanes` rows from the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Address of lane 0.
    pub first: u64,
    /// Lanes of a row, a power of two; all lanes of the warp if there is one row.
    pub lanes: u32,
    /// Bytes from a lane to the next in its row.
    pub step: i64,
    /// Bytes from a row to the next.
    pub row: i64,
    /// The lowest address of a lane, active or not.
    pub low: u64,
    /// How far above it the highest is.
    pub span: u64,
}

impl Grid {
    /// All of `width` lanes at one address.
    #[inline(always)]
    pub fn uniform(address: u64, width: usize) -> Grid {
        Grid { first: address, lanes: width as u32, step: 0, row: 0, low: address, span: 0 }
    }

    /// The same, so many bytes further on.
    #[inline(always)]
    #[must_use]
    pub fn moved(self, bytes: i64) -> Grid {
        Grid { first: self.first.wrapping_add_signed(bytes), low: self.low.wrapping_add_signed(bytes), ..self }
    }

    /// How far lane `lane` is from the first.
    #[inline(always)]
    fn offset(&self, lane: usize) -> i64 {
        let (row, column) = (lane as i64 >> self.lanes.trailing_zeros(), lane as i64 & (i64::from(self.lanes) - 1));
        column.wrapping_mul(self.step).wrapping_add(row.wrapping_mul(self.row))
    }

    /// The address of a lane.
    #[inline(always)]
    pub fn address(&self, lane: usize) -> u64 {
        self.first.wrapping_add_signed(self.offset(lane))
    }

    /// Whether every lane's address is a multiple of `bytes`, a power of two.
    #[inline(always)]
    pub fn is_aligned(&self, bytes: usize) -> bool {
        (self.first | self.step as u64 | self.row as u64) & (bytes as u64 - 1) == 0
    }

    /// The same as the plainest kind of [`Lanes`], for words of `bytes`.
    #[inline(always)]
    pub fn lanes<const W: usize>(self, bytes: usize) -> Lanes<W> {
        if self.lanes as usize == W && self.step == 0 {
            Lanes::Uniform(self.first)
        } else if self.lanes as usize == W && self.step == bytes as i64 {
            Lanes::Contiguous(self.first)
        } else {
            Lanes::Grid(self)
        }
    }
}

/// Reads a word at `offset`; the word lies in the backing.
#[inline(always)]
pub(crate) fn load_at<T: Word>(backing: &Backing, offset: usize) -> T {
    if offset % PAGE + T::BYTES <= PAGE {
        // SAFETY: the word lies in one page.
        return backing.read_ptr(offset).map_or(T::default(), |p| unsafe { p.cast::<T>().read_unaligned() });
    }
    let mut bytes = [0; 8];
    backing.read(offset, &mut bytes[..T::BYTES]);
    T::from_bytes(bytes)
}

/// Writes a word at `offset`; the word lies in the backing. `None` if there is no room for its page.
#[inline(always)]
pub(crate) fn store_at<T: Word>(backing: &Backing, offset: usize, value: T) -> Option<()> {
    if offset % PAGE + T::BYTES <= PAGE {
        // SAFETY: the word lies in one page of the backing's own.
        unsafe { backing.write_ptr(offset)?.as_ptr().cast::<T>().write_unaligned(value) };
        return Some(());
    }
    backing.write(offset, &value.to_bytes()[..T::BYTES])
}

/// Reads a row of `W` words; the row lies in one page of the backing.
#[inline(always)]
pub(crate) fn load_row<T: Word, const W: usize>(backing: &Backing, offset: usize, out: &mut [T; W]) {
    // Each way writes the row itself, so that no copy of it goes through the stack.
    match backing.read_ptr(offset) {
        // SAFETY: the whole row lies in one page.
        Some(p) => *out = unsafe { p.cast::<[T; W]>().read_unaligned() },
        None => *out = [T::default(); W],
    }
}

/// Asks the processor for the line at `offset`, which lies in the backing, ahead of its use.
#[inline(always)]
pub(crate) fn prefetch(backing: &Backing, offset: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(p) = backing.read_ptr(offset) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that a program could see, wherever it points.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(p.cast());
            _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(64).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (backing, offset);
}

/// Writes consecutive words; they lie in one page of the backing. `None` if there is no room for it.
#[inline(always)]
pub(crate) fn store_run<T: Word>(backing: &Backing, offset: usize, values: &[T]) -> Option<()> {
    let p = backing.write_ptr(offset)?.as_ptr();
    // SAFETY: all the words lie in one page of the backing's own.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), p, size_of_val(values)) };
    Some(())
}

/// Writes a row of `W` words from the lanes of `mask`; the row lies in one page of the backing. Says whether it did: a
/// partial row is left to the caller, since words between its lanes may be another worker's.
#[inline(always)]
pub(crate) fn store_row<T: Word, const W: usize>(backing: &Backing, offset: usize, mask: u32, values: &[T; W]) -> bool {
    if mask.count_ones() as usize != W {
        return false;
    }
    let Some(p) = backing.write_ptr(offset) else { return false };
    // SAFETY: the whole row lies in one page of the backing's own.
    unsafe { p.as_ptr().cast::<[T; W]>().write_unaligned(*values) };
    true
}
