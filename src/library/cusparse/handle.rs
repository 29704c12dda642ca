//! Handles: the stream, and where scalars are.

use crate::call::{Call, Outcome, Status};
use crate::handles::CUSPARSE;
use crate::state::CublasHandle as Handle;

/// The version of the library that the routines are those of: 12.5.
const VERSION: i32 = 12_500;

impl Call<'_> {
    /// The handle, which is the first argument.
    pub(super) fn sparse_handle(&mut self) -> Result<Handle, Status> {
        let handle = self.word();
        self.note_object(handle);
        match self.state.cusparse.get(handle) {
            Some(found) => Ok(found.clone()),
            None => self.no_handle(&CUSPARSE, handle),
        }
    }

    /// The handle, to be changed.
    fn handle_to_change(&mut self, handle: u64, set: impl FnOnce(&mut Handle)) -> Outcome {
        match self.state.cusparse.get(handle) {
            Some(found) => set(found),
            None => return self.no_handle(&CUSPARSE, handle),
        }
        self.has_set(handle)?;
        self.done()
    }
}

pub(super) fn create(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let handle = call.state.cusparse.add(Handle::default());
    call.put(address, &handle.to_le_bytes(), "handle")?;
    call.has_made(handle, &CUSPARSE, "cusparseDestroy")?;
    call.done()
}

pub(super) fn destroy(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    match call.state.cusparse.remove(handle) {
        Some(_) => {
            call.has_destroyed(handle);
            call.done()
        }
        None => call.no_handle(&CUSPARSE, handle),
    }
}

pub(super) fn set_stream(call: &mut Call<'_>) -> Outcome {
    let (handle, stream) = (call.word(), call.stream_word());
    let failed = Status(call.statuses.failed);
    call.runtime.check_stream(stream, call.name, call.span).map_err(|_| failed)?;
    call.handle_to_change(handle, |handle| handle.stream = stream)
}

pub(super) fn stream(call: &mut Call<'_>) -> Outcome {
    let stream = call.sparse_handle()?.stream;
    let address = call.word();
    call.put(address, &stream.to_le_bytes(), "stream")?;
    call.done()
}

pub(super) fn set_pointer_mode(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    let mode = call.choice("mode")?;
    call.handle_to_change(handle, |handle| handle.takes_device_scalars = mode)
}

pub(super) fn pointer_mode(call: &mut Call<'_>) -> Outcome {
    let mode = i32::from(call.sparse_handle()?.takes_device_scalars);
    let address = call.word();
    call.put(address, &mode.to_le_bytes(), "mode")?;
    call.done()
}

pub(super) fn version(call: &mut Call<'_>) -> Outcome {
    call.sparse_handle()?;
    let address = call.word();
    call.put(address, &VERSION.to_le_bytes(), "version")?;
    call.answered()
}
