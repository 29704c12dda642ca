//! Names of intrinsic procedures: the generic ones of the table, and specific and vendors' names that stand for them.

use super::vendor::OfBits;
use crate::checked::Intrinsic;
use diag::nearest_name;

/// The type that the result of a specific name has, whatever the row says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ResultType {
    /// The default real type.
    Real,
    /// The default integer type.
    Integer,
    /// Integers of the kind that the name says.
    IntegerOf(u8),
}

/// Intrinsic subroutines that are procedures of the run-time library.
pub(crate) const LIBRARY_INTRINSICS: [&str; 2] = ["execute_command_line", "random_init"];

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The row.
    pub(crate) id: Intrinsic,
    /// A KIND argument that the name implies.
    pub(crate) kind: Option<u8>,
    /// The type that the name's result has.
    pub(crate) result: Option<ResultType>,
    /// Whether the result has the greatest kind of the real arguments.
    pub(crate) is_widest: bool,
    /// Which function of bits it is, if the row is only one with the same dummy arguments.
    pub(crate) of_bits: Option<OfBits>,
}

impl Found {
    /// A row as it is.
    pub(crate) fn plain(id: Intrinsic) -> Found {
        Found { id, kind: None, result: None, is_widest: false, of_bits: None }
    }
}

/// The intrinsic procedure of a name in lower case.
pub(crate) fn lookup(name: &str) -> Option<Found> {
    if let Some(id) = Intrinsic::from_name(name) {
        return Some(Found::plain(id));
    }
    let same = |generic: &str| Intrinsic::from_name(generic).map(Found::plain);
    let kind = |generic: &str, kind: u8| Some(Found { kind: Some(kind), ..same(generic)? });
    let typed = |generic: &str, result: ResultType| Some(Found { result: Some(result), ..same(generic)? });
    match name {
        "iabs" | "dabs" | "cabs" | "cdabs" | "zabs" | "babs" | "iiabs" | "jiabs" | "kiabs" => same("abs"),
        "dacos" => same("acos"),
        "dasin" => same("asin"),
        "datan" => same("atan"),
        "datan2" => same("atan2"),
        "dcos" | "ccos" | "cdcos" | "zcos" => same("cos"),
        "dsin" | "csin" | "cdsin" | "zsin" => same("sin"),
        "dtan" => same("tan"),
        "dcosh" => same("cosh"),
        "dsinh" => same("sinh"),
        "dtanh" => same("tanh"),
        "dexp" | "cexp" | "cdexp" | "zexp" => same("exp"),
        "alog" | "dlog" | "clog" | "cdlog" | "zlog" => same("log"),
        "alog10" | "dlog10" => same("log10"),
        "dsqrt" | "csqrt" | "cdsqrt" | "zsqrt" => same("sqrt"),
        "derf" => same("erf"),
        "derfc" => same("erfc"),
        "dgamma" => same("gamma"),
        "algama" | "dlgama" | "lgamma" => same("log_gamma"),
        "dacosh" => same("acosh"),
        "dasinh" => same("asinh"),
        "datanh" => same("atanh"),
        "dhypot" => same("hypot"),
        "dsind" => same("sind"),
        "dcosd" => same("cosd"),
        "dtand" => same("tand"),
        "dasind" => same("asind"),
        "dacosd" => same("acosd"),
        "datand" => same("atand"),
        "datan2d" => same("atan2d"),
        "cot" | "dcot" | "dcotan" => same("cotan"),
        "dcotand" => same("cotand"),
        "dbesj0" | "besj0" => same("bessel_j0"),
        "dbesj1" | "besj1" => same("bessel_j1"),
        "dbesjn" | "besjn" => same("bessel_jn"),
        "dbesy0" | "besy0" => same("bessel_y0"),
        "dbesy1" | "besy1" => same("bessel_y1"),
        "dbesyn" | "besyn" => same("bessel_yn"),
        "dconjg" => same("conjg"),
        "dimag" | "imag" | "imagpart" => same("aimag"),
        "dint" => same("aint"),
        "dnint" => same("anint"),
        "idnint" => same("nint"),
        "isign" | "dsign" => same("sign"),
        "idim" | "ddim" => same("dim"),
        "amod" | "dmod" => same("mod"),
        "max0" | "amax1" | "dmax1" => same("max"),
        "min0" | "amin1" | "dmin1" => same("min"),
        "amax0" => typed("max", ResultType::Real),
        "amin0" => typed("min", ResultType::Real),
        "max1" => typed("max", ResultType::Integer),
        "min1" => typed("min", ResultType::Integer),
        "float" | "sngl" | "realpart" => same("real"),
        "dfloat" | "dreal" => kind("real", 8),
        "ifix" | "idint" => same("int"),
        "int1" => kind("int", 1),
        "int2" => kind("int", 2),
        "int4" | "jint" => kind("int", 4),
        "int8" | "kint" | "long" => kind("int", 8),
        "dcmplx" => kind("cmplx", 8),
        "complex" => same("cmplx").map(|found| Found { is_widest: true, ..found }),
        "%loc" => same("loc"),
        "and" => same("iand"),
        "or" => same("ior"),
        "xor" => same("ieor"),
        "lnblnk" => same("len_trim"),
        "iargc" | "nargs" => same("command_argument_count"),
        "getenv" => same("get_environment_variable"),
        _ => of_kind(name),
    }
}

/// DEC's names of functions for integers of one kind, which nvfortran has: `i` begins those of `integer(2)`, `j` those of
/// `integer(4)`, `k` those of `integer(8)`; and older names of functions of bits. Procedures of the program with such a name come
/// first.
pub(crate) fn of_kind(name: &str) -> Option<Found> {
    let same = |generic: &str| Intrinsic::from_name(generic).map(Found::plain);
    let kind = |generic: &str, kind: u8| Some(Found { kind: Some(kind), ..same(generic)? });
    let typed = |generic: &str, result: ResultType| Some(Found { result: Some(result), ..same(generic)? });
    let of_bits = |what: OfBits| Found { of_bits: Some(what), ..Found::plain(what.like()) };
    let bytes = |letter: u8| match letter {
        b'i' => 2,
        b'j' => 4,
        _ => 8,
    };
    match name {
        "aimax0" | "ajmax0" => return typed("max", ResultType::Real),
        "aimin0" | "ajmin0" => return typed("min", ResultType::Real),
        "floati" | "floatj" => return same("real"),
        "dfloti" | "dflotj" => return kind("real", 8),
        "bitest" | "bjtest" | "bktest" => return same("btest"),
        "compl" => return same("not"),
        "eqv" => return Some(of_bits(OfBits::Eqv)),
        "shift" => return Some(of_bits(OfBits::Shift)),
        "zext" => return Some(of_bits(OfBits::Zext(None))),
        "izext" => return Some(of_bits(OfBits::Zext(Some(2)))),
        "jzext" => return Some(of_bits(OfBits::Zext(Some(4)))),
        "ilen" => return Some(of_bits(OfBits::Ilen)),
        "klen" => return kind("len", 8),
        "kindex" => return kind("index", 8),
        "neqv" => return same("ieor"),
        _ => {}
    }
    let (first, rest) = (*name.as_bytes().first()?, name.get(1..)?);
    if !matches!(first, b'i' | b'j' | b'k') {
        return None;
    }
    match rest {
        "max0" => same("max"),
        "min0" => same("min"),
        "max1" => typed("max", ResultType::IntegerOf(bytes(first))),
        "min1" => typed("min", ResultType::IntegerOf(bytes(first))),
        "idim" => same("dim"),
        "mod" => same("mod"),
        "isign" => same("sign"),
        "iand" => same("iand"),
        "ior" => same("ior"),
        "ieor" => same("ieor"),
        "not" => same("not"),
        "ishft" => same("ishft"),
        "ishftc" => same("ishftc"),
        "ibits" => same("ibits"),
        "ibset" => same("ibset"),
        "ibclr" => same("ibclr"),
        "nint" | "idnnt" => kind("nint", bytes(first)),
        "int" | "ifix" | "idint" => kind("int", bytes(first)),
        _ => None,
    }
}

/// Whether a name of the intrinsic procedures is that of an external one of nvfortran's library (PGI Fortran Reference, "3F functions and
/// VAX subroutines"), so that EXTERNAL does not hide it.
pub(crate) fn is_of_3f_library(name: &str) -> bool {
    matches!(name, "abort" | "exit" | "flush" | "getarg" | "getenv" | "iargc" | "lnblnk" | "nargs" | "sleep")
}

/// The intrinsic procedure whose name looks most like this one.
pub(crate) fn nearest(name: &str) -> Option<String> {
    nearest_name(name, Intrinsic::ALL.iter().map(|i| i.name())).map(str::to_owned)
}

/// The same of subroutines.
pub(crate) fn nearest_subroutine(name: &str) -> Option<String> {
    let subroutines = Intrinsic::ALL.iter().filter(|i| super::is_subroutine(**i));
    nearest_name(name, subroutines.map(|i| i.name())).map(str::to_owned)
}
