//! A launch that is no part of the program's run: of other code, in memory that is given for it.
//!
//! Not here: what it is good for (`machine`'s `verify`).

use super::{GpuDevice, packed};
use crate::error::DriverError;
use crate::gpu::LoadOptions;
use crate::transfer::cuda_error;
use device::{CudaError, KernelLaunch};
use ir::Module;
use mem::{Memory, Region};

impl GpuDevice {
    /// Runs a launch of another module, made of the same program, in that memory, and reads what it left at an address. Nothing else of
    /// it stays, but the GPU has this memory from then on ([`GpuDevice::take_memory`]).
    ///
    /// # Errors
    /// What the driver reports, and a kernel that cannot run on a GPU.
    pub fn run_apart(
        &mut self,
        memory: &Memory,
        module: &Module,
        launch: &KernelLaunch,
        (address, out): (u64, &mut [u8]),
    ) -> Result<(), CudaError> {
        let Some(code) = &self.code else { return Err(CudaError::InvalidDeviceFunction) };
        let options = LoadOptions {
            sm: code.sm,
            unoptimised: code.unoptimised,
            flushes: code.flushes,
            target: code.target,
            globals: Some(&code.globals),
            ..LoadOptions::default()
        };
        let failed = |e: DriverError| cuda_error(&e);
        let loaded = self.gpu.load(module, &options).map_err(|e| failed(e.error))?;
        self.take_memory(memory)?;
        let (shape, params) = packed(module, launch)?;
        self.gpu.launch(&loaded, launch.func, shape, &params).map_err(failed)?;
        self.gpu.synchronize().map_err(failed)?;
        self.gpu.drain_records().map_err(failed)?;
        self.gpu.read(address, out).map_err(failed)
    }

    /// Gives all memory that device code can reach the contents of `memory`.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn take_memory(&mut self, memory: &Memory) -> Result<(), CudaError> {
        self.give(memory, Region::is_device_accessible)
    }
}
