//! Calls of MPI by the program of a machine: its memory as they reach it, and what becomes of them.
//!
//! Here a machine that is alone is the one rank that there is; `ranks` runs several.

use crate::checks::command_order::CommandOrder;
use crate::devices::DeviceBox;
use crate::machine::{Machine, MachineStop, Turn};
use host::{Answer, MpiCall};
use mem::{Memory, Region};
use mpi::{Outcome, Outside, RankMemory, Use};

/// The memory of a machine, of its host and of its devices.
struct Reach<'a> {
    memory: &'a mut Memory,
    devices: &'a mut [DeviceBox],
    /// The order of commands and host, if races are checked.
    order: Option<&'a mut CommandOrder>,
}

impl Reach<'_> {
    /// The device whose memory an address is in.
    fn device(&self, address: u64) -> Option<usize> {
        match Region::of(address) {
            Some(Region::Device(number)) => Some(usize::from(number)).filter(|n| *n < self.devices.len()),
            _ => None,
        }
    }
}

impl RankMemory for Reach<'_> {
    fn read(&mut self, address: u64, out: &mut [u8]) -> Result<(), Outside> {
        let outside = Outside { address, bytes: out.len() as u64 };
        match self.device(address) {
            Some(device) => self.devices[device].as_device().read(self.memory, address, out).map_err(|_| outside),
            None => self.memory.read(address, out).ok_or(outside),
        }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Outside> {
        let outside = Outside { address, bytes: bytes.len() as u64 };
        match self.device(address) {
            Some(device) => self.devices[device].as_device().write(self.memory, address, bytes).map_err(|_| outside),
            None => self.memory.write(address, bytes).ok_or(outside),
        }
    }

    fn room(&self, address: u64) -> Option<(u64, String)> {
        let info = self.memory.info(self.memory.find(address)?);
        Some((info.base + info.bytes - address, info.name.to_string()))
    }

    fn is_named(&self, address: u64, name: &str) -> bool {
        // `mpif.h` has each in a common block of its own.
        self.memory.find(address).is_some_and(|id| self.memory.info(id).name.trim_matches('/') == name)
    }

    fn is_watching(&self) -> bool {
        self.order.is_some()
    }

    fn begin_use(&mut self, used: Use) {
        if let Some(order) = &mut self.order {
            order.begin_message(used, self.memory);
        }
    }

    fn end_use(&mut self, request: u32) {
        if let Some(order) = &mut self.order {
            order.end_message(request);
        }
    }
}

impl Machine {
    /// The host calls a routine.
    pub(crate) fn call_mpi(&mut self, call: MpiCall) -> Option<MachineStop> {
        let MpiCall { routine, words, span } = call;
        let call = mpi::Call { routine, words, span };
        let mut reach = Reach { memory: &mut self.memory, devices: &mut self.devices, order: self.order.as_mut() };
        let outcome = self.mpi.call(self.rank, &call, &mut reach);
        self.called_mpi(outcome)
    }

    /// The host waits in a call.
    pub(crate) fn resume_mpi(&mut self) -> Option<MachineStop> {
        let mut reach = Reach { memory: &mut self.memory, devices: &mut self.devices, order: self.order.as_mut() };
        let outcome = self.mpi.resume(self.rank, &mut reach);
        self.called_mpi(outcome)
    }

    fn called_mpi(&mut self, outcome: Outcome) -> Option<MachineStop> {
        let is_alone = self.mpi.size() == 1;
        match outcome {
            Outcome::Done | Outcome::Polled => {
                self.turn = Turn::Host;
                self.host.answer(Answer::Done(Ok(())));
            }
            Outcome::Waits => {
                self.turn = Turn::Messages;
                // Nobody else can help a rank that is alone.
                if is_alone {
                    self.mpi.settle(&[]);
                }
            }
            Outcome::Ended(code) => self.end(code),
        }
        self.gather();
        (!is_alone && matches!(outcome, Outcome::Waits | Outcome::Polled)).then_some(MachineStop::OthersTurn)
    }
}
