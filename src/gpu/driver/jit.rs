//! Compiling and linking by the driver: PTX text alone, or with CUDA's device runtime (CUDA Driver API, 6.11 "Module Management").

use super::{Context, Module, Result, check, sys};
use crate::error::DriverError;
use std::ffi::{CString, c_void};
use std::path::Path;
use std::sync::Arc;

/// Bytes of each log of the compiler in the driver.
const LOG_BYTES: usize = 16 << 10;

/// How the driver compiles, and what it says.
struct Options {
    info: Vec<u8>,
    errors: Vec<u8>,
    keys: [sys::CUjit_option; 6],
    values: [*mut c_void; 6],
}

impl Options {
    fn new(debug: bool) -> Options {
        let (mut info, mut errors) = (vec![0u8; LOG_BYTES], vec![0u8; LOG_BYTES]);
        // The driver takes numbers in the place of pointers.
        let number = |n: usize| std::ptr::without_provenance_mut::<c_void>(n);
        let values = [
            info.as_mut_ptr().cast(),
            number(LOG_BYTES),
            errors.as_mut_ptr().cast(),
            number(LOG_BYTES),
            number(1),
            number(usize::from(debug)),
        ];
        let keys = [
            sys::CUjit_option::CU_JIT_INFO_LOG_BUFFER,
            sys::CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            sys::CUjit_option::CU_JIT_GENERATE_LINE_INFO,
            sys::CUjit_option::CU_JIT_GENERATE_DEBUG_INFO,
        ];
        Options { info, errors, keys, values }
    }

    fn said(bytes: &[u8]) -> String {
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
    }
}

impl Module {
    /// Compiles and loads PTX text, linked with a library of device code if there is one; gives the module and what the compiler
    /// said. On failure the second part of the error is the compiler's log.
    pub(crate) fn load(
        context: &Arc<Context>,
        ptx: &str,
        debug: bool,
        library: Option<&Path>,
    ) -> std::result::Result<(Arc<Module>, String), (DriverError, String)> {
        context.enter().map_err(|e| (e, String::new()))?;
        let Ok(text) = CString::new(ptx) else { return Err((DriverError::Invalid("text"), String::new())) };
        let mut options = Options::new(debug);
        let made = match library {
            None => load_text(&text, &mut options),
            Some(library) => link(&text, library, &mut options),
        };
        match made {
            Ok(handle) => Ok((Arc::new(Module { context: context.clone(), handle }), Options::said(&options.info))),
            Err(error) => Err((error, Options::said(&options.errors))),
        }
    }
}

fn load_text(text: &CString, options: &mut Options) -> Result<usize> {
    let mut module = std::ptr::null_mut();
    cu!(cuModuleLoadDataEx(
        &raw mut module,
        text.as_ptr().cast(),
        options.keys.len() as u32,
        options.keys.as_mut_ptr(),
        options.values.as_mut_ptr(),
    ))?;
    Ok(module as usize)
}

fn link(text: &CString, library: &Path, options: &mut Options) -> Result<usize> {
    let bytes = library.as_os_str().as_encoded_bytes();
    let path = CString::new(bytes).map_err(|_| DriverError::Invalid("path"))?;
    let mut state = std::ptr::null_mut();
    let count = options.keys.len() as u32;
    cu!(cuLinkCreate_v2(count, options.keys.as_mut_ptr(), options.values.as_mut_ptr(), &raw mut state))?;
    let linked = (|| {
        let none = std::ptr::null_mut();
        let data = text.as_ptr().cast_mut().cast();
        let size = text.as_bytes_with_nul().len();
        let kind = sys::CUjitInputType::CU_JIT_INPUT_PTX;
        cu!(cuLinkAddData_v2(state, kind, data, size, c"program".as_ptr(), 0, none, std::ptr::null_mut()))?;
        let kind = sys::CUjitInputType::CU_JIT_INPUT_LIBRARY;
        cu!(cuLinkAddFile_v2(state, kind, path.as_ptr(), 0, std::ptr::null_mut(), std::ptr::null_mut()))?;
        let (mut code, mut bytes) = (std::ptr::null_mut(), 0);
        cu!(cuLinkComplete(state, &raw mut code, &raw mut bytes))?;
        let mut module = std::ptr::null_mut();
        cu!(cuModuleLoadData(&raw mut module, code))?;
        Ok(module as usize)
    })();
    let ended = cu!(cuLinkDestroy(state));
    linked.and_then(|module| ended.map(|()| module))
}
