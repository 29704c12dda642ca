//! Fortran's bit field intrinsics (Fortran 2018, 16.9): fields, masks, single bits, shifts of joined integers.
//!
//! Positions and lengths that the standard forbids have the result that clamped shifts give; nothing panics. Callers use the
//! functions through `int`.

#![allow(clippy::inline_always)]

use super::{Int, not, shl, shr};

/// Fortran's `dshiftl(a, b, n)`: the high half of `a` and `b`, joined, shifted left by `n` (0 to the width).
#[inline(always)]
pub fn dshiftl<T: Int>(a: T, b: T, n: i32) -> T {
    let n = n as u32;
    shl(a, n) | shr(b, T::BITS.wrapping_sub(n))
}

/// Fortran's `dshiftr(a, b, n)`: the low half of `a` and `b`, joined, shifted right by `n` (0 to the width).
#[inline(always)]
pub fn dshiftr<T: Int>(a: T, b: T, n: i32) -> T {
    let n = n as u32;
    shl(a, T::BITS.wrapping_sub(n)) | shr(b, n)
}

/// The lowest `n` bits one, the rest 0; `n` below 0 counts as 0, above the width as the width (`maskr`).
#[inline(always)]
pub fn maskr<T: Int>(n: i32) -> T {
    if n <= 0 { T::ZERO } else { not(shl(not(T::ZERO), n as u32)) }
}

/// The highest `n` bits one, the rest 0 (`maskl`).
#[inline(always)]
pub fn maskl<T: Int>(n: i32) -> T {
    if n <= 0 { T::ZERO } else { shl(not(T::ZERO), T::BITS.saturating_sub(n as u32)) }
}

/// Fortran's `ishftc(a, n, size)`: the lowest `size` bits rotate left by `n` (right where negative), the others stay.
///
/// A `size` outside 1 to the width counts as the width; `n` counts modulo `size`.
#[inline(always)]
pub fn ishftc<T: Int>(a: T, n: i32, size: i32) -> T {
    let size = if size <= 0 || size as u32 > T::BITS { T::BITS as i32 } else { size };
    let left = n.rem_euclid(size) as u32;
    let mask = maskr::<T>(size);
    let field = a & mask;
    let turned = (shl(field, left) | shr(field, size as u32 - left)) & mask;
    (a & !mask) | turned
}

/// Fortran's `ibits(a, pos, len)`: `len` bits from bit `pos`, right adjusted.
#[inline(always)]
pub fn ibits<T: Int>(a: T, pos: i32, len: i32) -> T {
    shr(a, pos as u32) & maskr(len)
}

/// What Fortran's `mvbits(from, frompos, len, to, topos)` leaves in `to`.
#[inline(always)]
pub fn mvbits<T: Int>(from: T, frompos: i32, len: i32, to: T, topos: i32) -> T {
    let mask = shl(maskr::<T>(len), topos as u32);
    (to & !mask) | (shl(shr(from, frompos as u32), topos as u32) & mask)
}

/// `merge_bits(a, b, mask)`: bits of `a` where the mask is one, else of `b`.
#[inline(always)]
pub fn merge_bits<T: Int>(a: T, b: T, mask: T) -> T {
    (a & mask) | (b & !mask)
}

/// `btest(a, pos)`; false beyond the width.
#[inline(always)]
pub fn btest<T: Int>(a: T, pos: i32) -> bool {
    shr(a, pos as u32) & T::ONE != T::ZERO
}

/// `ibset(a, pos)`.
#[inline(always)]
pub fn ibset<T: Int>(a: T, pos: i32) -> T {
    a | shl(T::ONE, pos as u32)
}

/// `ibclr(a, pos)`.
#[inline(always)]
pub fn ibclr<T: Int>(a: T, pos: i32) -> T {
    a & !shl(T::ONE, pos as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_of_a_field_leaves_the_other_bits() {
        assert_eq!(ishftc(0b1011_0110_i32, 1, 4), 0b1011_1100);
        assert_eq!(ishftc(0b1011_0110_i32, -1, 4), 0b1011_0011);
        for n in -40..40 {
            assert_eq!(ishftc(0x1234_5678_i32, n, 32), 0x1234_5678_i32.rotate_left(n.rem_euclid(32) as u32));
        }
    }

    #[test]
    fn bit_fields_are_taken_and_moved_as_the_standard_says() {
        assert_eq!(ibits(14, 1, 3), 7);
        assert_eq!(ibits(-1_i32, 0, 32), -1);
        assert_eq!(mvbits(7, 0, 2, 6, 0), 7);
        assert_eq!(mvbits(0b1101_i32, 1, 3, 0, 4), 0b0110_0000);
        assert_eq!(dshiftl(1, 1 << 30, 2), 5);
        assert_eq!(dshiftr(1, 16, 3), (1 << 29) + 2);
        assert_eq!(dshiftl(5, 9, 0), 5);
        assert_eq!(dshiftr(5, 9, 32), 5);
        assert_eq!((maskl::<i32>(3), maskr::<i32>(3)), (7 << 29, 7));
        assert_eq!((maskl::<i8>(8), maskr::<i8>(8), maskl::<i8>(0)), (-1, -1, 0));
        assert!(btest(4, 2) && !btest(4, 1) && !btest(-1, 40));
    }
}
