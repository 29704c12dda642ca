//! The devices that a machine may have.

use crate::verify::VerifyDevice;
use device::Device;
use emu::Emulator;
use gpu::GpuDevice;
use std::sync::Arc;

/// A device of a machine.
#[derive(Debug)]
pub enum DeviceBox {
    /// The emulator.
    Emulator(Box<Emulator>),
    /// A GPU.
    Gpu(Box<GpuDevice>),
    /// Both, compared after each launch.
    Verify(Box<VerifyDevice>),
}

impl DeviceBox {
    /// The emulator and a GPU that run the same commands and are compared after each launch.
    pub fn verify(emulator: Emulator, gpu: GpuDevice) -> DeviceBox {
        DeviceBox::Verify(Box::new(VerifyDevice::new(emulator, gpu)))
    }

    /// The device as a trait object.
    pub fn as_device(&mut self) -> &mut dyn Device {
        match self {
            DeviceBox::Emulator(emulator) => emulator.as_mut(),
            DeviceBox::Gpu(gpu) => gpu.as_mut(),
            DeviceBox::Verify(both) => both.as_mut(),
        }
    }

    /// The emulator, if it is one.
    pub fn emulator(&self) -> Option<&Emulator> {
        match self {
            DeviceBox::Emulator(emulator) => Some(emulator),
            DeviceBox::Verify(both) => Some(&both.emulator),
            DeviceBox::Gpu(_) => None,
        }
    }

    /// The emulator, if it is one, to change it.
    pub fn emulator_mut(&mut self) -> Option<&mut Emulator> {
        match self {
            DeviceBox::Emulator(emulator) => Some(emulator),
            DeviceBox::Verify(both) => Some(&mut both.emulator),
            DeviceBox::Gpu(_) => None,
        }
    }

    /// Gives the device its code.
    pub(crate) fn load(&mut self, program: &Arc<vm::Program>, options: &gpu::GpuOptions<'_>) -> Result<(), String> {
        match self {
            DeviceBox::Emulator(emulator) => {
                emulator.load(program.clone());
                Ok(())
            }
            DeviceBox::Gpu(gpu) => {
                gpu.load(program.module().clone(), program.globals(), options).map_err(|e| e.to_string())
            }
            DeviceBox::Verify(both) => {
                both.emulator.load(program.clone());
                both.gpu.load(program.module().clone(), program.globals(), options).map_err(|e| e.to_string())
            }
        }
    }

    /// A copy in the same state; a GPU cannot be copied.
    pub(crate) fn copy(&self) -> Option<DeviceBox> {
        match self {
            DeviceBox::Emulator(emulator) => Some(DeviceBox::Emulator(emulator.clone())),
            DeviceBox::Gpu(_) | DeviceBox::Verify(_) => None,
        }
    }
}
