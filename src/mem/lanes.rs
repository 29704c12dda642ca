//! Words of memory, and the addresses of a warp's lanes.
#![allow(unsafe_code)] // Reads and writes words through the page pointers of `page`, whose bounds the caller has checked.

use crate::page::{Backing, PAGE};

/// A word that memory operations move: bits without a meaning.
pub trait Word: Copy + Default + PartialEq + std::fmt::Debug {
    /// Size in bytes.
    const BYTES: usize;
    /// Little-endian bytes, the first `BYTES` of the array.
    fn to_bytes(self) -> [u8; 8];
    /// From little-endian bytes.
    fn from_bytes(bytes: [u8; 8]) -> Self;
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
            Lanes::Each(addresses) => addresses[lane],
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

/// Writes a word at `offset`; the word lies in the backing.
#[inline(always)]
pub(crate) fn store_at<T: Word>(backing: &Backing, offset: usize, value: T) {
    if offset % PAGE + T::BYTES <= PAGE {
        // SAFETY: the word lies in one page of the backing's own.
        unsafe { backing.write_ptr(offset).cast::<T>().write_unaligned(value) };
    } else {
        backing.write(offset, &value.to_bytes()[..T::BYTES]);
    }
}

/// Reads a row of `W` words into the lanes of `mask`; the row lies in one page of the backing.
#[inline(always)]
pub(crate) fn load_row<T: Word, const W: usize>(backing: &Backing, offset: usize, mask: u32, out: &mut [T; W]) {
    let row = match backing.read_ptr(offset) {
        // SAFETY: the whole row lies in one page.
        Some(p) => unsafe { p.cast::<[T; W]>().read_unaligned() },
        None => [T::default(); W],
    };
    if mask.count_ones() as usize == W {
        *out = row;
    } else {
        for i in 0..W {
            if mask >> i & 1 != 0 {
                out[i] = row[i];
            }
        }
    }
}

/// Writes a row of `W` words from the lanes of `mask`; the row lies in one page of the backing. Says whether it did: a
/// partial row is left to the caller, since words between its lanes may be another worker's.
#[inline(always)]
pub(crate) fn store_row<T: Word, const W: usize>(backing: &Backing, offset: usize, mask: u32, values: &[T; W]) -> bool {
    if mask.count_ones() as usize != W {
        return false;
    }
    // SAFETY: the whole row lies in one page of the backing's own.
    unsafe { backing.write_ptr(offset).cast::<[T; W]>().write_unaligned(*values) };
    true
}
