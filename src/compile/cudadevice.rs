//! The text of module `cudadevice`: procedures of device code that are written in Fortran, for each rounding mode and kind.
//!
//! Not here: who uses the module (`embedded`; device code finds its names without a USE statement).

use std::sync::LazyLock;

/// Suffix of a rounding mode, its number, and the conversion to an integer by it: `K` is the kind of that, `X` of the real number.
const MODES: [[&str; 3]; 4] = [
    ["rn", "0", "int(cufemu_rint_rX(x), K)"],
    ["rz", "1", "int(x, K)"],
    ["ru", "2", "ceiling(x, K)"],
    ["rd", "3", "floor(x, K)"],
];

/// Names of C's mathematics, and of the procedure behind each, to which `_r4` or `_r8` is added. Each has a form with an `f` for
/// real(4).
const LIBM: [(&str, &str); 51] = [
    ("ceil", "ceil"),
    ("copysign", "copysign"),
    ("cospi", "cospi"),
    ("cyl_bessel_i0", "izero"),
    ("cyl_bessel_i1", "ione"),
    ("erfcinv", "erfcinv"),
    ("erfcx", "erfcx"),
    ("erfinv", "erfinv"),
    ("fabs", "fabs"),
    ("fdim", "fdim"),
    ("fmax", "fmax"),
    ("fmin", "fmin"),
    ("fmod", "fmod"),
    ("frexp", "frexp"),
    ("ilogb", "ilogb"),
    ("j0", "jzero"),
    ("j1", "jone"),
    ("jn", "jn"),
    ("ldexp", "ldexp"),
    ("lgamma", "lgamma"),
    ("llrint", "llrint"),
    ("llround", "llround"),
    ("logb", "logb"),
    ("lrint", "lrint"),
    ("lround", "lround"),
    ("modf", "modf"),
    ("nearbyint", "rint"),
    ("nextafter", "nextafter"),
    ("norm3d", "normthree"),
    ("norm4d", "normfour"),
    ("normcdf", "normcdf"),
    ("normcdfinv", "normcdfinv"),
    ("pow", "pow"),
    ("rcbrt", "rcbrt"),
    ("remainder", "remainder"),
    ("remquo", "remquo"),
    ("rhypot", "rhypot"),
    ("rint", "rint"),
    ("rnorm3d", "rnormthree"),
    ("rnorm4d", "rnormfour"),
    ("scalbln", "ldexp"),
    ("scalbn", "ldexp"),
    ("signbit", "signbit"),
    ("sincos", "sincos"),
    ("sincospi", "sincospi"),
    ("sinpi", "sinpi"),
    ("tgamma", "tgamma"),
    ("trunc", "trunc"),
    ("y0", "yzero"),
    ("y1", "yone"),
    ("yn", "yn"),
];

/// Intrinsic functions of one argument whose form for real(4) has an `f`.
const OF_ONE: [&str; 26] = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp10", "exp2",
    "expm1", "log", "log10", "log1p", "log2", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "floor",
];

/// Functions of two arguments, and the names of their forms for real(4).
const OF_TWO: [[&str; 2]; 2] = [["atan2(x, y)", "atan2f"], ["hypot(x, y)", "hypotf"]];

fn function(name: &str, arguments: &str, value: &str) -> String {
    format!(
        "\n  attributes(device) real(4) function {name}({arguments})\n    real(4), value :: {arguments}\n    \
         {name} = {value}\n  end function\n"
    )
}

/// The source of the module.
pub(crate) static SOURCE: LazyLock<String> = LazyLock::new(|| {
    let procedures = include_str!("modules/cudadevice.cuf");
    let generics = LIBM.iter().map(|(name, of)| {
        let generic = |name: &str, of: &str| format!("  interface {name}\n    procedure :: {of}\n  end interface\n");
        let (short, long) = (format!("cufemu_{of}_r4"), format!("cufemu_{of}_r8"));
        generic(name, &format!("{short}, {long}")) + &generic(&format!("{name}f"), &short)
    });
    let generics: String = generics.collect();
    let rounded = MODES.map(|[mode, number, convert]| {
        let directed = if mode == "rn" { "" } else { include_str!("modules/cudadevice_directed.cuf") };
        let text = include_str!("modules/cudadevice_rounded.cuf").to_owned() + directed;
        let text = text.replace('@', mode).replace("MODE", number);
        [("4", "4"), ("4", "8"), ("8", "4"), ("8", "8")].iter().fold(text, |text, (kind, of)| {
            text.replace(&format!("INT{kind}_r{of}(x)"), &convert.replace('K', kind).replace('X', of))
        })
    });
    let libm = ["4", "8"].map(|kind| include_str!("modules/cudadevice_libm.cuf").replace("KIND", kind));
    let of_one = OF_ONE.map(|name| {
        let value = if name == "floor" { "cufemu_floor_r4(x)".to_owned() } else { format!("{name}(x)") };
        function(&format!("{name}f"), "x", &value)
    });
    let of_two = OF_TWO.map(|[value, name]| function(name, "x, y", value));
    let special = include_str!("modules/cudadevice_special.cuf").to_owned();
    let own = function("fmaf", "x, y, z", "fma(x, y, z)") + &function("roundf", "x", "anint(x)");
    let body = [&rounded.concat(), &libm.concat(), &special, &of_one.concat(), &of_two.concat(), &own]
        .map(String::as_str)
        .concat();
    procedures.replacen("\ncontains\n", &format!("\n{generics}\ncontains\n"), 1) + &body + "end module\n"
});
