//! Ranks that go on before their turn, side by side, as far as they need neither the others nor the world.
//!
//! What a rank does until its next call of MPI, or its next question to the world, depends on nothing that the others do. So it may be
//! done before the turn of the rank comes, on any core, and the run is the same. What it writes and finds meanwhile is kept until its
//! turn, and forgotten if another rank ends all before.
//!
//! Not here: the order of turns (`ranks`).

use crate::machine::{Machine, MachineStop, Turn};
use crate::world::World;
use device::NoObserver;
use emu::Threads;
use host::{Answer, Ask, Stream};

/// Schedule points for which a rank goes on alone before it is worth a core of its own.
const SHORT: u64 = 2_000;
/// Those for which it then goes on at most before its turn.
const LONG: u64 = 20_000_000;

/// What a rank has done before its turn.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    written: Vec<(Stream, Vec<u8>)>,
    /// Whether it did something since its last turn.
    is_used: bool,
}

impl Ahead {
    /// Whether the rank did something since its last turn.
    pub(crate) fn is_used(&self) -> bool {
        self.is_used
    }

    /// Writes what was kept.
    pub(crate) fn show(&mut self, world: &mut dyn World) {
        self.is_used = false;
        for (stream, bytes) in self.written.drain(..) {
            world.write(stream, &bytes);
        }
    }

    /// Forgets what was kept; whether the rank did something.
    pub(crate) fn forget(&mut self) -> bool {
        self.written.clear();
        std::mem::take(&mut self.is_used)
    }
}

/// The world before the turn of a rank: it answers later.
impl World for Ahead {
    fn ask(&mut self, _: &Ask) -> Answer {
        Answer::Later
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.written.push((stream, bytes.to_vec()));
    }
}

/// Lets ranks go on before their turns; those that take long go on side by side.
pub(crate) fn run_ahead(machines: &mut [Machine], ahead: &mut [Ahead], threads: Option<&Threads>) {
    let ranks = machines.iter_mut().zip(ahead).filter(|(machine, _)| machine.can_run_ahead());
    let long: Vec<_> =
        ranks.filter_map(|(machine, ahead)| machine.run_ahead(SHORT, ahead).then_some((machine, ahead))).collect();
    let Some(threads) = threads.filter(|_| long.len() > 1).and_then(Threads::get) else { return };
    threads.scope(|scope| {
        for (machine, ahead) in long {
            scope.spawn(move |_| {
                machine.run_ahead(LONG, ahead);
            });
        }
    });
}

impl Machine {
    /// Whether it is at something that needs neither others nor the world.
    fn can_run_ahead(&self) -> bool {
        matches!(self.turn, Turn::Host | Turn::Device(_) | Turn::Calling(_)) && !self.is_ending()
    }

    /// Goes on before its turn; whether it could do so for longer.
    fn run_ahead(&mut self, budget: u64, ahead: &mut Ahead) -> bool {
        ahead.is_used = true;
        self.is_ahead = true;
        let stop = self.advance(budget, ahead, &mut NoObserver);
        self.is_ahead = false;
        stop == MachineStop::Budget && self.can_run_ahead()
    }
}
