//! Compiles CUDA C to PTX with NVIDIA's NVRTC, which is loaded where it is installed.
//!
//! NVRTC has no headers of the host. Those that kernels include out of habit are given to it, with what kernels use of them.
#![allow(unsafe_code)] // Loading a library and calling it.

use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

/// Names of the library, the newest first.
const NAMES: &[&str] = &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"];
/// Where it is when the loader does not know it.
const DIRECTORIES: &[&str] = &["", "/usr/local/cuda/lib64", "/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu"];

/// Headers that kernels include: their names and their texts.
const HEADERS: &[(&CStr, &CStr)] = &[
    (c"stdio.h", c""),
    (c"cstdio", c""),
    (c"stdlib.h", c""),
    (c"cstdlib", c""),
    (c"math.h", c""),
    (c"cmath", c""),
    (c"string.h", c""),
    (c"assert.h", c""),
    (c"cuda.h", c""),
    (c"cuda_runtime.h", c""),
    (c"cuda_runtime_api.h", c""),
    (c"device_launch_parameters.h", c""),
    (c"stddef.h", c""),
    (c"limits.h", c"#define INT_MAX 2147483647\n#define INT_MIN (-INT_MAX - 1)\n#define UINT_MAX 4294967295u\n"),
    (c"float.h", c"#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n#define FLT_EPSILON 1.192092896e-7f\n#define DBL_MAX 1.7976931348623158e+308\n#define DBL_MIN 2.2250738585072014e-308\n#define DBL_EPSILON 2.2204460492503131e-16\n"),
    (c"stdint.h", c"typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned short uint16_t; typedef int int32_t; typedef unsigned int uint32_t; typedef long long int64_t; typedef unsigned long long uint64_t; typedef long long intptr_t; typedef unsigned long long uintptr_t;\n"),
];

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;

/// The PTX of a CUDA C file, with its lines; the error is for the user, a sentence and perhaps lines of the compiler.
pub fn compile_cuda(name: &str, text: &str, options: &[String]) -> Result<String, String> {
    let Some(library) = load() else {
        return Err(format!(
            "cannot compile `{name}`: NVIDIA's compiler library NVRTC (`libnvrtc.so`) is not installed; make \
             `{}` with `nvcc -ptx -lineinfo {name}` on a machine that has CUDA, and give that",
            PathBuf::from(name).with_extension("ptx").display()
        ));
    };
    // SAFETY: these are the types of NVRTC's functions of these names.
    unsafe { compile(&library, name, text, options) }
}

fn load() -> Option<Library> {
    let paths = DIRECTORIES.iter().flat_map(|d| NAMES.iter().map(move |name| PathBuf::from(d).join(name)));
    // SAFETY: it is NVIDIA's library, which does nothing when it is loaded.
    paths.into_iter().find_map(|path| unsafe { Library::new(&path) }.ok())
}

/// Calls NVRTC.
///
/// # Safety
/// The library has to be NVRTC.
unsafe fn compile(library: &Library, name: &str, text: &str, options: &[String]) -> Result<String, String> {
    let missing = |e: libloading::Error| format!("cannot compile `{name}`: NVRTC is not what is expected: {e}");
    let c_text =
        |text: &str| CString::new(text).map_err(|_| format!("cannot compile `{name}`: it contains zero bytes"));
    let (source, file) = (c_text(text)?, c_text(name)?);
    // An architecture that all of today's compilers know.
    let beside = Path::new(name).parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let own = ["-lineinfo".to_owned(), "-arch=compute_80".to_owned(), format!("-I{}", beside.display())].into_iter();
    let words = own.chain(options.iter().cloned()).map(|o| c_text(&o)).collect::<Result<Vec<_>, _>>()?;
    let options: Vec<*const c_char> = words.iter().map(|o| o.as_ptr()).collect();
    let (names, texts): (Vec<*const c_char>, Vec<*const c_char>) =
        HEADERS.iter().map(|(name, text)| (name.as_ptr(), text.as_ptr())).unzip();
    // SAFETY: as the caller says; all pointers live longer than the calls.
    unsafe {
        let create = library.get::<Create>("nvrtcCreateProgram").map_err(missing)?;
        let run = library.get::<Compile>("nvrtcCompileProgram").map_err(missing)?;
        let destroy = library.get::<Destroy>("nvrtcDestroyProgram").map_err(missing)?;
        let mut program: Program = null_mut();
        let count = HEADERS.len() as c_int;
        if create(&raw mut program, source.as_ptr(), file.as_ptr(), count, texts.as_ptr(), names.as_ptr()) != 0 {
            return Err(format!("cannot compile `{name}`: NVRTC takes no more programs"));
        }
        let failed =
            run(program, options.len() as c_int, if options.is_empty() { null() } else { options.as_ptr() }) != 0;
        let said = text_of(library, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").map_err(missing)?;
        let ptx = text_of(library, program, "nvrtcGetPTXSize", "nvrtcGetPTX").map_err(missing)?;
        destroy(&raw mut program);
        if failed { Err(format!("NVRTC cannot compile `{name}`:\n{}", said.trim_end())) } else { Ok(ptx) }
    }
}

/// A text of a program, given by a pair of functions.
///
/// # Safety
/// The library has to be NVRTC, and the program one of its.
unsafe fn text_of(library: &Library, program: Program, size: &str, text: &str) -> Result<String, libloading::Error> {
    // SAFETY: as the caller says; the buffer has the bytes that the library asks for.
    unsafe {
        let (size, text) = (library.get::<Size>(size)?, library.get::<Text>(text)?);
        let mut bytes = 0;
        if size(program, &raw mut bytes) != 0 || bytes == 0 {
            return Ok(String::new());
        }
        let mut buffer = vec![0_u8; bytes];
        text(program, buffer.as_mut_ptr().cast());
        buffer.truncate(buffer.iter().position(|&c| c == 0).unwrap_or(bytes));
        Ok(String::from_utf8_lossy(&buffer).into_owned())
    }
}
