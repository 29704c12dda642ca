//! Functions of characters.

use super::Reference;
use crate::checked::Intrinsic as I;
use crate::checked::{CharLen, Expr, Type};
use crate::typing::Typing;

const INTEGERS: &[u8] = &[1, 2, 4, 8];

/// The type of a character value with its length, where that is known.
pub(super) fn length_of(e: &Expr) -> Type {
    match &e.ty {
        Type::Character(CharLen::Const(n)) => Type::Character(CharLen::Const(*n)),
        _ => Type::Character(CharLen::Deferred),
    }
}

impl Typing<'_> {
    fn need_text(&mut self, r: &mut Reference, at: usize) -> Option<Expr> {
        let e = self.need(r, at)?;
        if matches!(e.ty, Type::Character(_)) { Some(e) } else { self.bad_argument(r.id, at, &e, "a character value") }
    }

    /// Types an elemental function of characters.
    pub(super) fn text_function(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        match id {
            I::Achar | I::Char => {
                let Some(i) = self.take_integer(&mut r, 0, 4, false)? else { return self.need(&mut r, 0) };
                self.take_kind(&mut r, 1, 1, &[1])?;
                let rank = i.rank;
                self.intrinsic_node(id, vec![Some(i), None], Type::Character(CharLen::Const(1)), rank, span)
            }
            I::Iachar | I::Ichar | I::LenTrim => {
                let c = self.need_text(&mut r, 0)?;
                let kind = self.take_kind(&mut r, 1, self.options.integer_kind(), INTEGERS)?;
                let rank = c.rank;
                self.intrinsic_node(id, vec![Some(c), None], Type::Integer(kind), rank, span)
            }
            I::Adjustl | I::Adjustr => {
                let c = self.need_text(&mut r, 0)?;
                let (ty, rank) = (length_of(&c), c.rank);
                self.intrinsic_node(id, vec![Some(c)], ty, rank, span)
            }
            I::Index | I::Scan | I::Verify => {
                let (a, b) = (self.need_text(&mut r, 0)?, self.need_text(&mut r, 1)?);
                let back = self.take_logical(&mut r, 2)?;
                let kind = self.take_kind(&mut r, 3, self.options.integer_kind(), INTEGERS)?;
                let args = vec![Some(a), Some(b), back, None];
                let rank = self.elemental_rank(id, &args, span)?;
                self.intrinsic_node(id, args, Type::Integer(kind), rank, span)
            }
            I::Lge | I::Lgt | I::Lle | I::Llt => {
                let args = vec![Some(self.need_text(&mut r, 0)?), Some(self.need_text(&mut r, 1)?)];
                let rank = self.elemental_rank(id, &args, span)?;
                self.intrinsic_node(id, args, self.options.logical(), rank, span)
            }
            _ => self.reporter.refuse(span, format!("intrinsic procedure `{}`", id.name())),
        }
    }

    /// `trim` and `repeat`.
    pub(super) fn text_transformation(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let text = self.need_text(&mut r, 0)?;
        if text.rank != 0 {
            return self.bad_argument(id, 0, &text, "a scalar");
        }
        let ty = Type::Character(CharLen::Deferred);
        if id == I::Trim {
            return self.intrinsic_node(id, vec![Some(text)], ty, 0, span);
        }
        let Some(count) = self.take_integer(&mut r, 1, 8, true)? else { return self.need(&mut r, 1) };
        self.intrinsic_node(id, vec![Some(text), Some(count)], ty, 0, span)
    }
}
