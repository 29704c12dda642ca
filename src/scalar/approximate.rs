//! Stand-ins for the approximate operations of a GPU: `sin.approx` and kin of PTX (PTX ISA 9.7.3).
//!
//! NVIDIA states their largest errors and no algorithm, so their bits are those of the GPU alone. Here each is the exact result,
//! computed in real(8) and rounded to real(4). The functions are portable: every machine gives the same bits.
//!
//! Not here: exact operations (`real`).

use crate::real::Real;

fn of(x: f64) -> f32 {
    (x as f32).canonical()
}

/// The sine of an angle in radians.
pub fn sin(x: f32) -> f32 {
    of(libm::sin(x.into()))
}

/// The cosine of an angle in radians.
pub fn cos(x: f32) -> f32 {
    of(libm::cos(x.into()))
}

/// 2 to the power `x`.
pub fn exp2(x: f32) -> f32 {
    of(libm::exp2(x.into()))
}

/// The logarithm to the base 2.
pub fn log2(x: f32) -> f32 {
    of(libm::log2(x.into()))
}

/// `1 / sqrt(x)`.
pub fn rsqrt(x: f32) -> f32 {
    of(1.0 / f64::from(x).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values_are_those_of_ptx() {
        assert_eq!(exp2(-200.0), 0.0);
        assert_eq!(exp2(128.0), f32::INFINITY);
        assert_eq!(exp2(3.0), 8.0);
        assert_eq!(log2(0.0), f32::NEG_INFINITY);
        assert_eq!(log2(8.0), 3.0);
        assert_eq!(rsqrt(0.0), f32::INFINITY);
        assert_eq!(rsqrt(-0.0), f32::NEG_INFINITY);
        assert_eq!(rsqrt(4.0), 0.5);
        for nan in [sin(f32::INFINITY), cos(f32::NEG_INFINITY), log2(-1.0), rsqrt(-1.0)] {
            assert_eq!(nan.to_bits(), 0x7fff_ffff);
        }
    }
}
