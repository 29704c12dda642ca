//! Device and constant variables of modules where there are several devices: each device has an instance of its own.
//!
//! The instances of a variable have one address. Memory holds those of the device that works; those of the others are kept
//! here. Commands run one after another (`machine`), so that no command sees the change. Managed variables, and the
//! descriptors of allocatable ones, are the same for all devices.
//!
//! Source: CUDA C++ Programming Guide, `__device__` and `__constant__` in "Variable Memory Space Specifiers" ("has a distinct
//! object per device").
//!
//! Not here: the order of accesses to them (`checks::command_order`).

use crate::devices::DeviceBox;
use mem::{Memory, Region};
use vm::Program;

/// What one variable holds.
#[derive(Clone, Debug)]
struct Contents {
    bytes: Vec<u8>,
    /// Bytes that nothing has written, as offset and length.
    holes: Vec<(u64, u64)>,
}

/// The instances of all devices; none are kept where there is one device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instances {
    /// Address and bytes of each variable.
    variables: Vec<(u64, u64)>,
    /// The device whose instances are in memory.
    present: usize,
    /// What the variables of each device held when another one came to work, by device.
    kept: Vec<Vec<Contents>>,
}

impl Instances {
    /// Those of a program that was just loaded: all hold the first values.
    pub(crate) fn new(program: &Program, memory: &Memory, devices: &[DeviceBox]) -> Instances {
        if devices.len() < 2 || devices.iter().any(|device| !matches!(device, DeviceBox::Emulator(_))) {
            return Instances::default();
        }
        let variables = variables(program);
        let first: Vec<Contents> = variables.iter().filter_map(|&variable| contents(memory, variable)).collect();
        Instances { variables, present: 0, kept: vec![first; devices.len()] }
    }

    /// Puts the instances of a device into memory.
    pub(crate) fn select(&mut self, device: usize, memory: &mut Memory) {
        if device == self.present || device >= self.kept.len() {
            return;
        }
        self.kept[self.present] = self.variables.iter().filter_map(|&variable| contents(memory, variable)).collect();
        for (&(address, len), contents) in self.variables.iter().zip(&self.kept[device]) {
            let _ = memory.write(address, &contents.bytes);
            memory.mark_initialised(address, len);
            contents.holes.iter().for_each(|&(first, len)| memory.mark_uninitialised(address + first, len));
        }
        self.present = device;
    }
}

/// Address and bytes of the variables of which each device has an instance.
pub(crate) fn variables(program: &Program) -> Vec<(u64, u64)> {
    let all = program.module().globals.iter().zip(program.globals());
    let own = all.filter(|(global, address)| {
        global.bytes > 0 && !global.read_only && matches!(Region::of(**address), Some(Region::Device(_)))
    });
    own.map(|(global, &address)| (address, global.bytes)).collect()
}

fn contents(memory: &Memory, (address, len): (u64, u64)) -> Option<Contents> {
    let mut bytes = vec![0; len as usize];
    memory.read(address, &mut bytes)?;
    Some(Contents { bytes, holes: memory.holes(address, len) })
}
