//! A test mode: checks that every service of the run time can start again from its beginning.
//!
//! A service that needs an answer halts and later starts again. That is invisible only if the halted run changed nothing, or
//! nothing that the next run does not change to the same. So each run is rehearsed on copies first: the run time as it was
//! when the service began, with all answers received since, and a copy of memory. Rehearsal and run must have the same
//! outcome and leave the same run time and the same bytes, and a run that halts must not write memory.

use crate::protocol::{Args, Halt, Results};
use crate::runtime::Runtime;
use ir::rt::Rt;
use mem::Memory;
use source::Span;

/// What the check knows of the service at hand, and the violations so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestartCheck {
    /// The run time when the service began.
    start: Option<Box<Runtime>>,
    /// The rehearsal of the present run.
    rehearsal: Option<Box<Rehearsal>>,
    violations: Vec<String>,
}

/// A run on copies.
#[derive(Clone, Debug)]
struct Rehearsal {
    rt: Rt,
    outcome: String,
    runtime: Runtime,
    /// Address and contents of what it wrote.
    written: Vec<(u64, Vec<u8>)>,
}

impl RestartCheck {
    pub(crate) fn violations(&self) -> &[String] {
        &self.violations
    }

    /// Runs the service on copies, before it runs.
    pub(crate) fn rehearse(&mut self, runtime: &Runtime, memory: &Memory, rt: Rt, args: Args<'_>, span: Span) {
        if runtime.answers.count() == 0 {
            self.start = Some(Box::new(runtime.clone()));
        }
        let Some(start) = &self.start else { return };
        let mut trial = Runtime { answers: runtime.answers.replay(), ..Runtime::clone(start) };
        let mut copy = memory.clone();
        copy.note_touches(true);
        copy.take_touches();
        let outcome = trial.serve(&mut copy, rt, args, span);
        let written = copy.take_touches().into_iter().filter(|touch| touch.is_write);
        let contents = |address: u64, bytes: u64| {
            let mut out = vec![0; bytes as usize];
            copy.read(address, &mut out).map_or_else(Vec::new, |()| out)
        };
        let written = written.map(|touch| (touch.address, contents(touch.address, touch.bytes))).collect();
        self.rehearsal = Some(Box::new(Rehearsal { rt, outcome: format!("{outcome:?}"), runtime: trial, written }));
    }

    /// Compares the run with its rehearsal.
    pub(crate) fn compare(&mut self, runtime: &Runtime, memory: &Memory, served: &Result<Results, Halt>) {
        let Some(rehearsal) = self.rehearsal.take() else { return };
        let Rehearsal { rt, outcome, runtime: trial, written } = *rehearsal;
        let mut complain = |what: &str| self.violations.push(format!("{rt}: {what}"));
        if outcome != format!("{served:?}") {
            complain("started again it has another outcome");
        }
        // A service that asks nothing runs once from one state.
        let has_asked = runtime.answers.count() > 0 || matches!(served, Err(Halt::Ask(_) | Halt::Api(_)));
        let state = |r: &Runtime| format!("{:?} {:?}", r.io, r.random);
        if has_asked && state(&trial) != state(runtime) {
            complain("started again it leaves another state of the run time");
        }
        if matches!(served, Err(Halt::Ask(_) | Halt::Api(_))) && !written.is_empty() {
            complain("it writes memory before it asks");
        }
        let is_same = |(address, bytes): &(u64, Vec<u8>)| {
            let mut now = vec![0; bytes.len()];
            memory.read(*address, &mut now).is_some() && now == *bytes
        };
        if !written.iter().all(is_same) {
            complain("started again it leaves other bytes in memory");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outside::Ask;

    /// A run time for a program without symbols and arguments.
    fn runtime() -> Runtime {
        Runtime::new(
            std::sync::Arc::from([]),
            crate::cuda::Symbols::default(),
            false,
            crate::foreign::Foreign::new(|_| false, |_| false, std::sync::Arc::default()),
            crate::mpi::Mpi::new(|_| None),
        )
    }

    #[test]
    fn a_change_before_a_question_is_a_violation() {
        let (mut runtime, mut memory, mut check) = (runtime(), Memory::new(), RestartCheck::default());
        check.rehearse(&runtime, &memory, Rt::Sleep, Args(&[1]), Span::NONE);
        let served = runtime.serve(&mut memory, Rt::Sleep, Args(&[1]), Span::NONE);
        check.compare(&runtime, &memory, &served);
        assert!(check.violations().is_empty());
        // What a service would do that draws a random number and then asks.
        check.rehearse(&runtime, &memory, Rt::Sleep, Args(&[1]), Span::NONE);
        runtime.random.uniform();
        let served = Err(Halt::Ask(Ask::Sleep { milliseconds: 1 }));
        check.compare(&runtime, &memory, &served);
        assert_eq!(check.violations().len(), 1);
    }
}
