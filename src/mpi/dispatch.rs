//! A world of ranks in several processes; and a call of a rank: which routine it is, whether it may be called now, and what becomes of it.

use crate::error::{self, Fault, Step};
use crate::handle::WORLD;
use crate::memory::RankMemory;
use crate::routine::{self, Routine};
use crate::world::call::{Call, Caller};
use crate::world::rank::Phase;
use crate::world::remote::{Place, Remote};
use crate::world::{Outcome, World};
use finding::MpiFault;

impl World {
    /// As many ranks, of which one is in this process.
    pub fn connected(place: Place, ranks: u32) -> World {
        let names = |number| routine::get(number).0.name;
        let mut world = World::new(ranks, 0);
        world.remote = Some(Remote::new(place, names));
        world
    }

    /// A rank makes a call.
    pub fn call(&mut self, rank: u32, call: &Call, memory: &mut dyn RankMemory) -> Outcome {
        let (routine, is_large) = routine::get(call.routine);
        if routine.name == routine::GO_ON {
            return self.go_on(rank, memory);
        }
        let step = Step { rank, routine: call.routine, name: routine.name, span: call.span };
        let error_at = call.words.last().copied().unwrap_or(0);
        let (words, communicator) = (&call.words, WORLD);
        let mut caller = Caller { world: self, memory, rank, step, words, is_large, taken: 0, communicator };
        let next = check_phase(&mut caller, routine).and_then(|()| (routine.run)(&mut caller));
        caller.go_on(next, error_at)
    }
}

/// Refuses calls before `MPI_Init` and after `MPI_Finalize`.
fn check_phase(caller: &mut Caller<'_>, routine: &Routine) -> Result<(), Fault> {
    let phase = caller.own().phase;
    if routine.is_anywhere || phase == Phase::Running {
        return Ok(());
    }
    let fault = MpiFault::OutOfPhase { call: caller.step.about(""), is_over: phase == Phase::Over };
    Err(Fault { class: error::OTHER, fault: Box::new(fault) })
}
