//! The record of a rank as bytes: a head, then one piece for each entry as it is made, then one for the end.
//!
//! A piece has its length before it, so a record whose program was killed is one that ends earlier. Numbers are little-endian. Bytes
//! that are no record are refused; nothing is trusted.
//!
//! Not here: when entries are made (`solo`), the files (the root package).

mod faults;

use crate::solo::{Change, Entry, Made, Record, Records, Turns, What};
use finding::{Access, Actor, Finding, FindingKind, RankCall};
use host::{Answer, CommandEnd, FileKind, FileStatus, MpiCall};
use ir::foreign::{CArg, Callback, ForeignEnd};
use mpi::{Outcome, Use};
use source::{FileId, Span};

/// How each record begins.
const MAGIC: &[u8] = b"cufemu record 1\n";

/// Whose record it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordHead {
    /// The rank.
    pub rank: u32,
    /// How many ranks there are.
    pub count: u32,
    /// A number that the same program has, compiled in the same way.
    pub program: u64,
}

impl RecordHead {
    /// The bytes that come first.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        [self.rank.into(), self.count.into(), self.program].into_iter().for_each(|n| out.number(n));
        out.0
    }

    /// The head of a record; `None` if the bytes are none.
    pub fn read(bytes: &[u8]) -> Option<RecordHead> {
        head(&mut Reader(bytes))
    }
}

/// Ranks of the largest run: a larger number is damage.
const MOST_RANKS: u32 = 1 << 20;

fn head(reader: &mut Reader<'_>) -> Option<RecordHead> {
    (reader.take(MAGIC.len())? == MAGIC).then_some(())?;
    let (rank, count) = (reader.small()?, reader.small()?);
    let program = reader.number()?;
    (rank < count && count <= MOST_RANKS).then_some(RecordHead { rank, count, program })
}

impl Records {
    /// No records of so many ranks.
    pub fn missing(count: u32) -> Records {
        Records { ranks: vec![None; count as usize] }
    }

    /// Adds the record of a rank; `None` if the bytes are none of these ranks.
    pub fn add(&mut self, bytes: &[u8]) -> Option<()> {
        let mut reader = Reader(bytes);
        let head = head(&mut reader)?;
        let mut record = Record::default().ended_with(0);
        while let Some(piece) = reader.number().and_then(|length| reader.take(usize::try_from(length).ok()?)) {
            let mut piece = Reader(piece);
            match piece.byte()? {
                0 => record.entries.push(piece.entry()?),
                _ => {
                    record.last = piece.many(Reader::finding)?;
                    record.open = piece.optional(Reader::turns)?;
                    record.over = piece.optional(|r| Some((r.number()?, r.number()? as i32)))?;
                    record = record.ended_with(piece.number()? as i32);
                }
            }
        }
        *self.ranks.get_mut(head.rank as usize)? = Some(record);
        Some(())
    }
}

impl Record {
    /// The entries so far, which the record gives away.
    pub(crate) fn take_bytes(&mut self) -> Vec<u8> {
        let mut out = Writer(Vec::new());
        for entry in std::mem::take(&mut self.entries) {
            out.piece(|piece| {
                piece.0.push(0);
                piece.entry(&entry);
            });
        }
        self.bytes = 0;
        out.0
    }

    /// The end of the record.
    pub(crate) fn end_bytes(&self) -> Vec<u8> {
        let mut out = Writer(Vec::new());
        out.piece(|piece| {
            piece.0.push(1);
            piece.many(&self.last, Writer::finding);
            piece.optional(self.open.as_ref(), Writer::turns);
            piece.optional(self.over.as_ref(), |w, (turn, code)| {
                w.number(*turn);
                w.number(*code as u64);
            });
            piece.number(self.code as u64);
        });
        out.0
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn many<T>(&mut self, all: &[T], one: impl Fn(&mut Writer, &T)) {
        self.number(all.len() as u64);
        all.iter().for_each(|item| one(self, item));
    }

    fn optional<T>(&mut self, value: Option<&T>, one: impl Fn(&mut Writer, &T)) {
        self.many(value.as_slice(), |w, v| one(w, v));
    }

    /// A piece with its length before it.
    fn piece(&mut self, write: impl FnOnce(&mut Writer)) {
        let at = self.0.len();
        self.number(0);
        write(self);
        let length = (self.0.len() - at - 8) as u64;
        self.0[at..at + 8].copy_from_slice(&length.to_le_bytes());
    }

    fn span(&mut self, span: Span) {
        [span.file.0, span.start, span.end].into_iter().for_each(|n| self.number(n.into()));
    }

    fn ranges(&mut self, ranges: &[(u64, u64)]) {
        self.many(ranges, |w, (at, bytes)| {
            w.number(*at);
            w.number(*bytes);
        });
    }

    fn written(&mut self, written: &[(u64, Vec<u8>)]) {
        self.many(written, |w, (at, bytes)| {
            w.number(*at);
            w.bytes(bytes);
        });
    }

    fn turns(&mut self, turns: &Turns) {
        self.number(turns.begun);
        self.number(turns.ended);
        self.many(&turns.waits, |w, (turn, call)| {
            w.number(*turn);
            w.call(call);
        });
    }

    fn call(&mut self, call: &RankCall) {
        self.number(call.rank.into());
        self.bytes(call.call.as_bytes());
        self.span(call.span);
        self.bytes(call.what.as_bytes());
    }

    fn entry(&mut self, entry: &Entry) {
        self.turns(&entry.turns);
        match &entry.what {
            What::Asked(question, answer) => {
                self.0.push(0);
                self.number(*question);
                self.answer(answer);
            }
            What::Made(made) => {
                self.0.push(1);
                self.number(made.call.routine.into());
                self.many(&made.call.words, |w, word| w.number(*word));
                self.span(made.call.span);
                self.many(&made.changes, Writer::change);
                self.many(&made.findings, Writer::finding);
                let (kind, code) = match made.outcome {
                    Outcome::Done => (0, 0),
                    Outcome::Polled => (1, 0),
                    Outcome::Waits => (2, 0),
                    Outcome::CallsBack => (3, 0),
                    Outcome::Ended(code) => (4, code),
                };
                self.number(kind);
                self.number(code as u64);
            }
            What::Ended { code, is_in_call } => {
                self.0.push(2);
                self.number(*code as u64);
                self.number((*is_in_call).into());
            }
        }
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::Write(address, bytes) => {
                self.0.push(0);
                self.number(*address);
                self.bytes(bytes);
            }
            Change::Allocate(bytes, span) => {
                self.0.push(1);
                self.number(*bytes);
                self.span(*span);
            }
            Change::Free(address, span) => {
                self.0.push(2);
                self.number(*address);
                self.span(*span);
            }
            Change::Begin(used) => {
                self.0.push(3);
                self.number(used.request.into());
                self.number(used.is_access.into());
                self.bytes(used.call.as_bytes());
                self.span(used.span);
                self.ranges(&used.read);
                self.ranges(&used.written);
            }
            Change::End(request) => {
                self.0.push(4);
                self.number((*request).into());
            }
        }
    }

    /// A finding of MPI: no others are in a record.
    fn finding(&mut self, finding: &Finding) {
        let FindingKind::Mpi(fault) = &finding.kind else { return self.0.push(0) };
        self.0.push(1);
        self.fault(fault);
        self.many(&finding.accesses, |w, access| w.span(access.span));
        self.optional(finding.rank.as_ref(), |w, rank| w.number((*rank).into()));
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn result<T>(&mut self, result: &Result<T, String>, one: impl Fn(&mut Writer, &T)) {
        match result {
            Ok(value) => {
                self.0.push(0);
                one(self, value);
            }
            Err(why) => {
                self.0.push(1);
                self.text(why);
            }
        }
    }

    fn answer(&mut self, answer: &Answer) {
        let bytes = |w: &mut Writer, bytes: &Vec<u8>| w.bytes(bytes);
        match answer {
            Answer::Line(line) => {
                self.0.push(0);
                self.optional(line.as_ref(), bytes);
            }
            Answer::File(file) => {
                self.0.push(1);
                self.result(file, |w, file| w.optional(file.as_ref(), bytes));
            }
            Answer::Status(status) => {
                self.0.push(2);
                self.text(&status.path);
                let kind = match status.kind {
                    None => 0,
                    Some(FileKind::Regular) => 1,
                    Some(FileKind::Stream) => 2,
                    Some(FileKind::Directory) => 3,
                };
                self.number(kind);
                self.number(status.bytes);
            }
            Answer::Done(result) => {
                self.0.push(3);
                self.result(result, |_, ()| ());
            }
            Answer::Nanoseconds(n) => {
                self.0.push(4);
                self.number(*n);
            }
            Answer::Date(date) => {
                self.0.push(5);
                date.iter().for_each(|n| self.number(*n as u64));
            }
            Answer::Text(text) => {
                self.0.push(6);
                self.optional(text.as_ref(), bytes);
            }
            Answer::Command(end) => {
                self.0.push(7);
                self.optional(end.as_ref(), |w, end| {
                    w.number(end.code as u64);
                    w.bytes(&end.output);
                    w.bytes(&end.errors);
                });
            }
            Answer::Foreign(end) => {
                self.0.push(8);
                self.result(end, |w, end| {
                    w.bytes(&end.result);
                    w.written(&end.written);
                    w.optional(end.callback.as_ref(), |w, callback| {
                        w.number(callback.entry);
                        w.many(&callback.args, Writer::argument);
                    });
                });
            }
            // The world gives no others.
            Answer::CallBack | Answer::Device(_) | Answer::Later => self.0.push(9),
        }
    }

    fn argument(&mut self, argument: &CArg) {
        match argument {
            CArg::Word(word) => {
                self.0.push(0);
                self.number(*word);
            }
            CArg::Object(bytes) => {
                self.0.push(1);
                self.bytes(bytes);
            }
            CArg::Copy(address, bytes) => {
                self.0.push(2);
                self.number(*address);
                self.bytes(bytes);
            }
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn is_set(&mut self) -> Option<bool> {
        Some(self.number()? == 1)
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.number()?).ok()?;
        Some(self.take(length)?.to_vec())
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?).ok()
    }

    fn many<T>(&mut self, one: impl Fn(&mut Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
        // The number may be any: room is made as items come.
        let mut all = Vec::new();
        for _ in 0..self.number()? {
            all.push(one(self)?);
        }
        Some(all)
    }

    fn optional<T>(&mut self, one: impl Fn(&mut Reader<'a>) -> Option<T>) -> Option<Option<T>> {
        Some(self.many(one)?.pop())
    }

    fn result<T>(&mut self, one: impl Fn(&mut Reader<'a>) -> Option<T>) -> Option<Result<T, String>> {
        Some(if self.byte()? == 0 { Ok(one(self)?) } else { Err(self.text()?) })
    }

    fn span(&mut self) -> Option<Span> {
        Some(Span { file: FileId(self.small()?), start: self.small()?, end: self.small()? })
    }

    fn ranges(&mut self) -> Option<Vec<(u64, u64)>> {
        self.many(|r| Some((r.number()?, r.number()?)))
    }

    fn turns(&mut self) -> Option<Turns> {
        let (begun, ended) = (self.number()?, self.number()?);
        Some(Turns { begun, ended, waits: self.many(|r| Some((r.number()?, r.call()?)))? })
    }

    fn call(&mut self) -> Option<RankCall> {
        Some(RankCall { rank: self.small()?, call: self.text()?, span: self.span()?, what: self.text()? })
    }

    fn entry(&mut self) -> Option<Entry> {
        let turns = self.turns()?;
        let what = match self.byte()? {
            0 => What::Asked(self.number()?, self.answer()?),
            1 => {
                let call = MpiCall { routine: self.small()?, words: self.many(Reader::number)?, span: self.span()? };
                let (changes, findings) = (self.many(Reader::change)?, self.many(Reader::finding)?);
                let outcome = match (self.number()?, self.number()? as i32) {
                    (0, _) => Outcome::Done,
                    (1, _) => Outcome::Polled,
                    (2, _) => Outcome::Waits,
                    (3, _) => Outcome::CallsBack,
                    (_, code) => Outcome::Ended(code),
                };
                What::Made(Made { call, changes, findings, outcome })
            }
            _ => What::Ended { code: self.number()? as i32, is_in_call: self.is_set()? },
        };
        Some(Entry { what, turns })
    }

    fn change(&mut self) -> Option<Change> {
        Some(match self.byte()? {
            0 => Change::Write(self.number()?, self.bytes()?),
            1 => Change::Allocate(self.number()?, self.span()?),
            2 => Change::Free(self.number()?, self.span()?),
            3 => Change::Begin(Use {
                request: self.small()?,
                is_access: self.is_set()?,
                call: mpi::name(mpi::number(&self.text()?)?),
                span: self.span()?,
                read: self.ranges()?,
                written: self.ranges()?,
            }),
            _ => Change::End(self.small()?),
        })
    }

    fn finding(&mut self) -> Option<Finding> {
        (self.byte()? == 1).then_some(())?;
        let kind = FindingKind::Mpi(self.fault()?);
        let accesses = self.many(|r| Some(Access::step(Actor::Host, r.span()?)))?;
        Some(Finding { rank: self.optional(Reader::small)?, ..Finding::new(kind, accesses) })
    }

    fn answer(&mut self) -> Option<Answer> {
        Some(match self.byte()? {
            0 => Answer::Line(self.optional(Reader::bytes)?),
            1 => Answer::File(self.result(|r| r.optional(Reader::bytes))?),
            2 => {
                let path = self.text()?;
                let kind = match self.number()? {
                    0 => None,
                    1 => Some(FileKind::Regular),
                    2 => Some(FileKind::Stream),
                    _ => Some(FileKind::Directory),
                };
                Answer::Status(FileStatus { path, kind, bytes: self.number()? })
            }
            3 => Answer::Done(self.result(|_| Some(()))?),
            4 => Answer::Nanoseconds(self.number()?),
            5 => {
                let mut date = [0; 8];
                for n in &mut date {
                    *n = self.number()? as i32;
                }
                Answer::Date(date)
            }
            6 => Answer::Text(self.optional(Reader::bytes)?),
            7 => {
                Answer::Command(self.optional(|r| {
                    Some(CommandEnd { code: r.number()? as i32, output: r.bytes()?, errors: r.bytes()? })
                })?)
            }
            8 => Answer::Foreign(self.result(|r| {
                Some(ForeignEnd {
                    result: r.bytes()?,
                    written: r.many(|r| Some((r.number()?, r.bytes()?)))?,
                    callback: r.optional(|r| Some(Callback { entry: r.number()?, args: r.many(Reader::argument)? }))?,
                })
            })?),
            _ => return None,
        })
    }

    fn argument(&mut self) -> Option<CArg> {
        Some(match self.byte()? {
            0 => CArg::Word(self.number()?),
            1 => CArg::Object(self.bytes()?),
            _ => CArg::Copy(self.number()?, self.bytes()?),
        })
    }
}
