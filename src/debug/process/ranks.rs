//! Going to a point of a rank that follows the record of a run of all: before one of its calls of MPI.
//!
//! Not here: which point belongs to that of another rank (`machine::RankPoint`).

use crate::process::{IoHooks, Process, Ran};

impl Process {
    /// Gives the world to the process of another rank; the records of both stay as they are.
    pub(crate) fn pass_world(&mut self, to: &mut Process) {
        std::mem::swap(self.world.inner_mut(), to.world.inner_mut());
    }

    /// Goes to before the first statement.
    pub(crate) fn go_to_start(&mut self) -> Ran {
        if self.go_to(1) { Ran::Statement } else { Ran::Interrupted }
    }

    /// Goes to before the statement that makes the call of this number of the record, or the first after it; to the end of the
    /// program if it makes none. Neither breakpoints nor errors stop on the way; what was found there is reported next.
    pub(crate) fn go_to_call(&mut self, number: usize, hooks: &mut IoHooks<'_>) -> Ran {
        let told = self.reported;
        if self.recorded.range(number..).next().is_none() {
            match self.run_to(Some(number), hooks) {
                Ran::Called => {}
                other => return other,
            }
        }
        let Some(time) = self.recorded.range(number..).next().map(|(_, time)| *time) else {
            return self.run_to(None, hooks);
        };
        let has_arrived = self.go_to(time);
        self.reported = told.min(self.machine.findings().len());
        if has_arrived { Ran::Statement } else { Ran::Interrupted }
    }

    /// Goes to the statement after the one that makes the call of this number.
    pub(crate) fn go_after_call(&mut self, number: usize, hooks: &mut IoHooks<'_>) -> Ran {
        match self.go_to_call(number, hooks) {
            Ran::Statement => {
                let (told, next) = (std::mem::replace(&mut self.reported, usize::MAX), self.time + 1);
                let mut watcher = self.watcher();
                let ran = self.go(&mut watcher, next, hooks);
                self.reported = told;
                ran
            }
            other => other,
        }
    }

    /// Goes to the end of the program.
    pub(crate) fn go_to_end(&mut self, hooks: &mut IoHooks<'_>) -> Ran {
        self.run_to(None, hooks)
    }

    /// Runs to a call, or to the end.
    fn run_to(&mut self, call: Option<usize>, hooks: &mut IoHooks<'_>) -> Ran {
        let told = std::mem::replace(&mut self.reported, usize::MAX);
        let mut watcher = self.watcher();
        watcher.until_call = call;
        let ran = loop {
            match self.go(&mut watcher, u64::MAX, hooks) {
                Ran::Statement | Ran::Found | Ran::Raced => {}
                other => break other,
            }
        };
        self.reported = told;
        ran
    }
}
