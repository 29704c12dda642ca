//! Numbers of 2 bytes: they come and go rounded, and are computed with as numbers of 4 bytes.

use crate::element::Element;
use device::Number;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number of IEEE binary16 in memory.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub(crate) struct Half(f32);

macro_rules! operations {
    ($($of:ident $run:ident $assigning:ident $assign:ident $sign:tt)*) => {$(
        impl $of for Half {
            type Output = Half;

            fn $run(self, other: Half) -> Half {
                Half(self.0 $sign other.0)
            }
        }
        operations! { @ $assigning $assign $sign }
    )*};
    (@ None $assign:ident $sign:tt) => {};
    (@ $assigning:ident $assign:ident $sign:tt) => {
        impl $assigning for Half {
            fn $assign(&mut self, other: Half) {
                self.0 = self.0 $sign other.0;
            }
        }
    };
}

operations! {
    Add add AddAssign add_assign +
    Sub sub SubAssign sub_assign -
    Mul mul MulAssign mul_assign *
    Div div None none /
}

impl Neg for Half {
    type Output = Half;

    fn neg(self) -> Half {
        Half(-self.0)
    }
}

impl From<Half> for f32 {
    fn from(half: Half) -> f32 {
        half.0
    }
}

impl From<Half> for f64 {
    fn from(half: Half) -> f64 {
        half.0.into()
    }
}

impl From<f32> for Half {
    fn from(real: f32) -> Half {
        Half(real)
    }
}

impl Element for Half {
    const BYTES: usize = 2;
    const NUMBER: Number = Number::Real2;
    const ZERO: Half = Half(0.0);
    type Real = Half;

    fn from_bytes(bytes: &[u8]) -> Half {
        Half(bytes.try_into().map_or(0.0, |bytes| scalar::half::widen(u16::from_le_bytes(bytes))))
    }

    fn to_bytes(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&scalar::half::round(self.0.into()).to_le_bytes());
    }

    fn conjugate(self) -> Half {
        self
    }

    fn real(self) -> Half {
        self
    }

    fn from_real(real: Half) -> Half {
        real
    }

    fn real_of(value: f64) -> Half {
        Half(value as f32)
    }

    fn magnitude(self) -> Half {
        Half(self.0.abs())
    }

    fn square(self) -> f64 {
        f64::from(self.0) * f64::from(self.0)
    }
}
