//! One rank of several, run alone: the record of all that it got from the others and from outside, and a run from that record.
//!
//! While the ranks run, the machine of the rank writes down what each call of MPI does to its memory, what other ranks do to it in
//! between, and the answers of the world. A machine that follows the record asks nobody: it can be stopped, copied and taken back
//! as one that is alone. Devices and host run as before, so they find what they found.
//!
//! A call that is not in the record ends the program: there the whole run ended, or a debugger has changed the program.
//!
//! Of a question only a number is kept that the same question has again.
//!
//! Each entry has the turns in which it began and ended, so that it is known where the other ranks stood (`standing`).
//!
//! Not here: who runs the ranks (`ranks`), how calls reach memory (`messages`), records as bytes (`tape`).

use diag::Severity;
use finding::{Finding, RankCall};
use host::{Answer, Ask, MpiCall};
use ir::foreign::ForeignStep;
use mpi::{Outcome, RankMemory, Use};
use source::Span;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Bytes that the records of all ranks may have together.
pub(crate) const MOST_BYTES: u64 = 2 << 30;
/// About how many bytes an entry needs beside its data.
const ENTRY_BYTES: u64 = 128;

/// What a call, or another rank, does to the memory of the rank.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Write(u64, Vec<u8>),
    Allocate(u64, Span),
    Free(u64, Span),
    Begin(Use),
    End(u32),
}

impl Change {
    fn bytes(&self) -> u64 {
        let data = match self {
            Change::Write(_, data) => data.len() as u64,
            Change::Begin(used) => 16 * (used.read.len() + used.written.len()) as u64,
            Change::Allocate(..) | Change::Free(..) | Change::End(_) => 0,
        };
        data + ENTRY_BYTES
    }

    /// Does it again.
    pub(crate) fn apply(&self, memory: &mut dyn RankMemory) {
        // What was possible before is possible again.
        match self {
            Change::Write(address, data) => drop(memory.write(*address, data)),
            Change::Allocate(bytes, span) => drop(memory.allocate(*bytes, *span)),
            Change::Free(address, span) => drop(memory.deallocate(*address, *span)),
            Change::Begin(used) => memory.begin_use(used.clone()),
            Change::End(request) => memory.end_use(*request),
        }
    }
}

/// A call of MPI that came to its end.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) call: MpiCall,
    pub(crate) changes: Vec<Change>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) outcome: Outcome,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A question, by its number, and the answer.
    Asked(u64, Answer),
    Made(Made),
    /// All ranks end with this code, this one perhaps in a call.
    Ended {
        code: i32,
        is_in_call: bool,
    },
}

/// A number that a question has, and hardly another one. Memory that a procedure of C is given is not looked at.
pub(crate) fn number_of(question: &Ask) -> u64 {
    struct Text<'h>(&'h mut DefaultHasher);
    impl fmt::Write for Text<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.write(text.as_bytes());
            Ok(())
        }
    }
    let mut hasher = DefaultHasher::new();
    match question {
        Ask::WriteFile { path, offset, bytes, length } => (path, offset, bytes, length).hash(&mut hasher),
        Ask::WritePieces { path, pieces, bytes, length } => (path, pieces, bytes, length).hash(&mut hasher),
        Ask::Foreign(step) => match &**step {
            ForeignStep::Call(call) => call.signature.name.hash(&mut hasher),
            ForeignStep::Return(back) => back.result.hash(&mut hasher),
        },
        // A text in memory takes all that is written.
        other => drop(write!(Text(&mut hasher), "{other:?}")),
    }
    hasher.finish()
}

/// When a call was made and came to its end, by numbers of turns of all ranks, and for what it waited from which turns on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns {
    pub(crate) begun: u64,
    pub(crate) ended: u64,
    pub(crate) waits: Vec<(u64, RankCall)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) what: What,
    pub(crate) turns: Turns,
}

/// What one rank of several got from the others and from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) entries: Vec<Entry>,
    /// The call that the rank was in when the run was given up.
    pub(crate) open: Option<Turns>,
    /// The turn in which its program was over, and its code.
    pub(crate) over: Option<(u64, i32)>,
    /// What was found after the last call, and when no rank could go on.
    pub(crate) last: Vec<Finding>,
    /// The code of a run that ended otherwise than by the program.
    pub(crate) code: i32,
    pub(crate) bytes: u64,
}

/// What each rank of a run got from the others and from outside, as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct Records {
    pub(crate) ranks: Vec<Option<Record>>,
}

impl Records {
    /// How many ranks there are.
    pub fn count(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// The record of a rank, if there is one.
    pub(crate) fn of(&self, rank: u32) -> Option<&Record> {
        self.ranks.get(rank as usize)?.as_ref()
    }
}

/// Whether a machine keeps a record, or follows one.
#[derive(Clone, Debug, Default)]
pub(crate) enum Solo {
    #[default]
    Neither,
    Keeps {
        record: Box<Record>,
        /// The call that the rank makes and its turns, what it and others have done to its memory since the last one, and what was
        /// found.
        call: Option<(MpiCall, Turns)>,
        changes: Vec<Change>,
        findings: Vec<Finding>,
        /// The present turn.
        turn: u64,
    },
    Follows {
        records: Arc<Records>,
        rank: u32,
        at: usize,
        /// Whether what was found at the end is said.
        is_told: bool,
    },
}

/// What a machine does that follows a record and calls a routine.
pub(crate) enum Followed {
    Made(Made),
    /// The whole run ended here, with this code.
    Ended(i32),
    /// The record has another call here.
    Differs,
}

impl Solo {
    /// Keeps a record from now on.
    pub(crate) fn keep() -> Solo {
        Solo::Keeps { record: Box::default(), call: None, changes: Vec::new(), findings: Vec::new(), turn: 0 }
    }

    /// Follows the record of a rank from its beginning.
    pub(crate) fn follow_records(records: Arc<Records>, rank: u32) -> Solo {
        Solo::Follows { records, rank, at: 0, is_told: false }
    }

    /// The record that was kept.
    pub(crate) fn take_record(&mut self) -> Option<Record> {
        match std::mem::take(self) {
            Solo::Keeps { mut record, findings, call, .. } => {
                record.last.splice(0..0, findings);
                record.open = call.map(|(_, turns)| turns);
                Some(*record)
            }
            _ => None,
        }
    }

    /// The entries of the record as bytes, which it gives away.
    pub(crate) fn take_bytes(&mut self) -> Vec<u8> {
        if let Solo::Keeps { record, .. } = self { record.take_bytes() } else { Vec::new() }
    }

    /// The same without the last entry, if that is a call: other ranks may reach the memory of this one before it goes on behind it.
    pub(crate) fn take_bytes_before_last(&mut self) -> Vec<u8> {
        let Solo::Keeps { record, .. } = self else { return Vec::new() };
        let last = record.entries.pop_if(|entry| matches!(entry.what, What::Made(_)));
        let bytes = record.take_bytes();
        record.entries.extend(last);
        bytes
    }

    /// What others have done to the memory of the rank behind its last call belongs to that: there its turn ended.
    fn join_changes(&mut self) {
        if let Solo::Keeps { record, call: None, changes, .. } = self
            && let Some(Entry { what: What::Made(made), .. }) = record.entries.last_mut()
        {
            record.bytes += changes.iter().map(Change::bytes).sum::<u64>();
            made.changes.append(changes);
        }
    }

    /// About how many bytes the record has.
    pub(crate) fn bytes(&self) -> u64 {
        if let Solo::Keeps { record, .. } = self { record.bytes } else { 0 }
    }

    /// The record that is followed, and the number of its entry that comes next.
    fn followed(&self) -> Option<(&Record, usize)> {
        let Solo::Follows { records, rank, at, .. } = self else { return None };
        Some((records.of(*rank)?, *at))
    }

    fn next(&self) -> Option<&What> {
        let (record, at) = self.followed()?;
        record.entries.get(at).map(|entry| &entry.what)
    }

    fn pass(&mut self) {
        if let Solo::Follows { at, .. } = self {
            *at += 1;
        }
    }

    /// All records, the rank whose is followed, and the number of its entry that comes next.
    pub(crate) fn position(&self) -> Option<(&Arc<Records>, u32, usize)> {
        if let Solo::Follows { records, rank, at, .. } = self { Some((records, *rank, *at)) } else { None }
    }

    /// A turn of this number begins, of whichever rank.
    pub(crate) fn begin_turn(&mut self, number: u64) {
        if let Solo::Keeps { turn, .. } = self {
            *turn = number;
        }
    }

    /// What the rank waits for after this turn.
    pub(crate) fn waits(&mut self, waits: Option<RankCall>) {
        if let (Solo::Keeps { call: Some((_, turns)), turn, .. }, Some(waits)) = (self, waits)
            && turns.waits.last().is_none_or(|last| last.1 != waits)
        {
            turns.waits.push((*turn, waits));
        }
    }

    /// The program of the rank is over.
    pub(crate) fn over(&mut self, code: i32) {
        if let Solo::Keeps { record, turn, .. } = self {
            record.over.get_or_insert((*turn, code));
        }
    }

    /// Whether a record is kept.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self, Solo::Keeps { .. })
    }

    /// Where changes of memory are to be written down.
    pub(crate) fn changes(&mut self) -> Option<&mut Vec<Change>> {
        if let Solo::Keeps { changes, .. } = self { Some(changes) } else { None }
    }

    /// The rank makes a call.
    pub(crate) fn begin_call(&mut self, made: &MpiCall) {
        self.join_changes();
        if let Solo::Keeps { call, turn, .. } = self {
            *call = Some((made.clone(), Turns { begun: *turn, ..Turns::default() }));
        }
    }

    /// Its call has led to findings.
    pub(crate) fn found<'a>(&mut self, found: impl Iterator<Item = &'a Finding>) {
        if let Solo::Keeps { findings, .. } = self {
            findings.extend(found.cloned());
        }
    }

    /// Its call came to its end.
    pub(crate) fn end_call(&mut self, outcome: Outcome) {
        let Solo::Keeps { record, call, changes, findings, turn } = self else { return };
        let Some((call, turns)) = call.take() else { return };
        let turns = Turns { ended: *turn, ..turns };
        let (changes, findings) = (std::mem::take(changes), std::mem::take(findings));
        let bytes = changes.iter().map(Change::bytes).sum::<u64>() + ENTRY_BYTES;
        record.add(What::Made(Made { call, changes, findings, outcome }), turns, bytes);
    }

    /// All ranks end.
    pub(crate) fn end_all(&mut self, code: i32) {
        self.join_changes();
        if let Solo::Keeps { record, call, turn, .. } = self {
            let is_in_call = call.is_some();
            let turns = call.take().map_or(Turns { begun: *turn, ..Turns::default() }, |(_, turns)| turns);
            record.add(What::Ended { code, is_in_call }, Turns { ended: *turn, ..turns }, ENTRY_BYTES);
        }
    }

    /// No rank could go on.
    pub(crate) fn found_last(&mut self, finding: &Finding) {
        if let Solo::Keeps { record, .. } = self
            && finding.severity() == Severity::Error
        {
            record.last.push(finding.clone());
        }
    }

    /// The world has answered.
    pub(crate) fn answered(&mut self, question: &Ask, answer: &Answer) {
        self.join_changes();
        if let (Solo::Keeps { record, turn, .. }, false) = (self, *answer == Answer::Later) {
            let bytes = if let Answer::File(Ok(Some(bytes))) = answer { bytes.len() } else { 0 };
            let turns = Turns { begun: *turn, ended: *turn, waits: Vec::new() };
            record.add(What::Asked(number_of(question), answer.clone()), turns, bytes as u64 + ENTRY_BYTES);
        }
    }

    /// The answer of the record, if one is followed.
    pub(crate) fn answer(&mut self, question: &Ask) -> Option<Answer> {
        self.followed()?;
        match self.next() {
            Some(What::Asked(asked, answer)) if *asked == number_of(question) => {
                let answer = answer.clone();
                self.pass();
                Some(answer)
            }
            // The program ends, or a debugger has changed it: nothing of that has an effect.
            _ => Some(crate::world::ClosedWorld::answer(question)),
        }
    }

    /// What comes of a call, if a record is followed.
    pub(crate) fn follow(&mut self, call: &MpiCall) -> Option<Followed> {
        let (record, _) = self.followed()?;
        let followed = match self.next() {
            Some(What::Made(made)) if made.call == *call => Followed::Made(made.clone()),
            Some(What::Ended { code, .. }) => Followed::Ended(*code),
            None => return Some(Followed::Ended(record.code)),
            Some(_) => return Some(Followed::Differs),
        };
        self.pass();
        Some(followed)
    }

    /// What was found at the end, the first time that this is asked; `None` if no record is followed.
    pub(crate) fn last_findings(&mut self) -> Option<Vec<Finding>> {
        let last = self.followed()?.0.last.clone();
        let Solo::Follows { is_told, .. } = self else { return None };
        Some(if std::mem::replace(is_told, true) { Vec::new() } else { last })
    }

    /// The code with which all ranks ended after the last call, if they did before the next.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        let Some(What::Ended { code, is_in_call: false }) = self.next() else { return None };
        let code = *code;
        self.pass();
        Some(code)
    }
}

impl Record {
    fn add(&mut self, what: What, turns: Turns, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.entries.push(Entry { what, turns });
    }

    /// The code of the run where it does not end by itself.
    pub(crate) fn ended_with(mut self, code: i32) -> Record {
        self.code = if code == 0 { 1 } else { code };
        self
    }
}
