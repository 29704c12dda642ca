//! The modules of cuBLAS, which are made from tables of its routines.
//!
//! A routine has an interface with a handle (`cublasDgemm_v2`) and, if it is one of BLAS, two procedures without: for arrays of the
//! device (`cublasDgemm`, `dgemm`), and for those of the host (`dgemm`). One that is not of BLAS has a second form that takes options
//! as letters (`cublasDgemmBatched`).
//!
//! Source: NVIDIA Fortran CUDA Interfaces, chapter 2.
//!
//! Not here: what the routines do (crate `library`).

use std::fmt::Write;
use std::sync::LazyLock;

/// A type of numbers: its letter in the names of routines, the letters where the result is real, those of routines with a real
/// factor, the type, and the type of a part.
struct Number {
    letter: &'static str,
    of_real_result: &'static str,
    of_real_factor: &'static str,
    ty: &'static str,
    real: &'static str,
}

const NUMBERS: [Number; 5] = [
    Number { letter: "s", of_real_result: "s", of_real_factor: "", ty: "real(4)", real: "real(4)" },
    Number { letter: "d", of_real_result: "d", of_real_factor: "", ty: "real(8)", real: "real(8)" },
    Number { letter: "c", of_real_result: "sc", of_real_factor: "cs", ty: "complex(4)", real: "real(4)" },
    Number { letter: "z", of_real_result: "dz", of_real_factor: "zd", ty: "complex(8)", real: "real(8)" },
    Number { letter: "h", of_real_result: "h", of_real_factor: "", ty: "real(2)", real: "real(2)" },
];

/// Table: the routines of BLAS: name, letters of the types that have it, and arguments. `@`, `%` and `&` in a name stand for the
/// letters of a type, as in [`Number`]. Arguments: options and integers by their names, `a/lda` an array and its leading
/// dimension or increment, `ap()` an array alone, `alpha:t` a scalar of the type and `alpha:r` of its part, `=t`, `=r`, `=i` the
/// result; `c/ldc>b/ldb` is `c/ldc` with a handle, and without `b/ldb` takes its place.
const BLAS: &[(&str, &str, &str)] = &[
    ("i@amax", "sdcz", "n x/incx =i"),
    ("i@amin", "sdcz", "n x/incx =i"),
    ("%asum", "sdcz", "n x/incx =r"),
    ("%nrm2", "sdcz", "n x/incx =r"),
    ("@axpy", "sdcz", "n a:t x/incx y/incy"),
    ("@copy", "sdcz", "n x/incx y/incy"),
    ("@swap", "sdcz", "n x/incx y/incy"),
    ("@scal", "sdcz", "n a:t x/incx"),
    ("&scal", "cz", "n a:r x/incx"),
    ("@dot", "sd", "n x/incx y/incy =t"),
    ("@dotu", "cz", "n x/incx y/incy =t"),
    ("@dotc", "cz", "n x/incx y/incy =t"),
    ("@rot", "sdcz", "n x/incx y/incy c:r s:t"),
    ("&rot", "cz", "n x/incx y/incy c:r s:r"),
    ("@rotg", "sdcz", "a:t b:t c:r s:t"),
    ("@rotm", "sd", "n x/incx y/incy param:5"),
    ("@rotmg", "sd", "d1:t d2:t x1:t y1:t param:5"),
    ("@gemv", "sdcz", "trans m n alpha:t a/lda x/incx beta:t y/incy"),
    ("@gbmv", "sdcz", "trans m n kl ku alpha:t a/lda x/incx beta:t y/incy"),
    ("@ger", "sd", "m n alpha:t x/incx y/incy a/lda"),
    ("@geru", "cz", "m n alpha:t x/incx y/incy a/lda"),
    ("@gerc", "cz", "m n alpha:t x/incx y/incy a/lda"),
    ("@symv", "sdcz", "uplo n alpha:t a/lda x/incx beta:t y/incy"),
    ("@sbmv", "sd", "uplo n k alpha:t a/lda x/incx beta:t y/incy"),
    ("@spmv", "sd", "uplo n alpha:t ap() x/incx beta:t y/incy"),
    ("@hemv", "cz", "uplo n alpha:t a/lda x/incx beta:t y/incy"),
    ("@hbmv", "cz", "uplo n k alpha:t a/lda x/incx beta:t y/incy"),
    ("@hpmv", "cz", "uplo n alpha:t ap() x/incx beta:t y/incy"),
    ("@syr", "sdcz", "uplo n alpha:t x/incx a/lda"),
    ("@spr", "sd", "uplo n alpha:t x/incx ap()"),
    ("@her", "cz", "uplo n alpha:r x/incx a/lda"),
    ("@hpr", "cz", "uplo n alpha:r x/incx ap()"),
    ("@syr2", "sdcz", "uplo n alpha:t x/incx y/incy a/lda"),
    ("@spr2", "sd", "uplo n alpha:t x/incx y/incy ap()"),
    ("@her2", "cz", "uplo n alpha:t x/incx y/incy a/lda"),
    ("@hpr2", "cz", "uplo n alpha:t x/incx y/incy ap()"),
    ("@trmv", "sdcz", "uplo trans diag n a/lda x/incx"),
    ("@trsv", "sdcz", "uplo trans diag n a/lda x/incx"),
    ("@tbmv", "sdcz", "uplo trans diag n k a/lda x/incx"),
    ("@tbsv", "sdcz", "uplo trans diag n k a/lda x/incx"),
    ("@tpmv", "sdcz", "uplo trans diag n ap() x/incx"),
    ("@tpsv", "sdcz", "uplo trans diag n ap() x/incx"),
    ("@gemm", "sdcz", "transa transb m n k alpha:t a/lda b/ldb beta:t c/ldc"),
    ("@symm", "sdcz", "side uplo m n alpha:t a/lda b/ldb beta:t c/ldc"),
    ("@hemm", "cz", "side uplo m n alpha:t a/lda b/ldb beta:t c/ldc"),
    ("@syrk", "sdcz", "uplo trans n k alpha:t a/lda beta:t c/ldc"),
    ("@herk", "cz", "uplo trans n k alpha:r a/lda beta:r c/ldc"),
    ("@syr2k", "sdcz", "uplo trans n k alpha:t a/lda b/ldb beta:t c/ldc"),
    ("@her2k", "cz", "uplo trans n k alpha:t a/lda b/ldb beta:r c/ldc"),
    ("@trmm", "sdcz", "side uplo transa diag m n alpha:t a/lda b/ldb c/ldc>b/ldb"),
    ("@trsm", "sdcz", "side uplo transa diag m n alpha:t a/lda b/ldb"),
];

/// Table: what cuBLAS has beyond BLAS, always with a handle. Arguments as above; also `p*/ld` and `p*` an array of addresses and
/// its leading dimension, `i+` integers of the device, `i-` those of the host, `stride.8` an integer of 8 bytes.
const EXTENSIONS: &[(&str, &str, &str)] = &[
    ("@syrkx", "sdcz", "uplo trans n k alpha:t a/lda b/ldb beta:t c/ldc"),
    ("@herkx", "cz", "uplo trans n k alpha:t a/lda b/ldb beta:r c/ldc"),
    ("@geam", "sdcz", "transa transb m n alpha:t a/lda beta:t b/ldb c/ldc"),
    ("@dgmm", "sdcz", "mode m n a/lda x/incx c/ldc"),
    ("@tpttr", "sdcz", "uplo n ap() a/lda"),
    ("@trttp", "sdcz", "uplo n a/lda ap()"),
    ("@gemm", "h", "transa transb m n k alpha:t a/lda b/ldb beta:t c/ldc"),
    (
        "@gemmStridedBatched",
        "sdczh",
        "transa transb m n k alpha:t a/lda stridea.8 b/ldb strideb.8 beta:t c/ldc stridec.8 batchcount",
    ),
    ("@gemmBatched", "sdczh", "transa transb m n k alpha:t aarray*/lda barray*/ldb beta:t carray*/ldc batchcount"),
    ("@trsmBatched", "sdcz", "side uplo trans diag m n alpha:t aarray*/lda barray*/ldb batchcount"),
    ("@getrfBatched", "sdcz", "n aarray*/lda ipvt+ info+ batchcount"),
    ("@getriBatched", "sdcz", "n aarray*/lda ipvt+ carray*/ldc info+ batchcount"),
    ("@getrsBatched", "sdcz", "trans n nrhs aarray*/lda ipvt+ barray*/ldb info- batchcount"),
    ("@matinvBatched", "sdcz", "n aarray*/lda ainv*/lda_inv info+ batchcount"),
    ("@geqrfBatched", "sdcz", "m n aarray*/lda tau* info- batchcount"),
    ("@gelsBatched", "sdcz", "trans m n nrhs aarray*/lda carray*/ldc info- devinfo+ batchcount"),
];

/// Table: the routines of cuBLASXt, with the arguments of those of cuBLAS.
const XT: &[&str] =
    &["@gemm", "@symm", "@hemm", "@syrk", "@herk", "@syr2k", "@her2k", "@syrkx", "@herkx", "@trmm", "@trsm"];

/// What the names of procedures begin with that take a handle, and options as letters.
const LETTERS: &str = "cufemu_letters_";

/// Columns after which an argument begins a new line.
const WIDTH: usize = 100;

/// An argument, as it is declared.
#[derive(Clone, Debug)]
enum Argument {
    /// An option of a letter: what makes its number.
    Option(&'static str),
    Integer,
    Long,
    Scalar(String),
    /// An array; the text in brackets, and whether it belongs to the device.
    Array {
        ty: String,
        shape: String,
        is_of_device: bool,
    },
    Addresses,
}

/// A routine for one type.
struct Routine {
    name: String,
    /// Names and what they are. Without a handle, `Some` other name stands for one that is left out.
    arguments: Vec<(String, Argument, Option<String>)>,
    result: Option<String>,
}

/// What converts the letter of an option, if a name is that of one.
fn option(name: &str) -> Option<&'static str> {
    match name {
        "trans" | "transa" | "transb" => Some("cufemu_op(@)"),
        "uplo" => Some("cufemu_choice(@, 'l', 'u')"),
        "side" | "mode" => Some("cufemu_choice(@, 'l', 'r')"),
        "diag" => Some("cufemu_choice(@, 'n', 'u')"),
        _ => None,
    }
}

impl Routine {
    /// The routine of a row for a type.
    fn new(row: &(&str, &str, &str), number: &Number) -> Routine {
        let name =
            row.0.replace('@', number.letter).replace('%', number.of_real_result).replace('&', number.of_real_factor);
        let of = |kind: &str| match kind {
            "r" => number.real.to_owned(),
            "i" => "integer(4)".to_owned(),
            _ => number.ty.to_owned(),
        };
        let mut routine = Routine { name, arguments: Vec::new(), result: None };
        for word in row.2.split(' ') {
            if let Some(kind) = word.strip_prefix('=') {
                routine.result = Some(of(kind));
                continue;
            }
            let (word, instead) = word.split_once('>').map_or((word, None), |(word, instead)| (word, Some(instead)));
            let (first, second) = word.split_once('/').map_or((word, None), |(first, second)| (first, Some(second)));
            let array = |name: &str, ty: &str, is_of_device| {
                let shape =
                    second.filter(|second| second.starts_with("ld")).map_or("*".to_owned(), |l| format!("{l}, *"));
                (name.to_owned(), Argument::Array { ty: ty.to_owned(), shape, is_of_device })
            };
            let (name, argument) = if let Some(name) = first.strip_suffix('*') {
                (name.to_owned(), Argument::Addresses)
            } else if let Some(name) = first.strip_suffix('+') {
                array(name, "integer(4)", true)
            } else if let Some(name) = first.strip_suffix('-') {
                array(name, "integer(4)", false)
            } else if let Some(name) = first.strip_suffix("()") {
                array(name, number.ty, true)
            } else if let Some(name) = first.strip_suffix(".8") {
                (name.to_owned(), Argument::Long)
            } else if let Some(name) = first.strip_suffix(":5") {
                (name.to_owned(), Argument::Scalar(format!("{}, dimension(5)", number.ty)))
            } else if let Some((name, kind)) = first.split_once(':') {
                (name.to_owned(), Argument::Scalar(of(kind)))
            } else if second.is_some() {
                array(first, number.ty, true)
            } else {
                (first.to_owned(), option(first).map_or(Argument::Integer, Argument::Option))
            };
            let (array, size) = instead.and_then(|names| names.split_once('/')).unzip();
            routine.arguments.push((name, argument, array.map(str::to_owned)));
            if let Some(second) = second {
                routine.arguments.push((second.to_owned(), Argument::Integer, size.map(str::to_owned)));
            }
        }
        routine
    }

    /// The name in CUDA, without what tells versions apart.
    fn c_name(&self, prefix: &str) -> String {
        format!("{prefix}{}{}", self.name[..1].to_uppercase(), &self.name[1..])
    }

    /// The interface of the routine with a handle.
    fn with_handle(&self, out: &mut String, interface: &Interface<'_>) {
        let Interface { name, c_name, handle, long, home } = interface;
        let mut names = vec!["h".to_owned()];
        names.extend(self.arguments.iter().map(|(name, ..)| name.clone()));
        names.extend(self.result.as_ref().map(|_| "res".to_owned()));
        let _ = write!(out, "  interface\n    integer(4) function {name}({}", listed(&names));
        let _ = writeln!(out, ") &\n        bind(c, name='{c_name}')");
        let _ = writeln!(out, "      import {handle}, c_devptr\n      type({handle}), value :: h");
        let mut ignored = String::new();
        for (name, argument, _) in &self.arguments {
            let _ = match argument {
                Argument::Option(_) => writeln!(out, "      integer(4), value :: {name}"),
                Argument::Integer => writeln!(out, "      integer({long}), value :: {name}"),
                Argument::Long => writeln!(out, "      integer(8), value :: {name}"),
                _ => declared(out, &mut ignored, name, argument, *home),
            };
        }
        if let Some(ty) = &self.result {
            let _ = writeln!(out, "      {ty} :: res");
            ignored += ", (d) res";
        }
        if !ignored.is_empty() {
            let _ = writeln!(out, "      !dir$ ignore_tkr {}", &ignored[2..]);
        }
        out.push_str("    end function\n  end interface\n");
    }

    /// The procedure that takes options as letters: with a handle that it is given, or, if the routine is one of BLAS, without.
    fn with_letters(&self, out: &mut String, home: Home, takes_handle: bool) {
        let (prefix, handle) = match home {
            _ if takes_handle => (LETTERS, "h"),
            Home::Host => ("cufemu_host_", "cufemu_host_handle()"),
            _ => ("cufemu_", "cublasGetHandle()"),
        };
        let name = format!("{prefix}{}", self.name);
        let is_there = |instead: &Option<String>| takes_handle || instead.is_none();
        let arguments = || self.arguments.iter().filter(|(.., instead)| is_there(instead));
        let given = takes_handle.then(|| "h".to_owned());
        let names: Vec<String> = given.into_iter().chain(arguments().map(|(name, ..)| name.clone())).collect();
        let (kind, end) = match &self.result {
            _ if takes_handle => ("integer(4) function".to_owned(), " result(status)"),
            Some(ty) => (format!("{ty} function"), " result(res)"),
            None => ("subroutine".to_owned(), ""),
        };
        let _ = writeln!(out, "  {kind} {name}({}){end}", listed(&names));
        if takes_handle {
            out.push_str("    type(cublasHandle) :: h\n");
        } else {
            out.push_str("    integer(4) :: status\n");
        }
        let mut ignored = String::new();
        for (name, argument, _) in arguments() {
            let _ = match argument {
                Argument::Option(_) => writeln!(out, "    character(1) :: {name}"),
                Argument::Integer => writeln!(out, "    integer(4) :: {name}"),
                Argument::Long => writeln!(out, "    integer(8) :: {name}"),
                _ => declared(out, &mut ignored, name, argument, home),
            };
        }
        if !ignored.is_empty() {
            let _ = writeln!(out, "    !dir$ ignore_tkr {}", &ignored[2..]);
        }
        let mut passed = vec![handle.to_owned()];
        passed.extend(self.arguments.iter().map(|(name, argument, instead)| match argument {
            Argument::Option(number) => number.replace('@', name),
            _ => instead.as_ref().filter(|_| !takes_handle).unwrap_or(name).clone(),
        }));
        passed.extend(self.result.as_ref().map(|_| "res".to_owned()));
        let called = home.prefix().to_owned() + &self.c_name("cublas") + "_v2";
        let _ = writeln!(out, "    status = {called}({})", listed(&passed));
        let _ = writeln!(out, "  end {}", kind.rsplit(' ').next().unwrap_or_default());
    }

    /// Whether an argument is an option.
    fn has_options(&self) -> bool {
        self.arguments.iter().any(|(_, argument, _)| matches!(argument, Argument::Option(_)))
    }
}

/// Where the arrays of a procedure belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Device,
    Host,
    Any,
}

impl Home {
    /// What the names of interfaces begin with that are not those of CUDA.
    fn prefix(self) -> &'static str {
        if self == Home::Host { "cufemu_host_" } else { "" }
    }
}

/// How the interface of a routine is written.
struct Interface<'a> {
    name: &'a str,
    c_name: &'a str,
    /// The type of the handle.
    handle: &'a str,
    /// Bytes of integers.
    long: usize,
    home: Home,
}

/// Declares an argument that is no integer; adds to what the comparison of arguments ignores. An array may have another type of
/// the same kind, as in nvfortran.
fn declared(out: &mut String, ignored: &mut String, name: &str, argument: &Argument, home: Home) -> std::fmt::Result {
    match argument {
        Argument::Scalar(ty) => {
            let _ = write!(ignored, ", (d) {name}");
            writeln!(out, "      {ty} :: {name}")
        }
        Argument::Array { ty, shape, is_of_device } => {
            let device = if *is_of_device && home == Home::Device { ", device" } else { "" };
            let _ = write!(ignored, ", ({}tr) {name}", if home == Home::Any { "d" } else { "" });
            writeln!(out, "      {ty}{device} :: {name}({shape})")
        }
        _ => {
            writeln!(out, "      type(c_devptr), device :: {name}(*)")
        }
    }
}

/// Names with commas, on several lines if they are many.
fn listed(names: &[String]) -> String {
    let (mut out, mut column) = (String::new(), 60);
    for (i, name) in names.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        if column + name.len() > WIDTH {
            out.push_str("&\n        ");
            column = 0;
        }
        column += name.len() + 2;
        out.push_str(name);
    }
    out
}

/// The routines of a table for the types that have them.
fn routines(table: &'static [(&str, &str, &str)]) -> impl Iterator<Item = Routine> {
    table.iter().flat_map(|row| {
        let numbers = NUMBERS.iter().filter(|number| row.1.contains(number.letter));
        numbers.map(move |number| Routine::new(row, number))
    })
}

/// The source of what the modules share.
pub(crate) static SHARED: LazyLock<String> = LazyLock::new(|| {
    let mut out = include_str!("modules/cublas_head.cuf").to_owned();
    let handle = "cublasHandle";
    for routine in routines(BLAS) {
        for home in [Home::Device, Home::Host] {
            let name = home.prefix().to_owned() + &routine.c_name("cublas") + "_v2";
            let c_name = format!("nvfortran:{}_v2", routine.c_name("cublas"));
            let interface = Interface { name: &name, c_name: &c_name, handle, long: 4, home };
            routine.with_handle(&mut out, &interface);
        }
    }
    for routine in routines(EXTENSIONS) {
        let name = routine.c_name("cublas");
        let (c_name, mut forms) = (format!("nvfortran:{name}"), format!("{name}_v2"));
        let interface = Interface { name: &forms, c_name: &c_name, handle, long: 4, home: Home::Device };
        routine.with_handle(&mut out, &interface);
        if routine.has_options() {
            let _ = write!(forms, ", {LETTERS}{}", routine.name);
        }
        out += &generic(&name, &forms);
    }
    out.push_str(include_str!("modules/cublas_procedures.cuf"));
    for routine in routines(BLAS) {
        for home in [Home::Device, Home::Host] {
            routine.with_letters(&mut out, home, false);
        }
    }
    for routine in routines(EXTENSIONS).filter(Routine::has_options) {
        routine.with_letters(&mut out, Home::Device, true);
    }
    out + "end module\n"
});

/// A generic interface.
fn generic(name: &str, procedures: &str) -> String {
    format!("  interface {name}\n    procedure :: {procedures}\n  end interface\n")
}

/// A module of what is shared and of these interfaces.
fn module(name: &str, interfaces: &str) -> String {
    format!("module {name}\n  use cufemu_cublas\n  implicit none\n{interfaces}end module\n")
}

/// The names of routines without a handle: those of CUDA and those of BLAS.
fn without_handle() -> String {
    let interfaces = routines(BLAS).map(|routine| {
        let (device, host) = (format!("cufemu_{}", routine.name), format!("cufemu_host_{}", routine.name));
        generic(&routine.c_name("cublas"), &device) + &generic(&routine.name, &format!("{device}, {host}"))
    });
    interfaces.collect()
}

/// The module cublas: routines without a handle, by their names in CUDA and by those of BLAS.
pub(crate) static MODULE: LazyLock<String> = LazyLock::new(|| module("cublas", &without_handle()));

/// The module cublas_v2: routines with a handle, by their names in CUDA.
pub(crate) static MODULE_V2: LazyLock<String> = LazyLock::new(|| {
    let interfaces = routines(BLAS).map(|routine| {
        let name = routine.c_name("cublas");
        generic(&name, &format!("{name}_v2"))
    });
    module("cublas_v2", &interfaces.collect::<String>())
});

/// The module cublasxt: routines on arrays in any memory, beside what module cublas has.
pub(crate) static MODULE_XT: LazyLock<String> = LazyLock::new(|| {
    let mut interfaces = include_str!("modules/cublasxt_head.cuf").to_owned();
    let of_xt = |row: &&(&str, &str, &str)| XT.contains(&row.0);
    for row in BLAS.iter().chain(EXTENSIONS).filter(of_xt) {
        for number in NUMBERS.iter().filter(|number| row.1.contains(number.letter)) {
            let routine = Routine::new(row, number);
            let name = routine.c_name("cublasXt");
            let forms = [
                (4, format!("cufemu_{name}_4"), format!("nvfortran:{name}")),
                (8, format!("cufemu_{name}_8"), name.clone()),
            ];
            for (long, name, c_name) in &forms {
                let interface = Interface { name, c_name, handle: "cublasXtHandle", long: *long, home: Home::Any };
                routine.with_handle(&mut interfaces, &interface);
            }
            interfaces += &generic(&name, &format!("{}, {}", forms[0].1, forms[1].1));
        }
    }
    format!("{interfaces}end module\n")
});
