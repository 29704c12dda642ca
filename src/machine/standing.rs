//! Where the other ranks stand while one of them follows the record of a run of all: at the same moment of that run.
//!
//! Ranks take turns, so each other rank is where it was when the present one had the turn in which it is. Ranks that `mpirun` has
//! started do not; their records have the times of their calls instead.
//!
//! Not here: what is in a record (`solo`), going to a point of another rank (`debug`).

use crate::machine::Machine;
use crate::solo::{Record, Turns, What};
use finding::RankCall;
use mpi::Outcome;
use source::Span;

/// What a rank does at some moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It has not begun.
    NotBegun,
    /// It runs.
    Runs,
    /// It has looked for what is not there, by a call at this place, and lets others have a turn.
    Looks(Span),
    /// It waits in a call.
    Waits(RankCall),
    /// Its program is over, with this exit code.
    Ended(i32),
}

/// A point in the run of a rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankPoint {
    /// The rank.
    pub rank: u32,
    /// How many entries of its record are over there.
    pub entries: usize,
    /// What it does there.
    pub standing: Standing,
}

impl Record {
    /// The turn in which a rank is that comes to this entry.
    fn turn_before(&self, entry: usize) -> u64 {
        let next = self.entries.get(entry).map(|entry| &entry.turns).or(self.open.as_ref());
        next.map(|turns| turns.begun).or(self.over.map(|over| over.0)).unwrap_or(u64::MAX)
    }

    /// Where the rank is when another one has this turn.
    fn point(&self, rank: u32, turn: u64) -> RankPoint {
        let entries = self.entries.partition_point(|entry| entry.turns.ended < turn);
        let waits = |turns: &Turns| {
            let known = turns.waits.iter().rfind(|waits| waits.0 < turn).or(turns.waits.first());
            known.map(|waits| Standing::Waits(waits.1.clone()))
        };
        let next = self.entries.get(entries).map(|entry| &entry.turns).or(self.open.as_ref());
        let standing = match (next.filter(|turns| turns.begun < turn), self.over) {
            (Some(turns), _) => waits(turns).unwrap_or(Standing::Runs),
            (None, Some((over, code))) if over < turn => Standing::Ended(code),
            (None, _) => match entries.checked_sub(1).map(|last| &self.entries[last].what) {
                Some(What::Made(made)) if made.outcome == Outcome::Polled => Standing::Looks(made.call.span),
                Some(What::Ended { code, .. }) => Standing::Ended(*code),
                Some(What::Asked(..) | What::Made(_)) => Standing::Runs,
                None => Standing::NotBegun,
            },
        };
        RankPoint { rank, entries, standing }
    }
}

impl Machine {
    /// Its number among the ranks of MPI, from 0.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// How many ranks the run has whose record the program follows; 0 if it follows none.
    pub fn rank_count(&self) -> u32 {
        self.solo.position().map_or(0, |(records, ..)| records.count())
    }

    /// The turn of that run in which the program is, from 1.
    pub fn rank_turn(&self) -> u64 {
        let Some((records, rank, at)) = self.solo.position() else { return 0 };
        records.of(rank).map_or(0, |record| record.turn_before(at))
    }

    /// Where another rank is in a turn of the run; `None` if there is no record of such a rank.
    pub fn rank_point(&self, rank: u32, turn: u64) -> Option<RankPoint> {
        let (records, ..) = self.solo.position()?;
        Some(records.of(rank)?.point(rank, turn))
    }
}
