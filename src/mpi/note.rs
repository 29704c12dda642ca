//! What ranks in different processes send each other, as bytes.
//!
//! The data of a note comes first, as it is, then what the note says, then the length of that: so neither side copies the data
//! to put something before it. All numbers are little-endian.

use crate::basic::Basic;
use crate::collective::{Operation, Part};
use crate::error::Step;
use crate::handle::FIRST_OWN;
use crate::layout::{Layout, Run, Signature};
use crate::message::{Bytes, Delivery, Message, Piece};
use crate::reduce::Operator;
use crate::topology::Cart;
use crate::window::{Access, Effect, Ending};
use source::{FileId, Span};
use std::sync::Arc;

/// Room for what a note says, beside its data.
pub(crate) const HEAD: usize = 160;

/// The names of routines, by their numbers.
pub(crate) type Names = fn(u32) -> &'static str;

/// A note.
#[derive(Clone, Debug)]
pub(crate) enum Note {
    /// A message, with its data unless it is announced.
    Message { communicator: u32, message: Message },
    /// A receive has taken the message of a request of the one who gets the note.
    Taken { request: u32 },
    /// The data of a message that was announced; the request is the sender's.
    Data { request: u32, data: Bytes },
    /// What a rank brings to a collective operation; of its pieces the one for the rank that gets the note, or all.
    Part { communicator: u32, sequence: u64, rank: u32, operation: Operation, part: Part, only: Option<u32> },
    /// Results of a collective operation.
    Results { communicator: u32, sequence: u64, pieces: Vec<Piece> },
    /// A rank has waited for long: in which call since when, and for what; how many notes it has sent and got.
    Waiting { wait: u64, sent: u64, got: u64, step: Step, what: String },
    /// The program of the rank has ended.
    Ended,
    /// An access to the memory of the one who gets the note.
    Access { access: Access },
    /// An access of the one who gets the note is done; the data is what was there, if it wants that.
    Accessed { request: u32, fetches: bool, data: Bytes },
    /// Something about a window.
    Window { window: u32, news: News },
}

/// What ranks tell each other about a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum News {
    /// The sender wants the lock of the one who gets the note, for itself alone or shared.
    WantsAlone,
    WantsShared,
    /// The sender's lock is given to the one who gets the note.
    Locked,
    /// The sender gives the lock back.
    Unlocked,
    /// The sender exposes its memory.
    Posted,
    /// The sender has completed its accesses.
    Completed,
}

/// All of them, by their numbers.
const NEWS: [News; 6] =
    [News::WantsAlone, News::WantsShared, News::Locked, News::Unlocked, News::Posted, News::Completed];

impl Note {
    /// The bytes of the note.
    pub(crate) fn bytes(self) -> Vec<u8> {
        let mut head = Writer(Vec::with_capacity(HEAD));
        let data = match self {
            Note::Message { communicator, message } => {
                head.numbers(&[0, communicator.into()]);
                head.message(&message);
                if message.delivery == Delivery::Announced { Vec::new() } else { owned(message.piece.data) }
            }
            Note::Taken { request } => {
                head.numbers(&[1, request.into()]);
                Vec::new()
            }
            Note::Data { request, data } => {
                head.numbers(&[2, request.into()]);
                owned(data)
            }
            Note::Part { communicator, sequence, rank, operation, part, only } => {
                let at = Operation::ALL.iter().position(|o| *o == operation).unwrap_or(0);
                head.numbers(&[3, communicator.into(), sequence, rank.into(), at as u64]);
                head.optional(only.map(u64::from));
                head.part(part)
            }
            Note::Results { communicator, sequence, pieces } => {
                head.numbers(&[4, communicator.into(), sequence]);
                head.pieces(pieces)
            }
            Note::Waiting { wait, sent, got, step, what } => {
                head.numbers(&[5, wait, sent, got]);
                head.step(step);
                head.number(what.len() as u64);
                head.0.extend(what.as_bytes());
                Vec::new()
            }
            Note::Ended => {
                head.number(6);
                Vec::new()
            }
            Note::Access { access } => {
                head.number(7);
                head.access(access)
            }
            Note::Accessed { request, fetches, data } => {
                head.numbers(&[8, request.into(), fetches.into()]);
                owned(data)
            }
            Note::Window { window, news } => {
                let at = NEWS.iter().position(|n| *n == news).unwrap_or(0);
                head.numbers(&[9, window.into(), at as u64]);
                Vec::new()
            }
        };
        let (mut out, head) = (data, head.0);
        out.reserve_exact(head.len() + 4);
        out.extend_from_slice(&head);
        out.extend_from_slice(&(head.len() as u32).to_le_bytes());
        out
    }

    /// The note that bytes are; `None` if they are none.
    pub(crate) fn read(bytes: Vec<u8>, names: Names) -> Option<Note> {
        let mut data = bytes;
        let length = u32::from_le_bytes(*data.last_chunk::<4>()?) as usize;
        let head = data.split_off(data.len().checked_sub(length + 4)?);
        let mut head = Reader { rest: &head[..length], names };
        Some(match head.number()? {
            0 => {
                let communicator = head.small()?;
                Note::Message { communicator, message: head.message(data)? }
            }
            1 => Note::Taken { request: head.small()? },
            2 => Note::Data { request: head.small()?, data: Arc::new(data) },
            3 => {
                let (communicator, sequence, rank) = (head.small()?, head.number()?, head.small()?);
                let operation = *Operation::ALL.get(head.number()? as usize)?;
                let only = head.optional()?.map(|only| only as u32);
                Note::Part { communicator, sequence, rank, operation, part: head.part(data, only)?, only }
            }
            4 => {
                let (communicator, sequence) = (head.small()?, head.number()?);
                Note::Results { communicator, sequence, pieces: head.pieces(data)? }
            }
            5 => {
                let (wait, sent, got, step) = (head.number()?, head.number()?, head.number()?, head.step()?);
                let length = head.number()? as usize;
                let what = String::from_utf8_lossy(head.rest.get(..length)?).into_owned();
                Note::Waiting { wait, sent, got, step, what }
            }
            6 => Note::Ended,
            7 => Note::Access { access: head.access(data)? },
            8 => Note::Accessed { request: head.small()?, fetches: head.number()? == 1, data: Arc::new(data) },
            9 => Note::Window { window: head.small()?, news: *NEWS.get(head.number()? as usize)? },
            _ => return None,
        })
    }
}

/// The bytes, without a copy where nobody else has them.
fn owned(data: Bytes) -> Vec<u8> {
    Arc::try_unwrap(data).unwrap_or_else(|data| data.to_vec())
}

/// Operations of MPI are their numbers; a procedure is behind them.
fn operator_word(operator: Operator) -> u64 {
    match operator {
        Operator::Own(word) => word.wrapping_add(FIRST_OWN.into()),
        known => known.number().into(),
    }
}

fn operator_of_word(word: u64) -> Option<Operator> {
    match word.checked_sub(FIRST_OWN.into()) {
        Some(procedure) => Some(Operator::Own(procedure)),
        None => Operator::of(word as u32),
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|n| self.number(*n));
    }

    fn optional(&mut self, number: Option<u64>) {
        self.numbers(&[number.is_some().into(), number.unwrap_or(0)]);
    }

    fn step(&mut self, step: Step) {
        let Step { rank, routine, span, .. } = step;
        self.numbers(&[rank.into(), routine.into(), span.file.0.into(), span.start.into(), span.end.into()]);
    }

    fn signature(&mut self, signature: &Signature) {
        let (unit, times) = signature.unit();
        self.numbers(&[unit.len() as u64, times]);
        for (basic, count) in unit {
            self.numbers(&[basic.number().into(), *count]);
        }
    }

    fn message(&mut self, message: &Message) {
        let Message { piece, source, tag, request, bytes, delivery } = message;
        let delivery = match delivery {
            Delivery::Here | Delivery::Eager => 0,
            Delivery::Answered => 1,
            Delivery::Announced => 2,
        };
        self.numbers(&[(*source).into(), i64::from(*tag) as u64, (*request).into(), *bytes, delivery]);
        self.signature(&piece.signature);
        self.step(piece.step);
    }

    /// What is said of pieces; gives their data, one after another.
    fn pieces(&mut self, pieces: Vec<Piece>) -> Vec<u8> {
        self.number(pieces.len() as u64);
        for piece in &pieces {
            self.number(piece.data.len() as u64);
            self.signature(&piece.signature);
            self.step(piece.step);
        }
        match <[Piece; 1]>::try_from(pieces) {
            Ok([one]) => owned(one.data),
            Err(pieces) => {
                let mut data = Vec::with_capacity(pieces.iter().map(|p| p.data.len()).sum::<usize>() + HEAD);
                pieces.iter().for_each(|piece| data.extend_from_slice(&piece.data));
                data
            }
        }
    }

    /// What is said of an access; gives its data.
    fn access(&mut self, access: Access) -> Vec<u8> {
        let Access { window, origin, target, request, step, effect, address, layout, count, data, ending, .. } = access;
        self.numbers(&[window.into(), origin.into(), target.into(), request.into()]);
        self.step(step);
        let effect = match effect {
            Effect::Put => [0, 0, 0, 0],
            Effect::Get => [1, 0, 0, 0],
            Effect::Swap => [2, 0, 0, 0],
            Effect::Combine { operator, basic, fetches } => {
                [3, operator_word(operator), basic.number().into(), fetches.into()]
            }
        };
        self.numbers(&effect);
        let ending = match ending {
            Ending::Origin => [0, 0],
            Ending::Fence(before) => [1, before.into()],
            Ending::Wait => [2, 0],
        };
        self.numbers(&ending);
        self.numbers(&[
            address,
            count,
            layout.lower as u64,
            layout.extent as u64,
            layout.size,
            layout.runs.len() as u64,
        ]);
        for run in &*layout.runs {
            self.numbers(&[run.at as u64, run.basic.number().into(), run.count]);
        }
        data
    }

    fn part(&mut self, part: Part) -> Vec<u8> {
        let Part { step, root, operator, pieces, numbers, cart, .. } = part;
        self.step(step);
        self.optional(root.map(u64::from));
        let (operator, basic) = operator.map_or((0, 0), |(o, b)| (operator_word(o), b.number()));
        self.numbers(&[operator, basic.into(), numbers.len() as u64]);
        numbers.iter().for_each(|n| self.number(*n as u64));
        self.optional(cart.as_ref().map(|cart| cart.dims.len() as u64));
        for (extent, is_periodic) in cart.iter().flat_map(|cart| &cart.dims) {
            self.numbers(&[*extent as u64, (*is_periodic).into()]);
        }
        self.pieces(pieces)
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    names: Names,
}

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (first, rest) = self.rest.split_first_chunk::<8>()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*first))
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn optional(&mut self) -> Option<Option<u64>> {
        let (is_there, number) = (self.number()?, self.number()?);
        Some((is_there == 1).then_some(number))
    }

    fn step(&mut self) -> Option<Step> {
        let (rank, number) = (self.small()?, self.small()?);
        let span = Span::new(FileId(self.small()?), self.small()?, self.small()?);
        Some(Step { rank, routine: number, name: (self.names)(number), span })
    }

    fn signature(&mut self) -> Option<Signature> {
        let (length, times) = (self.number()?, self.number()?);
        let mut unit = Vec::new();
        for _ in 0..length {
            unit.push((Basic::with_number(self.small()?)?, self.number()?));
        }
        Some(Signature::of(unit, times))
    }

    fn message(&mut self, data: Vec<u8>) -> Option<Message> {
        let (source, tag, request) = (self.small()?, self.number()? as i64 as i32, self.small()?);
        let bytes = self.number()?;
        let delivery = match self.number()? {
            0 => Delivery::Eager,
            1 => Delivery::Answered,
            _ => Delivery::Announced,
        };
        let piece = Piece { data: Arc::new(data), signature: self.signature()?, step: self.step()? };
        Some(Message { piece, source, tag, request, bytes, delivery })
    }

    fn pieces(&mut self, data: Vec<u8>) -> Option<Vec<Piece>> {
        let count = self.number()?;
        let (mut out, mut data, mut at) = (Vec::new(), Some(data), 0usize);
        for _ in 0..count {
            let (length, signature, step) = (self.number()? as usize, self.signature()?, self.step()?);
            let data = match count {
                1 => data.take()?,
                _ => data.as_ref()?.get(at..at.checked_add(length)?)?.to_vec(),
            };
            at += length;
            out.push(Piece { data: Arc::new(data), signature, step });
        }
        Some(out)
    }

    fn access(&mut self, data: Vec<u8>) -> Option<Access> {
        let (window, origin, target, request) = (self.small()?, self.small()?, self.small()?, self.small()?);
        let step = self.step()?;
        let effect = [self.number()?, self.number()?, self.number()?, self.number()?];
        let effect = match effect {
            [0, ..] => Effect::Put,
            [1, ..] => Effect::Get,
            [2, ..] => Effect::Swap,
            [_, operator, basic, fetches] => Effect::Combine {
                operator: operator_of_word(operator)?,
                basic: Basic::with_number(u32::try_from(basic).ok()?)?,
                fetches: fetches == 1,
            },
        };
        let ending = match (self.number()?, self.small()?) {
            (0, _) => Ending::Origin,
            (1, before) => Ending::Fence(before),
            _ => Ending::Wait,
        };
        let (address, count) = (self.number()?, self.number()?);
        let (lower, extent, size) = (self.number()? as i64, self.number()? as i64, self.number()?);
        let mut runs = Vec::new();
        for _ in 0..self.number()? {
            let (at, basic) = (self.number()? as i64, Basic::with_number(self.small()?)?);
            runs.push(Run { at, basic, count: self.number()? });
        }
        let layout = Layout { runs: runs.into(), lower, extent, size, is_by_address: false };
        let clock = Vec::new();
        Some(Access { window, origin, target, request, step, effect, address, layout, count, data, clock, ending })
    }

    /// A part; its only piece is put to its place.
    fn part(&mut self, data: Vec<u8>, only: Option<u32>) -> Option<Part> {
        let (step, root) = (self.step()?, self.optional()?.map(|root| root as u32));
        let (operator, basic) = (self.number()?, self.small()?);
        let operator = operator_of_word(operator).zip(Basic::with_number(basic));
        let mut numbers = Vec::new();
        for _ in 0..self.number()? {
            numbers.push(self.number()? as i64);
        }
        let cart = match self.optional()? {
            None => None,
            Some(count) => {
                let mut dims = Vec::new();
                for _ in 0..count {
                    dims.push((self.number()? as i32, self.number()? == 1));
                }
                Some(Arc::new(Cart { dims }))
            }
        };
        let mut pieces = self.pieces(data)?;
        if let Some(only) = only {
            let nothing = Piece { data: Bytes::default(), signature: Signature::empty(), step };
            pieces.splice(0..0, std::iter::repeat_n(nothing, only as usize));
        }
        Some(Part { step, request: 0, root, operator, fold: None, pieces, numbers, cart })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basic::Class;

    fn step() -> Step {
        Step { rank: 3, routine: 5, name: "MPI_Send", span: Span::new(FileId(1), 5, 9) }
    }

    fn piece(data: &[u8]) -> Piece {
        let real = Layout::basic(Basic::of(Class::Real, 4).expect("a type"));
        Piece { data: Arc::new(data.to_vec()), signature: real.signature(data.len() as u64 / 4), step: step() }
    }

    fn there_and_back(note: Note) {
        let before = format!("{note:?}");
        let bytes = note.bytes();
        assert_eq!(before, format!("{:?}", Note::read(bytes.clone(), |_| "MPI_Send").expect("a note")));
        for length in 0..bytes.len() {
            // Bytes that are no note are no note, or another one; nothing panics.
            let _ = Note::read(bytes[..length].to_vec(), |_| "MPI_Send");
        }
    }

    #[test]
    fn notes_are_the_same_on_the_other_side() {
        let message = Message {
            piece: piece(&[1, 2, 3, 4]),
            source: 2,
            tag: 7,
            request: 9,
            bytes: 4,
            delivery: Delivery::Answered,
        };
        there_and_back(Note::Message { communicator: 1, message });
        there_and_back(Note::Window { window: 300, news: News::Unlocked });
        there_and_back(Note::Accessed { request: 4, fetches: true, data: Arc::new(vec![5; 8]) });
        let basic = Basic::of(Class::Integer, 4).expect("a type");
        let layout = Layout::of_blocks([(4, 2, &Layout::basic(basic))]).expect("a layout");
        let access = Access {
            window: 300,
            origin: 1,
            target: 2,
            request: 9,
            step: step(),
            effect: Effect::Combine { operator: Operator::Sum, basic, fetches: true },
            address: 1 << 40,
            layout,
            count: 1,
            data: vec![1; 8],
            clock: Vec::new(),
            ending: Ending::Fence(3),
        };
        there_and_back(Note::Access { access });
        there_and_back(Note::Data { request: 4, data: Arc::new(vec![5; 100]) });
        there_and_back(Note::Waiting { wait: 1, sent: 2, got: 3, step: step(), what: "rank 1".to_owned() });
        let part = Part {
            step: step(),
            request: 0,
            root: Some(1),
            operator: Some((Operator::Own(77), Basic::BYTE)),
            fold: None,
            pieces: vec![piece(&[1; 8]), piece(&[2; 4])],
            numbers: vec![-32766, 4],
            cart: Some(Arc::new(Cart { dims: vec![(2, true), (3, false)] })),
        };
        let operation = Operation::Split;
        there_and_back(Note::Part { communicator: 1, sequence: 8, rank: 3, operation, part, only: None });
    }

    #[test]
    fn the_piece_for_a_rank_is_at_its_place() {
        let part = Part {
            step: step(),
            request: 0,
            root: None,
            operator: None,
            fold: None,
            pieces: vec![piece(&[1; 8])],
            numbers: Vec::new(),
            cart: None,
        };
        let operation = Operation::Alltoall;
        let note = Note::Part { communicator: 1, sequence: 8, rank: 3, operation, part, only: Some(2) };
        let Some(Note::Part { part, .. }) = Note::read(note.bytes(), |_| "MPI_Send") else { panic!("a part") };
        assert_eq!(part.pieces.iter().map(|p| p.data.len()).collect::<Vec<_>>(), [0, 0, 8]);
    }
}
