//! One rank of several, run alone: the record of all that it got from the others and from outside, and a run from that record.
//!
//! While the ranks run, the machine of the rank writes down what each call of MPI does to its memory, what other ranks do to it in
//! between, and the answers of the world. A machine that follows the record asks nobody: it can be stopped, copied and taken back
//! as one that is alone. Devices and host run as before, so they find what they found.
//!
//! A call that is not in the record ends the program: there the whole run ended, or a debugger has changed the program.
//!
//! Not here: who runs the ranks (`ranks`), how calls reach memory (`messages`).

use diag::Severity;
use finding::Finding;
use host::{Answer, Ask, MpiCall};
use mpi::{Outcome, RankMemory, Use};
use source::Span;
use std::sync::Arc;

/// Bytes that a record may have.
const MOST_BYTES: u64 = 2 << 30;
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
    call: MpiCall,
    pub(crate) changes: Vec<Change>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) outcome: Outcome,
}

#[derive(Clone, Debug)]
enum Entry {
    Asked(Ask, Answer),
    Made(Made),
    /// All ranks end with this code, this one perhaps in a call.
    Ended {
        code: i32,
        is_in_call: bool,
    },
}

/// What one rank of several got from the others and from outside.
#[derive(Clone, Debug, Default)]
pub struct Record {
    rank: u32,
    entries: Vec<Entry>,
    /// What was found after the last call, and when no rank could go on.
    last: Vec<Finding>,
    /// The code of a run that ended otherwise than by the program.
    code: i32,
    bytes: u64,
}

impl Record {
    /// The rank.
    pub fn rank(&self) -> u32 {
        self.rank
    }
}

/// Whether a machine keeps a record, or follows one.
#[derive(Clone, Debug, Default)]
pub(crate) enum Solo {
    #[default]
    Neither,
    Keeps {
        record: Box<Record>,
        /// The call that the rank makes, what it and others have done to its memory since the last one, and what was found.
        call: Option<MpiCall>,
        changes: Vec<Change>,
        findings: Vec<Finding>,
    },
    Follows {
        record: Arc<Record>,
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
    pub(crate) fn keep(rank: u32) -> Solo {
        let record = Box::new(Record { rank, ..Record::default() });
        Solo::Keeps { record, call: None, changes: Vec::new(), findings: Vec::new() }
    }

    /// The record that was kept.
    pub(crate) fn take_record(&mut self) -> Option<Record> {
        match std::mem::take(self) {
            Solo::Keeps { mut record, findings, .. } => {
                record.last.splice(0..0, findings);
                Some(*record)
            }
            _ => None,
        }
    }

    /// Whether the record has no room for more.
    pub(crate) fn is_full(&self) -> bool {
        matches!(self, Solo::Keeps { record, .. } if record.bytes > MOST_BYTES)
    }

    /// Where changes of memory are to be written down.
    pub(crate) fn changes(&mut self) -> Option<&mut Vec<Change>> {
        if let Solo::Keeps { changes, .. } = self { Some(changes) } else { None }
    }

    /// The rank makes a call.
    pub(crate) fn begin_call(&mut self, made: &MpiCall) {
        if let Solo::Keeps { call, .. } = self {
            *call = Some(made.clone());
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
        let Solo::Keeps { record, call, changes, findings } = self else { return };
        let Some(call) = call.take() else { return };
        let (changes, findings) = (std::mem::take(changes), std::mem::take(findings));
        let bytes = changes.iter().map(Change::bytes).sum::<u64>() + ENTRY_BYTES;
        record.add(Entry::Made(Made { call, changes, findings, outcome }), bytes);
    }

    /// All ranks end.
    pub(crate) fn end_all(&mut self, code: i32) {
        if let Solo::Keeps { record, call, .. } = self {
            record.add(Entry::Ended { code, is_in_call: call.is_some() }, ENTRY_BYTES);
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
        if let (Solo::Keeps { record, .. }, false) = (self, *answer == Answer::Later) {
            let bytes = match (question, answer) {
                (Ask::WriteFile { bytes, .. }, _) => bytes.len(),
                (_, Answer::File(Ok(Some(bytes)))) => bytes.len(),
                _ => 0,
            };
            record.add(Entry::Asked(question.clone(), answer.clone()), bytes as u64 + ENTRY_BYTES);
        }
    }

    /// The answer of the record, if one is followed.
    pub(crate) fn answer(&mut self, question: &Ask) -> Option<Answer> {
        let Solo::Follows { record, at, .. } = self else { return None };
        match record.entries.get(*at) {
            Some(Entry::Asked(asked, answer)) if asked == question => {
                *at += 1;
                Some(answer.clone())
            }
            // The program ends, or a debugger has changed it: nothing of that has an effect.
            _ => Some(crate::world::ClosedWorld::answer(question)),
        }
    }

    /// What comes of a call, if a record is followed.
    pub(crate) fn follow(&mut self, call: &MpiCall) -> Option<Followed> {
        let Solo::Follows { record, at, .. } = self else { return None };
        Some(match record.entries.get(*at) {
            Some(Entry::Made(made)) if made.call == *call => {
                *at += 1;
                Followed::Made(made.clone())
            }
            Some(Entry::Ended { code, .. }) => {
                *at += 1;
                Followed::Ended(*code)
            }
            None => Followed::Ended(record.code),
            Some(_) => Followed::Differs,
        })
    }

    /// What was found at the end, the first time that this is asked; `None` if no record is followed.
    pub(crate) fn last_findings(&mut self) -> Option<Vec<Finding>> {
        let Solo::Follows { record, is_told, .. } = self else { return None };
        Some(if std::mem::replace(is_told, true) { Vec::new() } else { record.last.clone() })
    }

    /// The code with which all ranks ended after the last call, if they did before the next.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        let Solo::Follows { record, at, .. } = self else { return None };
        let Some(Entry::Ended { code, is_in_call: false }) = record.entries.get(*at) else { return None };
        *at += 1;
        Some(*code)
    }
}

impl Record {
    fn add(&mut self, entry: Entry, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.entries.push(entry);
    }

    /// The code of the run where it does not end by itself.
    pub(crate) fn ended_with(mut self, code: i32) -> Record {
        self.code = if code == 0 { 1 } else { code };
        self
    }
}
