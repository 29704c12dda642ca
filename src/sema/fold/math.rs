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
        Intrinsic::Tanh => x.tanh(),
        Intrinsic::Gamma => gamma(x),
        Intrinsic::LogGamma => log_gamma(x),
        _ => return None,
    })
}

/// A function of two real arguments.
pub(super) fn two(id: Intrinsic, x: f64, y: f64) -> Option<f64> {
    Some(match id {
        Intrinsic::Atan2 | Intrinsic::Atan => x.atan2(y),
        Intrinsic::Hypot => x.hypot(y),
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

/// Coefficients of the Lanczos approximation with g = 7 and nine terms.
const LANCZOS: [f64; 9] = [
    0.999_999_999_999_809_9,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

fn lanczos(x: f64) -> (f64, f64) {
    let x = x - 1.0;
    let sum = LANCZOS.iter().enumerate().skip(1).fold(LANCZOS[0], |s, (i, c)| s + c / (x + i as f64));
    (sum, x + 7.5)
}

fn gamma(x: f64) -> f64 {
    if x == x.floor() && (1.0..=23.0).contains(&x) {
        // Small factorials are exact.
        return (1..x as u64).map(|i| i as f64).product();
    }
    if x < 0.5 {
        return std::f64::consts::PI / ((std::f64::consts::PI * x).sin() * gamma(1.0 - x));
    }
    let (sum, t) = lanczos(x);
    (2.0 * std::f64::consts::PI).sqrt() * t.powf(x - 0.5) * (-t).exp() * sum
}

fn log_gamma(x: f64) -> f64 {
    if x < 0.5 {
        return (std::f64::consts::PI / (std::f64::consts::PI * x).sin().abs()).ln() - log_gamma(1.0 - x);
    }
    let (sum, t) = lanczos(x);
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x - 0.5) * t.ln() - t + sum.ln()
}
