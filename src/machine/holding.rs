//! Commands that are put off: an order of another run names them (`explore::Hold`), so that a command of another stream, or the
//! host, comes first.
//!
//! With a command everything is put off that comes after it by the rules. All of it runs when the command has run for which it was put
//! off, when the host waits for it, or when a call cannot do without.
//!
//! Not here: what comes after what (`checks::command_order`).

use device::{Api, Command};
use explore::Hold;
use race::Moment;
use std::sync::Arc;

/// What is put off.
#[derive(Clone, Debug)]
pub(crate) struct Holding {
    wanted: Arc<[Hold]>,
    held: Vec<Held>,
}

/// A command that is put off.
#[derive(Clone, Debug)]
struct Held {
    device: usize,
    command: Command,
    moment: Moment,
    /// The command after which it runs, if it is not the host that comes first.
    until: Option<u64>,
}

impl Holding {
    /// These are to be put off.
    pub(crate) fn new(wanted: &[Hold]) -> Holding {
        Holding { wanted: wanted.into(), held: Vec::new() }
    }

    /// Whether anything is ever put off.
    pub(crate) fn is_used(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Whether nothing is put off.
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Whether a command that is submitted now is put off, and until which one has run.
    pub(crate) fn wants(&self, number: u64, moment: &Moment) -> Option<Option<u64>> {
        let wanted = self.wanted.iter().find(|hold| hold.command == number).map(|hold| hold.until);
        wanted.or_else(|| self.held.iter().find(|held| held.moment.is_before(moment)).map(|held| held.until))
    }

    /// Puts a command off.
    pub(crate) fn hold(&mut self, device: usize, command: Command, moment: Moment, until: Option<u64>) {
        self.held.push(Held { device, command, moment, until });
    }

    /// Takes those that are not to be put off any longer, with their devices, in the order in which they were submitted.
    fn take(&mut self, is_due: impl Fn(&Held) -> bool) -> Vec<(usize, Command)> {
        let (due, held): (Vec<Held>, Vec<Held>) = std::mem::take(&mut self.held).into_iter().partition(is_due);
        self.held = held;
        due.into_iter().map(|held| (held.device, held.command)).collect()
    }

    /// Takes those for which a command was to come first.
    pub(crate) fn take_after(&mut self, number: u64) -> Vec<(usize, Command)> {
        self.take(|held| held.until == Some(number))
    }

    /// Takes those of which that is so.
    pub(crate) fn take_over(&mut self, is_over: impl Fn(&Moment) -> bool) -> Vec<(usize, Command)> {
        self.take(|held| is_over(&held.moment))
    }

    /// Takes all.
    pub(crate) fn take_all(&mut self) -> Vec<(usize, Command)> {
        self.take(|_| true)
    }
}

/// Whether a call changes at once what commands may still use.
pub(crate) fn changes_at_once(api: &Api) -> bool {
    let frees = matches!(api, Api::Free { .. } | Api::CudaFree { .. } | Api::FreeAsync { .. });
    frees || matches!(api, Api::HostUnregister { .. } | Api::DeviceReset)
}
