//! Loops over the lanes of rows, inlined into the loops of `exec`, where they become vector code.
//!
//! A loop becomes vector code reliably if it does one thing to each lane and its result goes to one place. So a result for some of
//! the lanes goes to a spare row first and is blended by a row of masks; conversions between rows and bits use the processor's
//! own instructions.
#![allow(unsafe_code)] // Instructions of a set are called where the loop is compiled for that set.

/// An instruction set that code is compiled for. A value is the proof that the processor has it, so that functions which use its
/// instructions are safe to call.
pub(crate) trait Isa: Copy {
    /// Which one.
    const LEVEL: Level;
}

/// The instruction sets that there is code for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Base,
    Avx2,
    Avx512,
}

/// What any processor has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base;

/// AVX2 and what comes with it (`code::InstructionSet`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// AVX-512 and what comes with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx2 {
    /// # Safety
    /// The processor has it.
    pub(crate) unsafe fn assume() -> Avx2 {
        Avx2(())
    }
}

impl Avx512 {
    /// # Safety
    /// The processor has it.
    pub(crate) unsafe fn assume() -> Avx512 {
        Avx512(())
    }
}

impl Isa for Base {
    const LEVEL: Level = Level::Base;
}

impl Isa for Avx2 {
    const LEVEL: Level = Level::Avx2;
}

impl Isa for Avx512 {
    const LEVEL: Level = Level::Avx512;
}

/// One value for each lane of a row.
#[inline(always)]
pub(crate) fn map<T: Copy, U: Copy + Default, const W: usize>(a: &[T; W], f: impl Fn(T) -> U) -> [U; W] {
    let mut out = [U::default(); W];
    for i in 0..W {
        out[i] = f(a[i]);
    }
    out
}

/// One value for each lane of two rows.
#[inline(always)]
pub(crate) fn zip<T: Copy, U: Copy + Default, const W: usize>(a: &[T; W], b: &[T; W], f: impl Fn(T, T) -> U) -> [U; W] {
    let mut out = [U::default(); W];
    for i in 0..W {
        out[i] = f(a[i], b[i]);
    }
    out
}

/// One value for each lane of three rows.
#[inline(always)]
pub(crate) fn zip3<T: Copy, U: Copy + Default, const W: usize>(
    a: &[T; W],
    b: &[T; W],
    c: &[T; W],
    f: impl Fn(T, T, T) -> U,
) -> [U; W] {
    let mut out = [U::default(); W];
    for i in 0..W {
        out[i] = f(a[i], b[i], c[i]);
    }
    out
}

/// The highest bits of the lanes of a row.
#[inline(always)]
pub(crate) fn top_bits<const W: usize, S: Isa>(_: S, row: &[u32; W]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if W == 32 {
        use std::arch::x86_64::{
            _mm_castsi128_ps, _mm_loadu_si128, _mm_movemask_ps, _mm256_castsi256_ps, _mm256_loadu_si256,
            _mm256_movemask_ps, _mm512_loadu_si512, _mm512_movepi32_mask,
        };
        let p = row.as_ptr();
        let mut out = 0;
        // SAFETY: the row has 32 lanes; the processor has the set, and any processor of this kind has SSE2.
        unsafe {
            match S::LEVEL {
                Level::Avx512 => {
                    for i in 0..2 {
                        out |= u32::from(_mm512_movepi32_mask(_mm512_loadu_si512(p.add(16 * i).cast()))) << (16 * i);
                    }
                }
                Level::Avx2 => {
                    for i in 0..4 {
                        let part = _mm256_castsi256_ps(_mm256_loadu_si256(p.add(8 * i).cast()));
                        out |= (_mm256_movemask_ps(part) as u32) << (8 * i);
                    }
                }
                Level::Base => {
                    for i in 0..8 {
                        let part = _mm_castsi128_ps(_mm_loadu_si128(p.add(4 * i).cast()));
                        out |= (_mm_movemask_ps(part) as u32) << (4 * i);
                    }
                }
            }
        }
        return out;
    }
    row.iter().enumerate().fold(0, |out, (i, &word)| out | word >> 31 << i)
}

/// A row with all bits one in the lanes of `bits` and zero in the others.
#[inline(always)]
pub(crate) fn masks<const W: usize, S: Isa>(_: S, bits: u32) -> [u32; W] {
    let mut out = [0; W];
    #[cfg(target_arch = "x86_64")]
    if W == 32 && S::LEVEL == Level::Avx512 {
        use std::arch::x86_64::{_mm512_movm_epi32, _mm512_storeu_si512};
        let p = out.as_mut_ptr();
        // SAFETY: the row has 32 lanes, and the processor has the set.
        unsafe {
            for i in 0..2 {
                _mm512_storeu_si512(p.add(16 * i).cast(), _mm512_movm_epi32((bits >> (16 * i)) as u16));
            }
        }
        return out;
    }
    for (i, word) in out.iter_mut().enumerate() {
        *word = 0u32.wrapping_sub(bits >> i & 1);
    }
    out
}

/// The same as a row of 64 bits.
#[inline(always)]
pub(crate) fn wide_masks<const W: usize, S: Isa>(_: S, bits: u32) -> [u64; W] {
    let mut out = [0; W];
    #[cfg(target_arch = "x86_64")]
    if W == 32 && S::LEVEL == Level::Avx512 {
        use std::arch::x86_64::{_mm512_movm_epi64, _mm512_storeu_si512};
        let p = out.as_mut_ptr();
        // SAFETY: the row has 32 lanes, and the processor has the set.
        unsafe {
            for i in 0..4 {
                _mm512_storeu_si512(p.add(8 * i).cast(), _mm512_movm_epi64((bits >> (8 * i)) as u8));
            }
        }
        return out;
    }
    for (i, word) in out.iter_mut().enumerate() {
        *word = 0u64.wrapping_sub(u64::from(bits >> i & 1));
    }
    out
}

/// The lanes of two rows for which something holds, one bit each.
#[inline(always)]
pub(crate) fn bits<T: Copy, const W: usize, S: Isa>(isa: S, a: &[T; W], b: &[T; W], f: impl Fn(T, T) -> bool) -> u32 {
    if W == 1 {
        return u32::from(f(a[0], b[0]));
    }
    top_bits(isa, &zip(a, b, |x, y| if f(x, y) { u32::MAX } else { 0 }))
}
