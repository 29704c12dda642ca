//! The GPU as a device: the IR printed as PTX text, and the CUDA driver that runs it.
//!
//! [`ptx`] turns kernels into text and needs no driver, so it works and is tested on any machine. [`Gpu`] loads that text
//! through the driver, which is found at run time: the build needs no CUDA, and without a driver [`Gpu::open`] returns
//! an error. [`params`] packs the arguments of a launch, [`record_buffer`] reads back what kernels printed.
//!
//! Invariants: a kernel computes bit for bit what the emulator computes (rounding, division by zero, shifts), with the
//! exceptions that `ptx` lists; all `unsafe` code of this crate is in `driver.rs`.
//!
//! Not here: what a CUDA call means to the program (`device`), formatting of printed values (`text`).

mod attribute;
mod driver;
mod error;
mod flight;
mod gpu;
mod gpu_device;
mod mapping;
mod output;
pub mod params;
pub mod ptx;
pub mod record_buffer;
mod submission;
mod transfer;
mod vendor;
mod way;

pub use attribute::Attribute;
pub use driver::driver_is_present;
pub use error::DriverError;
pub use gpu::{Gpu, LaunchShape, LoadError, LoadOptions, Loaded, Refused};
pub use gpu_device::{GpuDevice, GpuOptions};
pub use opt::Target;
