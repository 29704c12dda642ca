//! Handles, and the arguments that many routines have.

use crate::call::{Call, Outcome, Status};
use crate::element::Element;
use crate::handles::{CUSOLVER, PARAMETERS};
use crate::operand::{Integers, Vector};
use device::Section;

/// The version of the library that the routines are those of: 11.7.3.
const VERSION: i32 = 11_703;

impl Call<'_> {
    /// The stream of the handle, which is the first argument.
    pub(super) fn solver(&mut self) -> Result<u64, Status> {
        let handle = self.word();
        self.note_object(handle);
        match self.state.cusolver.get(handle) {
            Some(stream) => Ok(*stream),
            None => self.no_handle(&CUSOLVER, handle),
        }
    }

    /// The parameters of a routine that takes its types as arguments.
    pub(super) fn params(&mut self) -> Result<(), Status> {
        let params = self.word();
        self.note_object(params);
        match self.state.cusolver_params.get(params) {
            Some(()) => Ok(()),
            None => self.no_handle(&PARAMETERS, params),
        }
    }

    /// The memory that a routine works in: an address and the number of elements. It must have those that the routine that
    /// tells the size tells.
    pub(super) fn workspace<T: Element>(&mut self, needed: usize) -> Result<Section, Status> {
        self.workspace_by::<T>(needed, None)
    }

    /// The same of a routine whose size depends on the arguments at these positions only.
    pub(super) fn workspace_by<T: Element>(
        &mut self,
        needed: usize,
        positions: Option<&[usize]>,
    ) -> Result<Section, Status> {
        let needed = self.needed(needed, positions)?;
        let (address, count) = (self.word(), self.int());
        if count < needed as i64 {
            let reason = format!("`Lwork` is {count}, and `{}_bufferSize` gives {needed}", self.name);
            return self.wrong(reason);
        }
        self.check_device(address, "Workspace")?;
        Ok(Vector::<T>::new(address, needed, 1).section())
    }

    /// How many elements a routine works in; `own` are enough here.
    pub(super) fn needed(&mut self, own: usize, positions: Option<&[usize]>) -> Result<usize, Status> {
        let told = self.work_size("_bufferSize", positions, own as u64, &[size_of::<i32>()])?;
        Ok(usize::try_from(told).unwrap_or(own))
    }

    /// Where a routine says how it ended.
    pub(super) fn info(&mut self) -> Result<Integers, Status> {
        self.device_integers("devInfo", 1)
    }

    /// Elements in device memory.
    pub(super) fn elements<T: Element>(&mut self, what: &str, count: usize) -> Result<Vector<T>, Status> {
        let address = self.word();
        self.check_device(address, what)?;
        Ok(Vector::new(address, count, 1))
    }

    /// Writes the number of elements that a routine works in.
    pub(super) fn put_work_size(&mut self, needed: usize) -> Outcome {
        let address = self.word();
        let needed = i32::try_from(needed).unwrap_or(i32::MAX);
        self.put(address, &needed.to_le_bytes(), "Lwork")?;
        self.answered()
    }
}

pub(super) fn create(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let handle = call.state.cusolver.add(0);
    call.put(address, &handle.to_le_bytes(), "handle")?;
    call.has_made(handle, &CUSOLVER, "cusolverDnDestroy")?;
    call.done()
}

pub(super) fn destroy(call: &mut Call<'_>) -> Outcome {
    let handle = call.word();
    match call.state.cusolver.remove(handle) {
        Some(_) => {
            call.has_destroyed(handle);
            call.done()
        }
        None => call.no_handle(&CUSOLVER, handle),
    }
}

pub(super) fn set_stream(call: &mut Call<'_>) -> Outcome {
    let (handle, stream) = (call.word(), call.stream_word());
    let failed = Status(call.statuses.failed);
    call.runtime.check_stream(stream, call.name, call.span).map_err(|_| failed)?;
    match call.state.cusolver.get(handle) {
        Some(of_handle) => *of_handle = stream,
        None => return call.no_handle(&CUSOLVER, handle),
    }
    call.has_set(handle)?;
    call.done()
}

pub(super) fn stream(call: &mut Call<'_>) -> Outcome {
    let stream = call.solver()?;
    let address = call.word();
    call.put(address, &stream.to_le_bytes(), "stream")?;
    call.done()
}

pub(super) fn version(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    call.put(address, &VERSION.to_le_bytes(), "version")?;
    call.answered()
}

pub(super) fn create_params(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let params = call.state.cusolver_params.add(());
    call.put(address, &params.to_le_bytes(), "params")?;
    call.has_made(params, &PARAMETERS, "cusolverDnDestroyParams")?;
    call.done()
}

pub(super) fn destroy_params(call: &mut Call<'_>) -> Outcome {
    let params = call.word();
    match call.state.cusolver_params.remove(params) {
        Some(()) => {
            call.has_destroyed(params);
            call.done()
        }
        None => call.no_handle(&PARAMETERS, params),
    }
}
