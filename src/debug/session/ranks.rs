//! The ranks of MPI in a session: their table, and the command `rank`, which goes on with another one.
//!
//! Each rank follows its own record of the run of all, so it is a process of its own. A rank that is chosen goes to where it was
//! in the turn of the present one. If the present one has not moved since it was chosen, that is the turn in which it was chosen, so
//! the rank before is again where it was left.
//!
//! Not here: where ranks stand (`machine::RankPoint`), what they follow (`machine::Records`).

use crate::process::races::AccessTimes;
use crate::process::watcher::Thread;
use crate::process::{IoHooks, Process, Ran};
use crate::session::attendant::Attendant;
use crate::session::{Session, SessionError, refuse};
use crate::view::reply::{Outcome, RankRow, Reply, StopReason};
use finding::Finding;
use machine::{RankPoint, Standing};
use source::{FileId, Span};

/// A rank that is not the present one, with what the session knows of its run.
#[derive(Debug)]
pub(crate) struct OtherRank {
    process: Process,
    access_times: Vec<AccessTimes>,
    seen: Vec<Finding>,
    faulted: Option<(u64, Thread)>,
    /// The turn in which it was left, if it has been the present one.
    left: Option<u64>,
}

/// When a rank was chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    /// The number of statements that it had begun.
    time: u64,
    /// The turn.
    turn: u64,
}

impl Session {
    /// The present rank; 0 if there are no others.
    pub(crate) fn rank(&self) -> u32 {
        self.process.machine().rank()
    }

    /// The turn of the run of all ranks in which the program is.
    fn turn(&self) -> u64 {
        match self.chosen {
            Some(chosen) if chosen.time == self.process.time() => chosen.turn,
            _ => self.process.machine().rank_turn(),
        }
    }

    /// Where each rank is; empty if there is only one.
    pub fn ranks(&self) -> Vec<RankRow> {
        let machine = self.process.machine();
        let turn = self.turn();
        (0..machine.rank_count()).filter_map(|rank| Some(self.rank_row(machine.rank_point(rank, turn)?))).collect()
    }

    fn rank_row(&self, point: RankPoint) -> RankRow {
        let current = point.rank == self.rank();
        let left = self.others.get(&point.rank).filter(|other| other.left == Some(self.turn()));
        let at = |process: &Process| process.at().and_then(|statement| self.line_of(statement.span));
        let ended = |code: i32| match code {
            0 => "has ended".to_owned(),
            code => format!("has ended with code {code}"),
        };
        let by = |span: Span| self.line_of(span);
        let (state, place): (String, Option<(FileId, usize)>) = match (&point.standing, left) {
            _ if !self.started => ("has not begun".to_owned(), None),
            _ if current => match self.process.over() {
                Some(code) => (ended(code), None),
                None => ("is here".to_owned(), at(&self.process)),
            },
            (_, Some(left)) if left.process.over().is_none() => ("was left here".to_owned(), at(&left.process)),
            (Standing::Ended(code), _) => (ended(*code), None),
            (Standing::NotBegun, _) => ("has not begun".to_owned(), None),
            (Standing::Runs, _) => ("runs".to_owned(), None),
            (Standing::Looks(span), _) => ("looks for what is not there yet".to_owned(), by(*span)),
            (Standing::Waits(call), _) if call.what.is_empty() => (format!("is in `{}`", call.call), by(call.span)),
            (Standing::Waits(call), _) => (format!("waits in `{}` for {}", call.call, call.what), by(call.span)),
        };
        let name = |file| self.setup.sources.file(file).map_or_else(String::new, |f| f.name().to_owned());
        let file_id = place.map(|(file, _)| file);
        RankRow { rank: point.rank, state, place: place.map(|(file, line)| (name(file), line)), file_id, current }
    }

    /// The command `rank`.
    pub(crate) fn rank_command(
        &mut self,
        number: Option<u32>,
        attendant: &mut dyn Attendant,
    ) -> Result<Outcome, SessionError> {
        let (own, turn, count) = (self.rank(), self.turn(), self.process.machine().rank_count());
        if count == 0 {
            return refuse("The program is one rank; with \"cufemu --ranks N --debug\" there are several.");
        }
        let say = |rank: u32| Ok(Outcome::Reply(Reply::Text(format!("[Rank {rank} of {count}]\n"))));
        let Some(number) = number.filter(|number| *number != own) else { return say(own) };
        let Some(point) = self.process.machine().rank_point(number, turn) else {
            if number < count {
                return refuse(format!("There is no record of rank {number} beside the one that is replayed."));
            }
            return refuse(format!("There is no rank {number}: the ranks are 0 to {}.", count - 1));
        };
        let state = self.rank_row(point.clone()).state;
        let is_here = self.change_rank(number, turn)?;
        if !self.started {
            return say(number);
        }
        let ran = if is_here { Ran::Statement } else { self.go_to_point(&point, attendant) };
        self.chosen = Some(Chosen { time: self.process.time(), turn });
        let reason =
            if ran == Ran::Interrupted { StopReason::Interrupted } else { StopReason::Rank { rank: number, state } };
        Ok(self.stopped(reason, Thread::Host))
    }

    /// Makes another rank the present one, where it was left or at its start. Returns whether it is where it was in this turn.
    fn change_rank(&mut self, number: u32, turn: u64) -> Result<bool, SessionError> {
        let mut other = match self.others.remove(&number) {
            Some(other) => other,
            None => OtherRank {
                process: self.fresh(number)?,
                access_times: Vec::new(),
                seen: Vec::new(),
                faulted: None,
                left: None,
            },
        };
        let is_here = other.left.replace(turn) == Some(turn);
        let own = self.rank();
        self.process.pass_world(&mut other.process);
        std::mem::swap(&mut self.process, &mut other.process);
        std::mem::swap(&mut self.access_times, &mut other.access_times);
        std::mem::swap(&mut self.seen, &mut other.seen);
        std::mem::swap(&mut self.faulted, &mut other.faulted);
        if self.started {
            self.others.insert(own, other);
        }
        self.clean.clear();
        (self.focus, self.level) = (Thread::Host, 0);
        (self.ended, self.searched, self.last_own) = (None, None, 0);
        (self.last_shown, self.listed, self.examined) = (None, None, None);
        Ok(is_here)
    }

    fn go_to_point(&mut self, point: &RankPoint, attendant: &mut dyn Attendant) -> Ran {
        let interrupt = self.interrupt.clone();
        let output = &mut |bytes: &[u8]| attendant.output(bytes);
        let hooks = &mut IoHooks { output, interrupt: &interrupt, attention: None };
        match point.standing {
            Standing::NotBegun => self.process.go_to_start(),
            Standing::Ended(_) => self.process.go_to_end(hooks),
            Standing::Looks(_) => self.process.go_after_call(point.entries.saturating_sub(1), hooks),
            Standing::Runs | Standing::Waits(_) => self.process.go_to_call(point.entries, hooks),
        }
    }
}
