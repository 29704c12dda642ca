//! cuBLASXt: routines of level 3 on arrays in any memory, with sizes of 8 bytes.
//!
//! NVIDIA's library is given arrays of the host. With others, and for the parts of the work that a program gives to the host, the work is
//! done here.

use crate::call::{Call, Outcome, Status};
use crate::handles::CUBLAS_XT;
use crate::state::{CublasHandle, Home, XtHandle};

/// Rows and columns of blocks, unless the program says otherwise.
const BLOCK: i32 = 1024;

impl Call<'_> {
    /// A handle of cuBLASXt. Scalars are in host memory.
    pub(super) fn xt_handle(&mut self, handle: u64) -> Result<CublasHandle, Status> {
        self.note_object(handle);
        match self.state.cublas_xt.get(handle) {
            Some(_) => Ok(CublasHandle { home: Home::Any, ..CublasHandle::default() }),
            None => self.no_handle(&CUBLAS_XT, handle),
        }
    }
}

/// Does what a routine of cuBLAS does. The interfaces of the module have a form with sizes of 4 bytes.
pub(super) fn with(call: &mut Call<'_>, routine: fn(&mut Call<'_>) -> Outcome) -> Outcome {
    call.home = Home::Any;
    call.is_wide = !call.is_of_module;
    routine(call)
}

pub(super) fn create(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let handle = call.state.cublas_xt.add(XtHandle { block: BLOCK, pinning: 0 });
    call.put(address, &handle.to_le_bytes(), "handle")?;
    call.has_made(handle, &CUBLAS_XT, "cublasXtDestroy")?;
    call.done()
}

pub(super) fn destroy(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    match call.state.cublas_xt.remove(handle) {
        Some(_) => {
            call.has_destroyed(handle);
            call.done()
        }
        None => call.no_handle(&CUBLAS_XT, handle),
    }
}

/// Which devices take part; here the current one does the work.
pub(super) fn select_devices(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    call.xt_handle(handle)?;
    let count = call.count("nbDevices")?;
    let address = call.word();
    let there = call.runtime.device_count() as i32;
    if count > there as usize {
        return call.wrong(format!("`nbDevices` is {count}, and there are {there} devices"));
    }
    let bytes = call.host_bytes(address, 4 * count, "deviceId")?;
    for word in bytes.chunks_exact(4) {
        let device = word.try_into().map_or(0, i32::from_le_bytes);
        if !(0..there).contains(&device) {
            return call.wrong(format!("`deviceId` has device {device}, and there are {there}, counted from 0"));
        }
    }
    call.has_set(handle)?;
    call.done()
}

pub(super) fn set_block(call: &mut Call<'_>) -> Outcome {
    set(call, |handle| &mut handle.block)
}

pub(super) fn block(call: &mut Call<'_>) -> Outcome {
    get(call, |handle| handle.block, "blockDim")
}

pub(super) fn set_pinning(call: &mut Call<'_>) -> Outcome {
    set(call, |handle| &mut handle.pinning)
}

pub(super) fn pinning(call: &mut Call<'_>) -> Outcome {
    get(call, |handle| handle.pinning, "mode")
}

/// Which part of the work the host does; all is done by the device.
pub(super) fn accept(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    call.xt_handle(handle)?;
    call.done()
}

fn set(call: &mut Call<'_>, of: fn(&mut XtHandle) -> &mut i32) -> Outcome {
    let (handle, number) = (call.word(), call.int());
    match call.state.cublas_xt.get(handle) {
        Some(found) => *of(found) = number as i32,
        None => return call.no_handle(&CUBLAS_XT, handle),
    }
    call.has_set(handle)?;
    call.done()
}

fn get(call: &mut Call<'_>, of: fn(&XtHandle) -> i32, what: &str) -> Outcome {
    let (handle, address) = (call.word(), call.word());
    let Some(number) = call.state.cublas_xt.get(handle).map(|found| of(found)) else {
        return call.no_handle(&CUBLAS_XT, handle);
    };
    call.put(address, &number.to_le_bytes(), what)?;
    call.done()
}
