//! The mathematical functions on constants.
//!
//! They are needed where a constant is required (`real, parameter :: pi = 4 * atan(1.0)`); references in executable code
//! are left to the run time's own functions, so that both agree with the device. real(4) is computed in real(8) and
//! rounded once.

use crate::checked::Intrinsic;

/// A function of one real argument; `None` where it is not known here, NaN outside its domain.
pub(super) fn one(id: Intrinsic, x: f64) -> Option<f64> {
    Some(match id {
        Intrinsic::Acos => x.acos(),
        Intrinsic::Acosh => x.acosh(),
        Intrinsic::Asin => x.asin(),
        Intrinsic::Asinh => x.asinh(),
        Intrinsic::Atan => x.atan(),
        Intrinsic::Atanh => x.atanh(),
        Intrinsic::Cos => x.cos(),
        Intrinsic::Cosh => x.cosh(),
        Intrinsic::Exp => x.exp(),
        Intrinsic::Log => x.ln(),
        Intrinsic::Log10 => x.log10(),
        Intrinsic::Sin => x.sin(),
        Intrinsic::Sinh => x.sinh(),
        Intrinsic::Tan => x.tan(),
        Intrinsic::Sinpi => in_half_turns(x).0,
        Intrinsic::Cospi => in_half_turns(x).1,
        Intrinsic::Tanpi => {
            let (sine, cosine) = in_half_turns(x);
            // A zero of the cosine is positive, and so is the pole behind an even number.
            if cosine == 0.0 { sine * f64::INFINITY } else { sine / cosine }
        }
        Intrinsic::Tanh => x.tanh(),
        Intrinsic::Gamma => libm::tgamma(x),
        Intrinsic::LogGamma => libm::lgamma(x),
        Intrinsic::Erf => libm::erf(x),
        Intrinsic::Erfc => libm::erfc(x),
        Intrinsic::ErfcScaled => scaled_erfc(x),
        Intrinsic::BesselJ0 => libm::j0(x),
        Intrinsic::BesselJ1 => libm::j1(x),
        Intrinsic::BesselY0 => libm::y0(x),
        Intrinsic::BesselY1 => libm::y1(x),
        _ => return None,
    })
}

/// Sine and cosine of an angle in half turns: the multiple of a quarter turn is taken off without an error.
fn in_half_turns(x: f64) -> (f64, f64) {
    let rest = x % 2.0;
    let quarters = (rest * 2.0).round();
    let angle = (rest - quarters / 2.0) * std::f64::consts::PI;
    let (sine, cosine) = angle.sin_cos();
    let (sine, cosine) = match quarters as i32 & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    };
    (if sine == 0.0 { 0f64.copysign(x) } else { sine }, cosine + 0.0)
}

/// A function of two real arguments.
pub(super) fn two(id: Intrinsic, x: f64, y: f64) -> Option<f64> {
    Some(match id {
        Intrinsic::Atan2 | Intrinsic::Atan => x.atan2(y),
        Intrinsic::Hypot => x.hypot(y),
        _ => return None,
    })
}

/// A Bessel function of integer order.
pub(super) fn bessel(id: Intrinsic, n: i64, x: f64) -> Option<f64> {
    // The work grows with the order.
    let n = i32::try_from(n).ok().filter(|n| n.unsigned_abs() < 1 << 20)?;
    Some(match id {
        Intrinsic::BesselJn => libm::jn(n, x),
        Intrinsic::BesselYn => libm::yn(n, x),
        _ => return None,
    })
}

/// A function of one complex argument.
pub(super) fn complex(id: Intrinsic, (re, im): (f64, f64)) -> Option<(f64, f64)> {
    Some(match id {
        Intrinsic::Exp => (re.exp() * im.cos(), re.exp() * im.sin()),
        Intrinsic::Log => (re.hypot(im).ln(), im.atan2(re)),
        Intrinsic::Sin => (re.sin() * im.cosh(), re.cos() * im.sinh()),
        Intrinsic::Cos => (re.cos() * im.cosh(), -(re.sin() * im.sinh())),
        Intrinsic::Sinh => (re.sinh() * im.cos(), re.cosh() * im.sin()),
        Intrinsic::Cosh => (re.cosh() * im.cos(), re.sinh() * im.sin()),
        Intrinsic::Tan | Intrinsic::Tanh => {
            let (x, y) = if id == Intrinsic::Tan { (2.0 * re, 2.0 * im) } else { (2.0 * im, 2.0 * re) };
            let scale = x.cos() + y.cosh();
            let (a, b) = (x.sin() / scale, y.sinh() / scale);
            if id == Intrinsic::Tan { (a, b) } else { (b, a) }
        }
        // log(z + sqrt(z*z + 1)), and asin by turning the plane: asin(z) = -i asinh(i z).
        Intrinsic::Asinh => {
            let (a, b) = complex(Intrinsic::Sqrt, (re * re - im * im + 1.0, 2.0 * re * im))?;
            complex(Intrinsic::Log, (re + a, im + b))?
        }
        Intrinsic::Asin => {
            let (a, b) = complex(Intrinsic::Asinh, (-im, re))?;
            (b, -a)
        }
        Intrinsic::Acos => {
            let (a, b) = complex(Intrinsic::Asin, (re, im))?;
            (std::f64::consts::FRAC_PI_2 - a, -b)
        }
        Intrinsic::Acosh => {
            let (a, b) = complex(Intrinsic::Acos, (re, im))?;
            // The branch with a nonnegative real part.
            if b <= 0.0 { (-b, a) } else { (b, -a) }
        }
        // (log(1 + z) - log(1 - z)) / 2, and atan(z) = -i atanh(i z).
        Intrinsic::Atanh => {
            let (a, b) = complex(Intrinsic::Log, (1.0 + re, im))?;
            let (c, d) = complex(Intrinsic::Log, (1.0 - re, -im))?;
            ((a - c) / 2.0, (b - d) / 2.0)
        }
        Intrinsic::Atan => {
            let (a, b) = complex(Intrinsic::Atanh, (-im, re))?;
            (b, -a)
        }
        Intrinsic::Sqrt => {
            let size = re.hypot(im);
            let a = f64::midpoint(size, re.abs()).sqrt();
            if a == 0.0 {
                (0.0, im)
            } else if re >= 0.0 {
                (a, im / (2.0 * a))
            } else {
                ((im / (2.0 * a)).abs(), a.copysign(im))
            }
        }
        _ => return None,
    })
}

/// `base ** power`
pub(super) fn complex_power(base: (f64, f64), power: (f64, f64)) -> Option<(f64, f64)> {
    if base == (0.0, 0.0) {
        return match power {
            (0.0, 0.0) => Some((1.0, 0.0)),
            (re, _) => (re > 0.0).then_some(base),
        };
    }
    let (re, im) = complex(Intrinsic::Log, base)?;
    complex(Intrinsic::Exp, (re * power.0 - im * power.1, re * power.1 + im * power.0))
}

/// `exp(x**2) * erfc(x)`, also where the second factor is too small for a number.
fn scaled_erfc(x: f64) -> f64 {
    if x < 10.0 {
        // What the square is rounded by counts, where it is large.
        let square = x * x;
        let power = square.exp();
        return power.mul_add(x.mul_add(x, -square), power) * libm::erfc(x);
    }
    // The asymptotic series.
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..12 {
        term *= -f64::from(2 * k - 1) / (2.0 * x * x);
        sum += term;
    }
    sum / (x * std::f64::consts::PI.sqrt())
}
