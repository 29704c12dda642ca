//! A launch that is no part of the program's run: of other code, in memory that is given for it.
//!
//! Not here: what it is good for (`machine`'s `verify`).

use super::{GpuDevice, PIECE, value_of};
use crate::error::DriverError;
use crate::gpu::{LaunchShape, LoadOptions};
use crate::params::{self, ParamValue};
use crate::transfer::cuda_error;
use device::{CudaError, KernelLaunch};
use ir::Module;
use mem::Memory;

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
        let values: Vec<ParamValue<'_>> = launch.args.iter().map(value_of).collect();
        let params = params::pack(module.func(launch.func), &values).map_err(|_| CudaError::InvalidValue)?;
        let shared_bytes = u32::try_from(launch.dynamic_shared).map_err(|_| CudaError::InvalidValue)?;
        let shape = LaunchShape { grid: launch.grid, block: launch.block, shared_bytes };
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
        let reached: Vec<(u64, u64)> =
            memory.live().filter(|(_, a)| a.region.is_device_accessible()).map(|(_, a)| (a.base, a.bytes)).collect();
        for (base, bytes) in reached {
            let mut buffer = vec![0; bytes.min(PIECE) as usize];
            for at in (0..bytes).step_by(PIECE as usize) {
                let piece = &mut buffer[..(bytes - at).min(PIECE) as usize];
                memory.read(base + at, piece).ok_or(CudaError::InvalidValue)?;
                self.gpu.write(base + at, piece).map_err(|e| cuda_error(&e))?;
            }
        }
        Ok(())
    }
}
