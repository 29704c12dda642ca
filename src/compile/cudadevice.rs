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
const LIBM: [(&str, &str); 49] = [
    ("ceil", "ceil"),
    ("copysign", "copysign"),
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
    ("tgamma", "tgamma"),
    ("trunc", "trunc"),
    ("y0", "yzero"),
    ("y1", "yone"),
    ("yn", "yn"),
];

/// Intrinsic functions of one argument whose form for real(4) has an `f`.
const OF_ONE: [&str; 28] = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp10", "exp2",
    "expm1", "log", "log10", "log1p", "log2", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "sinpi", "cospi", "floor",
];

/// Functions of two arguments, and the names of their forms for real(4).
const OF_TWO: [[&str; 2]; 2] = [["atan2(x, y)", "atan2f"], ["hypot(x, y)", "hypotf"]];

/// Functions of real(2) that are those of real(4), rounded.
const OF_HALF: [(&str, &str); 14] = [
    ("hceil", "cufemu_ceil_r4(real(x, 4))"),
    ("hcos", "cos(x)"),
    ("hexp", "exp(x)"),
    ("hexp10", "exp10(x)"),
    ("hexp2", "exp2(x)"),
    ("hfloor", "cufemu_floor_r4(real(x, 4))"),
    ("hlog", "log(x)"),
    ("hlog10", "log10(x)"),
    ("hlog2", "log2(x)"),
    ("hrint", "cufemu_rint_r4(real(x, 4))"),
    ("hrsqrt", "rsqrt(x)"),
    ("hsin", "sin(x)"),
    ("htanh", "tanh(x)"),
    ("htrunc", "cufemu_trunc_r4(real(x, 4))"),
];

/// Functions of real(2) whose result of real(4) is rounded once by that to real(2).
const ROUNDED_HALF: [[&str; 3]; 9] = [
    ["__hadd", "x, y", "x + y"],
    ["__hadd_rn", "x, y", "x + y"],
    ["__hsub", "x, y", "x - y"],
    ["__hsub_rn", "x, y", "x - y"],
    ["__hmul", "x, y", "x*y"],
    ["__hmul_rn", "x, y", "x*y"],
    ["__hdiv", "x, y", "x/y"],
    ["hrcp", "x", "1.0_2/x"],
    ["hsqrt", "x", "sqrt(x)"],
];

/// Comparisons of real(2); with a `u` behind the name they are true of a NaN, too.
const COMPARED_HALF: [[&str; 2]; 6] =
    [["heq", "=="], ["hne", "/="], ["hge", ">="], ["hgt", ">"], ["hle", "<="], ["hlt", "<"]];

/// Types whose elements bulk copies count, by their suffixes, and the bytes of an element.
const OF_BULK: [[&str; 3]; 7] = [
    ["i4", "integer(4)", "4"],
    ["i8", "integer(8)", "8"],
    ["r2", "real(2)", "2"],
    ["r4", "real(4)", "4"],
    ["r8", "real(8)", "8"],
    ["c4", "complex(4)", "8"],
    ["c8", "complex(8)", "16"],
];

/// Types of the values that fill memory, by their suffixes, and what the procedure behind takes of them.
const OF_FILLS: [[&str; 3]; 9] = [
    ["i", "integer(8)", "i"],
    ["r4", "real(4)", "r"],
    ["r8", "real(8)", "r"],
    ["c4", "complex(4)", "c"],
    ["c8", "complex(8)", "c"],
    ["l1", "logical(1)", "i"],
    ["l2", "logical(2)", "i"],
    ["l4", "logical(4)", "i"],
    ["l8", "logical(8)", "i"],
];

fn function(name: &str, arguments: &str, value: &str) -> String {
    typed("real(4)", "real(4)", name, arguments, value)
}

fn typed(result: &str, ty: &str, name: &str, arguments: &str, value: &str) -> String {
    format!(
        "\n  attributes(device) {result} function {name}({arguments})\n    {ty}, value :: {arguments}\n    \
         {name} = {value}\n  end function\n"
    )
}

/// The functions of half precision that are one expression.
fn of_half() -> String {
    let half = |name: &str, arguments: &str, value: &str| typed("real(2)", "real(2)", name, arguments, value);
    let compared = COMPARED_HALF.map(|[name, operator]| {
        let (is_nan, compares) = ("x /= x .or. y /= y", format!("x {operator} y"));
        let ordered = if name == "hne" { "x < y .or. x > y".to_owned() } else { compares.clone() };
        let unordered = format!("{compares} .or. {is_nan}");
        let compared = |name: &str, value: &str| typed("logical(4)", "real(2)", name, "x, y", value);
        compared(&format!("__{name}"), &ordered) + &compared(&format!("__{name}u"), &unordered)
    });
    OF_HALF.map(|(name, value)| half(name, "x", &format!("real({value}, 2)"))).concat()
        + &ROUNDED_HALF.map(|[name, arguments, value]| half(name, arguments, value)).concat()
        + &compared.concat()
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
        let halves = include_str!("modules/cudadevice_half_rounded.cuf");
        let text = include_str!("modules/cudadevice_rounded.cuf").to_owned() + halves + directed;
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
    let special = include_str!("modules/cudadevice_special.cuf").to_owned()
        + include_str!("modules/cudadevice_half.cuf")
        + &of_half();
    let own = function("fmaf", "x, y, z", "fma(x, y, z)") + &function("roundf", "x", "anint(x)");
    let bulk = OF_BULK.map(|[suffix, ty, size]| {
        let text = include_str!("modules/cudadevice_bulk_typed.cuf");
        text.replace('@', suffix).replace("TYPE", ty).replace("SIZE", size)
    });
    let bulk = include_str!("modules/cudadevice_bulk.cuf").to_owned() + &bulk.concat();
    let fills = OF_FILLS.map(|[suffix, ty, of]| {
        let text = include_str!("modules/cudadevice_runtime_fill.cuf");
        text.replace('@', suffix).replace("TYPE", ty).replace("_OF", &format!("_{of}"))
    });
    let generics = generics + include_str!("modules/cudadevice_runtime_head.cuf") + &fills.concat();
    let runtime = include_str!("modules/cudadevice_runtime.cuf").to_owned();
    let body = [&runtime, &bulk, &rounded.concat(), &libm.concat(), &special, &of_one.concat(), &of_two.concat(), &own]
        .map(String::as_str)
        .concat();
    procedures.replacen("\ncontains\n", &format!("\n{generics}\ncontains\n"), 1) + &body + "end module\n"
});
