//! The device interface: commands, progress, and the meaning of the CUDA runtime API.
//!
//! A [`Device`] takes commands and makes progress by a budget; nothing in the trait blocks (invariant I8). The emulator and the
//! GPU implement it. [`Runtime`] gives the CUDA runtime API its meaning on top of any device: error codes, streams, events,
//! allocations.
//!
//! An asynchronous command runs as soon as its stream and events allow. On the emulator that is before the host continues; a GPU
//! runs it while the host goes on, until the host waits ([`Device::order`]). Its error is held until the call that reports it in CUDA.
//!
//! Not here: how a kernel is executed (`emu`, `gpu`), who calls the API (`host`).

mod api;
mod command;
mod error;
mod observer;
mod properties;
mod runtime;
mod strided;
mod vendor;

pub use api::{
    Api, Call, CopyKind, GraphCall, KernelInfo, Kernels, LibraryCall, Order, OrderStep, Pitched, Reply, Work,
};
pub use command::{
    Agreement, Arg, Bytes, Command, Fill, Hole, KernelLaunch, Number, Progress, Routine, RoutineWork, Section,
    SourceHole, Spectrum, Strided, Written,
};
pub use error::{CudaError, error_name, error_string};
pub use observer::{DeviceAccess, NoObserver, Observer, Statement};
pub use properties::Properties;
pub use runtime::{
    DEFAULT_LIMITS, MEMORY_OF_C, RUNTIME_VERSION, Runtime, Step, Waiting, allocation_of, attribute, free_fault,
    launch_error, launch_fault, origin_of, property_type, space_of,
};
pub use strided::{Runs, copy_strided, fill};
pub use vendor::{Vendor, VendorAnswer, VendorArg, VendorCall, VendorLibraries, VendorObject};

use finding::Finding;
use mem::Memory;
use source::Span;

/// A device that runs kernels.
pub trait Device {
    /// What the device is.
    fn properties(&self) -> &Properties;

    /// Allocates device memory (`managed` and `pinned` memory too) and gives its address, a multiple of 256 and of the power of two
    /// `align`.
    fn alloc(
        &mut self,
        memory: &mut Memory,
        region: mem::Region,
        bytes: u64,
        align: u32,
        name: &str,
        span: Span,
    ) -> Result<u64, CudaError>;

    /// Frees what [`Device::alloc`] gave.
    fn free(&mut self, memory: &mut Memory, address: u64, span: Span) -> Result<(), CudaError>;

    /// Bytes of host memory are page-locked from now on: kernels may touch them.
    fn lock(&mut self, _address: u64, _bytes: u64) -> Result<(), CudaError> {
        Ok(())
    }

    /// Bytes of host memory, which are still locked, cease to be so.
    fn unlock(&mut self, _memory: &mut Memory, _address: u64) -> Result<(), CudaError> {
        Ok(())
    }

    /// Takes a command. An error here is one that CUDA reports at once, such as a bad launch configuration; others come
    /// from [`Device::take_error`] later.
    fn submit(&mut self, memory: &mut Memory, command: Command) -> Result<(), CudaError>;

    /// Works on the commands taken, for at most `budget` schedule points. Idle means that the host may continue.
    fn advance(&mut self, memory: &mut Memory, budget: u64, observer: &mut dyn Observer) -> Progress;

    /// Copies bytes out of memory that the device holds, once all commands are done.
    fn read(&mut self, memory: &Memory, address: u64, out: &mut [u8]) -> Result<(), CudaError>;

    /// Copies bytes into memory that the device holds, once all commands are done.
    fn write(&mut self, memory: &mut Memory, address: u64, data: &[u8]) -> Result<(), CudaError>;

    /// Drops the commands that are not done, also the running one. Work that cannot be stopped continues.
    fn abandon(&mut self) {}

    /// The effect of `cudaDeviceReset` on errors: forgets those of asynchronous commands, also sticky ones. An error means that the
    /// device cannot be used again.
    fn reset(&mut self) -> Result<(), CudaError>;

    /// Where device code has allocated memory that it may not have freed, if the device knows.
    fn heap_made(&self) -> Vec<u64> {
        Vec::new()
    }

    /// What kernels printed since the last call.
    fn take_output(&mut self) -> Vec<u8>;

    /// The findings since the last call.
    fn take_findings(&mut self) -> Vec<Finding>;

    /// The error of an asynchronous command, if one has failed. CUDA's sticky errors stay.
    fn take_error(&mut self) -> Option<CudaError>;

    /// Milliseconds between two events by the clock of the device, which have happened or are waited for; `None` where the clock of
    /// the world counts.
    fn elapsed_ms(&mut self, _start: u64, _end: u64) -> Option<f64> {
        None
    }

    /// What was submitted is to be done when [`Device::advance`] says that the device is idle, as if the host waited for it.
    fn finish(&mut self) {}

    /// The host or a stream waits for something. Devices may ignore it; a race detector and schedules that delay commands do not.
    fn order(&mut self, _: Order) {}

    /// NVIDIA's libraries, where the device runs their routines.
    fn vendor(&mut self) -> Option<&mut dyn VendorLibraries> {
        None
    }

    /// `cudaDeviceSetLimit`: 0 stack bytes of a thread, 2 bytes of the heap of device code, 3 depth of nested launches.
    fn set_limit(&mut self, _limit: i32, _value: u64) {}
}
