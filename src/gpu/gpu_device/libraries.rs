//! Routines of NVIDIA's libraries on the GPU: in the order of their streams, on the device's own memory.
//!
//! Not here: what a routine is called with (`library`), handles and calls (`vendor`).

use super::GpuDevice;
use crate::transfer::cuda_error;
use crate::vendor::{StreamOf, Vendors};
use device::{CudaError, Routine, VendorAnswer, VendorArg, VendorCall, VendorLibraries, VendorObject};
use finding::{Access, Actor, ApiFault, Finding, FindingKind};
use foreign::CudaLibraries;
use mem::{Memory, Region};
use std::sync::{Arc, PoisonError};

/// Whether an address is in memory of the program that the GPU has only a copy of.
fn is_shared(address: u64) -> bool {
    matches!(Region::of(address), Some(Region::Managed | Region::Pinned))
}

impl GpuDevice {
    /// Gives the GPU NVIDIA's libraries, for routines of theirs.
    pub fn use_libraries(&mut self, libraries: Arc<CudaLibraries>) {
        self.vendors.use_libraries(libraries);
    }

    /// Whether a routine can reach memory of the program that the GPU has only a copy of.
    pub(super) fn routine_reaches_host(routine: &Routine) -> bool {
        let words = routine.vendor.iter().flat_map(|call| &call.args).filter_map(|arg| match arg {
            VendorArg::Word(word) => Some(*word),
            _ => None,
        });
        let sections = routine.reads.iter().chain(&routine.writes).map(|(section, _)| section.base);
        // Scalars and results of the host are buffers of their own.
        let of_host =
            |address: &u64| routine.vendor.iter().flat_map(|call| call.places()).any(|place| place == *address);
        words.chain(sections.filter(|address| !of_host(address))).any(is_shared)
    }

    /// Puts a routine on its stream; its status is kept.
    pub(super) fn put_routine(
        &mut self,
        memory: &mut Memory,
        routine: &Routine,
        call: &VendorCall,
    ) -> Result<(), CudaError> {
        if GpuDevice::routine_reaches_host(routine) {
            self.share(memory, true)?;
            self.is_shared = true;
            device::Device::finish(self);
        }
        let VendorAnswer { status, results } = match self.called(call) {
            Ok(answer) => answer,
            Err(reason) => {
                let kind =
                    FindingKind::Api { call: routine.name.to_owned(), fault: ApiFault::InvalidArgument { reason } };
                self.findings.push(Finding::new(kind, vec![Access::step(Actor::Host, routine.span)]));
                return Err(CudaError::Unknown);
            }
        };
        if status != 0 {
            self.vendors.status = Some(status);
        }
        call.places().zip(&results).try_for_each(|(to, bytes)| {
            // The GPU's copy of such memory comes back later.
            if is_shared(to) {
                self.gpu.write(to, bytes).map_err(|e| cuda_error(&e))?;
            }
            memory.write(to, bytes).ok_or(CudaError::InvalidValue)
        })
    }

    /// Calls a function in the context of the GPU, after everything that was put on streams before.
    fn called(&mut self, call: &VendorCall) -> Result<VendorAnswer, String> {
        self.with_vendors(|vendors, stream_of| vendors.call(call, stream_of))
    }

    /// Lets the libraries work in the context of the GPU, with its streams.
    fn with_vendors<R>(
        &mut self,
        work: impl FnOnce(&mut Vendors, StreamOf<'_>) -> Result<R, String>,
    ) -> Result<R, String> {
        self.with_context()?;
        let flight = self.flight.clone();
        let stream_of = |stream| flight.lock().unwrap_or_else(PoisonError::into_inner).stream(stream).as_handle();
        work(&mut self.vendors, &stream_of)
    }

    fn with_context(&mut self) -> Result<(), String> {
        self.flush();
        self.gpu.context().lend().map_err(|error| error.to_string())
    }
}

impl VendorLibraries for GpuDevice {
    fn find(&mut self, function: &str) -> Result<(), String> {
        self.vendors.function(function).map(|_| ())
    }

    fn prepare(&mut self, object: &VendorObject) -> Result<i32, String> {
        self.with_vendors(|vendors, stream_of| vendors.prepare(object, stream_of))
    }

    fn ask(&mut self, call: &VendorCall) -> Result<VendorAnswer, String> {
        self.called(call)
    }

    fn destroy(&mut self, handle: u64) {
        if self.with_context().is_ok() {
            self.vendors.destroy(handle);
        }
    }

    fn take_status(&mut self) -> Option<i32> {
        self.vendors.status.take()
    }
}
