//! Structured control flow: scopes, conditions, loops over array positions.
//!
//! The builder and every type that contains one implement [`Flow`]. The body of a loop or branch gets the same receiver as
//! its caller: functions over the builder get the builder, the lowering of statements gets the whole lowering.
//!
//! Not here: DO loops (`stmt::loops`).

use crate::builder::Builder;
use crate::builder::arith::constant;
use crate::value::array_view::ArrayView;
use ir::op::{BinOp, CmpOp};
use ir::{Ty, Val};
use source::Span;

/// What builds code through a [`Builder`].
pub(crate) trait Flow<'m, 'p: 'm>: Sized {
    /// The builder.
    fn builder(&mut self) -> &mut Builder<'m, 'p>;

    /// Runs `f` in its own scope: makes the clean-ups that it deferred.
    fn scope<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.builder().open_scope();
        let result = f(self);
        self.builder().close_scope();
        result
    }

    /// Runs `f` with `span` as the place of what it makes.
    fn at<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> T) -> T {
        let b = self.builder();
        let old = if span.is_none() { b.span() } else { b.set_span(span) };
        let result = f(self);
        self.builder().set_span(old);
        result
    }

    /// `if cond then yes`; constant conditions make no branch. The code of `yes` has its own scope.
    fn when(&mut self, cond: Val, yes: impl FnOnce(&mut Self)) {
        match cond {
            Val::Imm(bits) if bits & 1 == 0 => {}
            Val::Imm(_) => self.scope(yes),
            Val::Reg(_) => {
                let b = self.builder();
                let (then_bb, join) = (b.new_block(), b.new_block());
                b.branch(cond, then_bb, join);
                b.switch_to(then_bb);
                self.scope(yes);
                let b = self.builder();
                b.jump(join);
                b.switch_to(join);
            }
        }
    }

    /// `if cond then yes else no`
    fn either(&mut self, cond: Val, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        match cond {
            Val::Imm(bits) if bits & 1 == 0 => self.scope(no),
            Val::Imm(_) => self.scope(yes),
            Val::Reg(_) => {
                let b = self.builder();
                let (then_bb, else_bb, join) = (b.new_block(), b.new_block(), b.new_block());
                b.branch(cond, then_bb, else_bb);
                b.switch_to(then_bb);
                self.scope(yes);
                let b = self.builder();
                b.jump(join);
                b.switch_to(else_bb);
                self.scope(no);
                let b = self.builder();
                b.jump(join);
                b.switch_to(join);
            }
        }
    }

    /// Runs `body` in its own scope with 0, 1, … `count - 1`; `count` must not change meanwhile.
    fn repeat(&mut self, count: Val, body: &mut dyn FnMut(&mut Self, Val)) {
        match constant(count) {
            Some(n) if n <= 0 => return,
            Some(1) => return self.scope(|this| body(this, Val::i64(0))),
            _ => {}
        }
        let b = self.builder();
        let i = b.mutable(Ty::I64);
        b.set(i, Val::i64(0));
        let (head, done) = (b.new_block(), b.new_block());
        let enters = b.icmp(CmpOp::Gt, count, Val::i64(0));
        match enters {
            Val::Imm(_) => b.jump(head),
            Val::Reg(_) => b.branch(enters, head, done),
        }
        b.switch_to(head);
        self.scope(|this| body(this, i.into()));
        let b = self.builder();
        let next = b.bin(BinOp::Add, Ty::I64, i, Val::i64(1));
        b.set_directly(i, next.into());
        let more = b.icmp(CmpOp::Lt, i.into(), count);
        b.back_edge();
        b.branch(more, head, done);
        b.switch_to(done);
    }

    /// Runs `body` for all positions of an array of these extents, the first index fastest.
    fn nest(&mut self, extents: &[Val], body: &mut dyn FnMut(&mut Self, &[Val])) {
        let mut index = vec![Val::i64(0); extents.len()];
        nest_level(self, extents, extents.len(), &mut index, body);
    }

    /// Runs `body` for all positions of arrays of one shape: one loop if the elements of all follow each other, else a nest.
    /// The flag says which, for [`Builder::element_pos`].
    fn each_position(&mut self, extents: &[Val], arrays: &[&ArrayView], body: &mut dyn FnMut(&mut Self, &[Val], bool)) {
        let linear = arrays.iter().all(|t| t.is_contiguous() && !t.gathers());
        let extents = if linear { vec![self.builder().product(extents)] } else { extents.to_vec() };
        self.nest(&extents, &mut |this, index| body(this, index, linear));
    }
}

fn nest_level<'m, 'p: 'm, F: Flow<'m, 'p>>(
    this: &mut F,
    extents: &[Val],
    dim: usize,
    index: &mut Vec<Val>,
    body: &mut dyn FnMut(&mut F, &[Val]),
) {
    if dim == 0 {
        body(this, index);
        return;
    }
    this.repeat(extents[dim - 1], &mut |this, i| {
        index[dim - 1] = i;
        nest_level(this, extents, dim - 1, index, body);
    });
}

impl<'m, 'p: 'm> Flow<'m, 'p> for Builder<'m, 'p> {
    fn builder(&mut self) -> &mut Builder<'m, 'p> {
        self
    }
}
