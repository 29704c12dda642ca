//! Names that exist in CUDA Fortran and are not supported: they are refused by name, not reported as unknown.
//!
//! Parts of the embedded modules that are lacking are known by how their names begin. Device code has procedures without any
//! module, too: all that begin with two underscores, which no Fortran name can, and forms of intrinsic functions for real(4).
//!
//! Source: NVIDIA's CUDA Fortran Programming Guide, "Device code" and "cudadevice"; the names of the C mathematics library
//! that module `libm` makes known.

use crate::checked::{Class, Intrinsic};
use crate::typing::Typing;
use source::Span;
use std::sync::Arc;

/// How names begin that belong to a module, and the module.
const LACKING: &[(&str, &str)] = &[
    ("cuda", "cudafor"),
    ("h5", "hdf5"),
    ("ieee_", "ieee_arithmetic"),
    ("ieee_", "ieee_exceptions"),
    ("ieee_", "ieee_features"),
    ("c_dev", "cudafor"),
    ("c_double", "iso_c_binding"),
    ("c_f_", "iso_c_binding"),
    ("c_float", "iso_c_binding"),
    ("c_fun", "iso_c_binding"),
    ("c_int", "iso_c_binding"),
    ("c_long", "iso_c_binding"),
    ("c_null_", "iso_c_binding"),
    ("cluster_", "cooperative_groups"),
    ("cublas", "cublas"),
    ("cublas", "cublas_v2"),
    ("cufft", "cufft"),
    ("curand", "curand"),
    ("curand", "curand_device"),
    ("cusolver", "cusolverdn"),
    ("cusparse", "cusparse"),
    ("mpi_", "mpi"),
    ("mpi_", "mpi_f08"),
];

/// Functions of BLAS and LAPACK for host arrays, which programs declare by their type alone.
const HOST_FUNCTIONS: &[&str] = &[
    "cdotc", "cdotu", "dasum", "dcabs1", "ddot", "disnan", "dlamch", "dlange", "dlansy", "dlapy2", "dnrm2", "dsdot",
    "dzasum", "dznrm2", "icamax", "idamax", "ieeeck", "ilaenv", "isamax", "izamax", "lsame", "sasum", "scabs1",
    "scasum", "scnrm2", "sdot", "sdsdot", "sisnan", "slamch", "slange", "slansy", "slapy2", "snrm2", "zdotc", "zdotu",
    "zlange", "zlanhe",
];

/// Whether a name is that of a function of BLAS or LAPACK.
pub(crate) fn is_host_function(name: &str) -> bool {
    HOST_FUNCTIONS.contains(&name)
}

/// Intrinsic procedures of Fortran 2023 that are not supported.
const FORTRAN_2023: &[&str] = &["selected_logical_kind", "split", "tokenize"];

/// How long the beginning of a name of CUDA must be to stand for it.
const MOST_OF_A_NAME: usize = 12;

/// A name without its first letter, if that can say, in BLAS, LAPACK and kin, for which type a procedure is.
pub(crate) fn without_type(name: &str) -> Option<&str> {
    name.strip_prefix(['s', 'd', 'c', 'z'])
}

/// Whether a name is that of a procedure of device code; those of C mathematics have a form for `real(4)`, too, with an `f`.
fn is_of_device(name: &str) -> bool {
    let is_of_real4 = |stem: &str| {
        Intrinsic::from_name(stem)
            .is_some_and(|id| id.class() == Class::Elemental && matches!(id.dummies().first(), Some(&("x" | "y"))))
    };
    // `__syncthreads` is what C calls `syncthreads`.
    let of_c = name.strip_prefix("__").and_then(Intrinsic::from_name).is_some_and(|id| id.class() == Class::Device);
    name.starts_with("__") && !of_c || name.strip_suffix('f').is_some_and(is_of_real4) || name == "floorf"
}

impl Typing<'_> {
    /// What an unknown name belongs to that is not supported: a library's module that is used here, a part
    /// of an embedded module that this version lacks, or a procedure of device code.
    pub(crate) fn foreign(&self, name: &str) -> Option<Arc<str>> {
        if let Some(what) = self.scopes.refused_module(self.cx.scope) {
            return Some(what);
        }
        if self.cx.side.on_device() && is_of_device(name) {
            return Some(format!("procedure `{name}` of device code").into());
        }
        let (_, module) = LACKING
            .iter()
            .find(|(prefix, module)| name.starts_with(prefix) && self.scopes.reaches_module(self.cx.scope, module))?;
        if self.is_misspelt(name, module) {
            return None;
        }
        Some(format!("`{name}` of module `{module}`").into())
    }

    /// What to do about an unknown name that is like those of a module of CUDA, where no USE statement brings that in.
    pub(crate) fn use_help(&self, name: &str) -> Option<String> {
        let (_, module) =
            LACKING.iter().find(|(prefix, _)| matches!(*prefix, "cuda" | "ieee_") && name.starts_with(prefix))?;
        let is_lacking = !self.scopes.reaches_module(self.cx.scope, module);
        is_lacking.then(|| format!("add `use {module}`, which declares the names of that kind"))
    }

    /// What a name without a definition belongs to when it is called or applied: a later standard.
    pub(crate) fn library_procedure(&self, name: &str) -> Option<Arc<str>> {
        FORTRAN_2023.contains(&name).then(|| format!("intrinsic procedure `{name}` of Fortran 2023").into())
    }

    /// Refuses a procedure that no given file defines: it may be one of C, of a library, or of a file that was forgotten.
    pub(crate) fn refuse_undefined<T>(&mut self, word: &str, name: &str, span: Span) -> Option<T> {
        if let Some(what) = self.library_procedure(name) {
            return self.reporter.refuse(span, what.to_string());
        }
        let help = "give the file that defines it, in Fortran or C, or its library";
        self.reporter.refuse_help(span, format!("{word} `{name}`, which no given file defines,"), help)
    }

    /// Whether a name of CUDA is one of the module's but for a letter or two: then it is no name of CUDA's at all. Those that
    /// differ in digits (`cudaMemcpy2D`, `cudaMemcpy3D`) are names of their own.
    fn is_misspelt(&self, name: &str, module: &str) -> bool {
        if !name.starts_with("cuda") {
            return false;
        }
        let Some(module) = self.scopes.module_named(module) else { return false };
        let names = || self.scopes.get(self.scopes.module(module).scope).names.all().map(|(n, _)| &**n);
        // `cudaMemcpyHostToDev`: most of a long name.
        if name.len() >= MOST_OF_A_NAME && names().any(|known| known.starts_with(name)) {
            return true;
        }
        let digits = |s: &str| s.chars().filter(char::is_ascii_digit).collect::<String>();
        diag::nearest_within(name, names(), 2).is_some_and(|near| digits(near) == digits(name))
    }
}
