//! The machine puts commands off and gives them to their devices later.
//!
//! Not here: which are put off, and until when (`holding`).

use crate::machine::Machine;
use device::Command;
use emu::Emulator;
use race::Moment;

impl Machine {
    /// Gives commands that were put off to their devices.
    pub(crate) fn submit_again(&mut self, commands: Vec<(usize, Command)>) {
        for (device, command) in commands {
            // A device that has failed takes no more commands, and its error was reported.
            let _ = self.devices[device].as_device().submit(&mut self.memory, command);
        }
    }

    /// Puts off the commands that the last call has submitted, if an order says so, and submits those again that were put off for one
    /// of them, or that the host waits for.
    pub(crate) fn hold(&mut self, submitted: Vec<(u64, Moment)>) {
        if !self.holding.is_used() {
            return;
        }
        let current = self.runtime.current_device() as usize % self.devices.len();
        let commands = self.devices[current].emulator_mut().map(Emulator::take_commands).unwrap_or_default();
        if commands.len() != submitted.len() {
            // What is not in the order of commands is left alone.
            let alone = commands.into_iter().map(|command| (current, command)).collect();
            return self.submit_again(alone);
        }
        for (command, (number, moment)) in commands.into_iter().zip(submitted) {
            match self.holding.wants(number, &moment) {
                Some(until) => self.holding.hold(current, command, moment, until),
                None => {
                    self.submit_again(vec![(current, command)]);
                    let after = self.holding.take_after(number);
                    self.submit_again(after);
                }
            }
        }
        if let Some(order) = &self.order {
            let over = self.holding.take_over(|moment| order.is_over_for_host(moment));
            self.submit_again(over);
        }
    }
}
