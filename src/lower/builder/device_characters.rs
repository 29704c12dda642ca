//! Searches in characters of device code, which are loops over their bytes: they are short there, and no GPU has the services of the
//! host.

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::value::lvalue::MemRef;
use ir::op::{BinOp, CmpOp};
use ir::{Reg, Ty, Val};

/// Characters in memory, and their number.
pub(crate) type Text = (MemRef, Val);

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Search {
    /// `index`: the other text.
    Index,
    /// `scan`: a character of the other one.
    Scan,
    /// `verify`: a character that the other one does not have.
    Verify,
}

const BLANK: i64 = b' ' as i64;

impl Builder<'_, '_> {
    fn byte_at(&mut self, mem: MemRef, at: Val) -> Val {
        let place = self.advance(mem, at);
        let byte = self.load_scalar(place, Ty::I8);
        self.cast(byte.into(), Ty::I8, Ty::I64)
    }

    fn counter(&mut self, start: Val) -> Reg {
        let reg = self.mutable(Ty::I64);
        self.set(reg, start);
        reg
    }

    /// `condition` of all numbers below `count`, or of one of them if not `all`.
    fn holds(&mut self, count: Val, all: bool, condition: &mut dyn FnMut(&mut Self, Val) -> Val) -> Val {
        let found = self.counter(Val::i64(0));
        self.repeat(count, &mut |this, j| {
            let p = condition(this, j);
            let p = if all { this.negate(p) } else { p };
            let next: Val = this.select(Ty::I64, p, Val::i64(1), found).into();
            this.set(found, next);
        });
        let wanted = Val::i64(i64::from(!all));
        self.icmp(CmpOp::Eq, found.into(), wanted)
    }

    /// The length without trailing blanks.
    pub(crate) fn device_len_trim(&mut self, (mem, len): Text) -> Val {
        let last = self.counter(Val::i64(0));
        self.repeat(len, &mut |this, i| {
            let byte = this.byte_at(mem, i);
            let is_shown = this.icmp(CmpOp::Ne, byte, Val::i64(BLANK));
            let behind = this.iadd(i, Val::i64(1));
            let next: Val = this.select(Ty::I64, is_shown, behind, last).into();
            this.set(last, next);
        });
        self.freeze(last.into())
    }

    /// The first place of what is looked for, from 1, or the last one if `back` holds; 0 if there is none.
    pub(crate) fn device_search(&mut self, search: Search, text: Text, other: Text, back: Val) -> Val {
        let ((a, m), (b, n)) = (text, other);
        let at = self.counter(Val::i64(0));
        let count = match search {
            Search::Index => {
                let more = self.isub(m, n);
                let more = self.iadd(more, Val::i64(1));
                self.at_least_zero(more)
            }
            Search::Scan | Search::Verify => m,
        };
        let count = self.freeze(count);
        self.repeat(count, &mut |this, i| {
            let is_found = match search {
                Search::Index => this.holds(n, true, &mut |this, j| {
                    let place = this.iadd(i, j);
                    let (x, y) = (this.byte_at(a, place), this.byte_at(b, j));
                    this.icmp(CmpOp::Eq, x, y)
                }),
                Search::Scan | Search::Verify => {
                    let x = this.byte_at(a, i);
                    let x = this.freeze(x);
                    let is_in = this.holds(n, false, &mut |this, j| {
                        let y = this.byte_at(b, j);
                        this.icmp(CmpOp::Eq, x, y)
                    });
                    if search == Search::Scan { is_in } else { this.negate(is_in) }
                }
            };
            let place = this.iadd(i, Val::i64(1));
            let is_first = this.icmp(CmpOp::Eq, at.into(), Val::i64(0));
            let is_wanted = this.combine(BinOp::Or, is_first, back);
            let is_taken = this.combine(BinOp::And, is_found, is_wanted);
            let next: Val = this.select(Ty::I64, is_taken, place, at).into();
            this.set(at, next);
        });
        self.freeze(at.into())
    }

    /// The text with its blanks on the other side, in `to`.
    pub(crate) fn device_adjust(&mut self, to: MemRef, (mem, len): Text, right: bool) {
        let shift = if right {
            let kept = self.device_len_trim((mem, len));
            self.isub(kept, len)
        } else {
            let blank = (self.constant_memory(b" ", 1), Val::i64(1));
            let first = self.device_search(Search::Verify, (mem, len), blank, Val::pred(false));
            let before = self.isub(first, Val::i64(1));
            let is_blank = self.icmp(CmpOp::Eq, first, Val::i64(0));
            self.select(Ty::I64, is_blank, len, before).into()
        };
        let shift = self.freeze(shift);
        self.repeat(len, &mut |this, i| {
            let place = this.advance(to, i);
            this.store_scalar(place, Ty::I8, Val::Imm(BLANK as u64));
            let from = this.iadd(i, shift);
            let is_there = this.icmp(CmpOp::Ge, from, Val::i64(0));
            let is_before = this.icmp(CmpOp::Lt, from, len);
            let is_inside = this.combine(BinOp::And, is_there, is_before);
            this.when(is_inside, |this| {
                let source = this.advance(mem, from);
                let byte = this.load_scalar(source, Ty::I8);
                this.store_scalar(place, Ty::I8, byte.into());
            });
        });
    }
}
