//! What is wrong between ranks, in a record: the number of the kind, then its calls, texts and numbers in the order of its fields.

use super::{Reader, Writer};
use finding::{MpiFault, RankCall};

impl Writer {
    pub(super) fn fault(&mut self, fault: &MpiFault) {
        let one = std::slice::from_ref::<RankCall>;
        let number = |kind: u64, calls: &[&[RankCall]], texts: &[&str], numbers: &[u64], w: &mut Writer| {
            w.number(kind);
            calls.iter().for_each(|calls| w.many(calls, Writer::call));
            texts.iter().for_each(|text| w.bytes(text.as_bytes()));
            numbers.iter().for_each(|n| w.number(*n));
        };
        match fault {
            MpiFault::Deadlock { waiting, ended } => {
                number(0, &[waiting], &[], &[], self);
                self.many(ended, |w, rank| w.number((*rank).into()));
            }
            MpiFault::Collectives { reason, first, second } => {
                number(1, &[one(first), one(second)], &[reason], &[], self);
            }
            MpiFault::Truncated { sent, room, sender, receiver } => {
                number(2, &[one(sender), one(receiver)], &[], &[*sent, *room], self);
            }
            MpiFault::Types { sent, received, sender, receiver } => {
                number(3, &[one(sender), one(receiver)], &[sent, received], &[], self);
            }
            MpiFault::BufferType { call, datatype, given } => number(4, &[one(call)], &[datatype, given], &[], self),
            MpiFault::NotReceived { sender, to, tag, bytes } => {
                number(5, &[one(sender)], &[], &[(*to).into(), *tag as u64, *bytes], self);
            }
            MpiFault::NotCompleted { start } => number(6, &[one(start)], &[], &[], self),
            MpiFault::NotFreed { made, kind, count } => number(7, &[one(made)], &[kind], &[*count], self),
            MpiFault::Epoch { call, reason, begun } => number(8, &[one(call), begun.as_slice()], &[reason], &[], self),
            MpiFault::AccessConflict { first, second, target, name } => {
                number(9, &[one(first), one(second)], &[name], &[(*target).into()], self);
            }
            MpiFault::Argument { call, reason } => number(10, &[one(call)], &[reason], &[], self),
            MpiFault::NotFinalized { rank } => number(11, &[], &[], &[(*rank).into()], self),
            MpiFault::Aborted { call, code } => number(12, &[one(call)], &[], &[*code as u64], self),
            MpiFault::NeedsBuffering { waiting, is_collective } => {
                number(13, &[waiting], &[], &[(*is_collective).into()], self);
            }
            MpiFault::OutOfPhase { call, is_over } => number(14, &[one(call)], &[], &[(*is_over).into()], self),
        }
    }
}

impl Reader<'_> {
    fn calls(&mut self) -> Option<Vec<RankCall>> {
        self.many(Reader::call)
    }

    /// Calls, of which there is one at least.
    fn some(&mut self) -> Option<Vec<RankCall>> {
        self.calls().filter(|calls| !calls.is_empty())
    }

    fn one(&mut self) -> Option<RankCall> {
        self.calls()?.pop()
    }

    pub(super) fn fault(&mut self) -> Option<MpiFault> {
        Some(match self.number()? {
            0 => MpiFault::Deadlock { waiting: self.some()?, ended: self.many(Reader::small)? },
            1 => {
                let (first, second) = (self.one()?, self.one()?);
                MpiFault::Collectives { reason: self.text()?, first, second }
            }
            2 => {
                let (sender, receiver) = (self.one()?, self.one()?);
                MpiFault::Truncated { sent: self.number()?, room: self.number()?, sender, receiver }
            }
            3 => {
                let (sender, receiver) = (self.one()?, self.one()?);
                MpiFault::Types { sent: self.text()?, received: self.text()?, sender, receiver }
            }
            4 => MpiFault::BufferType { call: self.one()?, datatype: self.text()?, given: self.text()? },
            5 => MpiFault::NotReceived {
                sender: self.one()?,
                to: self.small()?,
                tag: self.number()? as i32,
                bytes: self.number()?,
            },
            6 => MpiFault::NotCompleted { start: self.one()? },
            7 => MpiFault::NotFreed { made: self.one()?, kind: self.text()?, count: self.number()? },
            8 => {
                let (call, begun) = (self.one()?, self.calls()?.pop());
                MpiFault::Epoch { call, reason: self.text()?, begun }
            }
            9 => {
                let (first, second) = (self.one()?, self.one()?);
                let name = self.text()?;
                MpiFault::AccessConflict { first, second, target: self.small()?, name }
            }
            10 => MpiFault::Argument { call: self.one()?, reason: self.text()? },
            11 => MpiFault::NotFinalized { rank: self.small()? },
            12 => MpiFault::Aborted { call: self.one()?, code: self.number()? as i32 },
            13 => MpiFault::NeedsBuffering { waiting: self.some()?, is_collective: self.is_set()? },
            14 => MpiFault::OutOfPhase { call: self.one()?, is_over: self.is_set()? },
            _ => return None,
        })
    }
}
