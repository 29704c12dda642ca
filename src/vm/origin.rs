//! Where an address comes from: for those who look for the variable behind it.

use crate::code::{Code, Op, R3, Slot, Term, Width};
use ir::Ty;

/// What an operation computes an address, or a part of one, from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// The slot that it assigns.
    pub assigns: Option<(Ty, Slot)>,
    /// The slots that its address, or its result, was made of; what is likelier the beginning of something comes last.
    pub slots: Vec<(Ty, Slot)>,
    /// A constant that is a part.
    pub constant: Option<u64>,
    /// An offset in the frame's local memory that is a part.
    pub local: Option<u64>,
}

impl Code {
    /// The origin of what the operation at `pc` computes or accesses; none if it has nothing to do with addresses.
    pub fn origin(&self, pc: u32) -> Option<Origin> {
        let wide = |d: Slot, slots: &[Slot]| Origin {
            assigns: Some((Ty::I64, d)),
            slots: slots.iter().map(|&s| (Ty::I64, s)).collect(),
            ..Origin::default()
        };
        let op = self.ops.get(pc as usize)?;
        if let Some(m) = op.load() {
            let ty = if m.width == Width::W64 { Ty::I64 } else { Ty::I32 };
            return Some(Origin { assigns: Some((ty, m.value)), ..self.accessed(m.form) });
        }
        if let Some(m) = op.store() {
            return Some(self.accessed(m.form));
        }
        Some(match *op {
            Op::Atomic(ref atomic) => self.accessed(atomic.form),
            Op::Mov64(r) => wide(r.d, &[r.a]),
            Op::AddI64(R3 { d, a, b })
            | Op::SubI64(R3 { d, a, b })
            | Op::MulI64(R3 { d, a, b })
            | Op::And64(R3 { d, a, b })
            | Op::Or64(R3 { d, a, b })
            | Op::MinI64(R3 { d, a, b })
            | Op::MaxI64(R3 { d, a, b }) => wide(d, &[b, a]),
            Op::MadI64(r) => wide(r.d, &[r.c]),
            Op::Sel64(r) => wide(r.d, &[r.b, r.a]),
            Op::LocalAddr { d, offset } => Origin { local: Some(offset), ..wide(d, &[]) },
            _ => return None,
        })
    }

    /// The parts of an address.
    fn accessed(&self, form: u32) -> Origin {
        let Some(way) = self.ways.first() else { return Origin::default() };
        let Some(form) = way.forms.get(form as usize) else { return Origin::default() };
        let spread = form.index.as_ref().and_then(|i| way.spreads.get(i.spread as usize));
        let index = form.index.iter().flat_map(|i| &i.terms);
        let mut terms: Vec<&Term> =
            form.terms.iter().chain(index).chain(spread.iter().flat_map(|s| &s.terms)).collect();
        // A base counts once; subscripts are multiplied.
        terms.sort_by_key(|t| (!t.narrow, t.factor == 1));
        Origin {
            assigns: None,
            slots: terms.iter().map(|t| (if t.narrow { Ty::I32 } else { Ty::I64 }, t.slot)).collect(),
            constant: (!form.local).then_some(form.base as u64),
            local: form.local.then_some(form.base as u64),
        }
    }
}
