//! The numbers that routines compute with: real and complex, of 4 and 8 bytes a part.

use device::Number;
use num_complex::Complex;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number.
pub(crate) trait Element:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + 'static
{
    /// Its bytes in memory.
    const BYTES: usize;
    /// What a part is in memory.
    const NUMBER: Number = if size_of::<Self::Real>() == 4 { Number::Real4 } else { Number::Real8 };
    const ZERO: Self;
    /// A part.
    type Real: Element + Into<f64> + PartialOrd;

    /// From bytes in memory, as many as it has.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// To bytes in memory, as many as it has.
    fn to_bytes(self, bytes: &mut [u8]);
    /// Numbers as their bytes in memory, where this processor has them in the same way.
    fn as_bytes(_values: &[Self]) -> Option<&[u8]> {
        None
    }
    /// The same, to be written.
    fn as_bytes_mut(_values: &mut [Self]) -> Option<&mut [u8]> {
        None
    }
    /// The conjugate of a complex number, another itself.
    fn conjugate(self) -> Self;
    /// The real part.
    fn real(self) -> Self::Real;
    /// From a real.
    fn from_real(real: Self::Real) -> Self;
    /// A real of that value.
    fn real_of(value: f64) -> Self::Real;
    /// The sum of the absolute values of the parts, by which BLAS compares.
    fn magnitude(self) -> Self::Real;
    /// The square of the absolute value.
    fn square(self) -> f64;
}

macro_rules! reals {
    ($($ty:ident)*) => {$(
        impl Element for $ty {
            const BYTES: usize = size_of::<$ty>();
            const ZERO: $ty = 0.0;
            type Real = $ty;

            fn from_bytes(bytes: &[u8]) -> $ty {
                bytes.try_into().map_or(0.0, $ty::from_le_bytes)
            }

            fn to_bytes(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            fn as_bytes(values: &[$ty]) -> Option<&[u8]> {
                cfg!(target_endian = "little").then(|| bytemuck::cast_slice(values))
            }

            fn as_bytes_mut(values: &mut [$ty]) -> Option<&mut [u8]> {
                cfg!(target_endian = "little").then(|| bytemuck::cast_slice_mut(values))
            }

            fn conjugate(self) -> $ty {
                self
            }

            fn real(self) -> $ty {
                self
            }

            fn from_real(real: $ty) -> $ty {
                real
            }

            fn real_of(value: f64) -> $ty {
                value as $ty
            }

            fn magnitude(self) -> $ty {
                self.abs()
            }

            fn square(self) -> f64 {
                f64::from(self) * f64::from(self)
            }
        }

        impl Element for Complex<$ty> {
            const BYTES: usize = 2 * size_of::<$ty>();
            const ZERO: Complex<$ty> = Complex::new(0.0, 0.0);
            type Real = $ty;

            fn from_bytes(bytes: &[u8]) -> Complex<$ty> {
                let (re, im) = bytes.split_at(bytes.len() / 2);
                Complex::new($ty::from_bytes(re), $ty::from_bytes(im))
            }

            fn to_bytes(self, bytes: &mut [u8]) {
                let (re, im) = bytes.split_at_mut(size_of::<$ty>());
                self.re.to_bytes(re);
                self.im.to_bytes(im);
            }

            fn as_bytes(values: &[Complex<$ty>]) -> Option<&[u8]> {
                cfg!(target_endian = "little").then(|| bytemuck::cast_slice(values))
            }

            fn as_bytes_mut(values: &mut [Complex<$ty>]) -> Option<&mut [u8]> {
                cfg!(target_endian = "little").then(|| bytemuck::cast_slice_mut(values))
            }

            fn conjugate(self) -> Complex<$ty> {
                self.conj()
            }

            fn real(self) -> $ty {
                self.re
            }

            fn from_real(real: $ty) -> Complex<$ty> {
                Complex::new(real, 0.0)
            }

            fn real_of(value: f64) -> $ty {
                value as $ty
            }

            fn magnitude(self) -> $ty {
                self.re.abs() + self.im.abs()
            }

            fn square(self) -> f64 {
                self.re.square() + self.im.square()
            }
        }
    )*};
}

reals! { f32 f64 }
