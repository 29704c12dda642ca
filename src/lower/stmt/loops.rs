//! DO loops.
//!
//! The number of iterations is computed once (Fortran 2018, 11.1.7.4). With a step of 1 or −1 it is not needed: after the
//! test that enters the loop, `last − first` iterations remain after the first one, as an unsigned number of the variable's
//! type, which cannot overflow. Any other step computes the count as an `i64`. The test is at the end of the loop. After the
//! loop the variable has the value that the standard requires.
//!
//! Not here: loops over array elements (`builder::flow`).

use crate::analysis::expressions::has_final_results;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::targets::JumpTarget;
use crate::types::{imm, ir_ty, real_imm};
use crate::value::Value;
use crate::value::lvalue::Lvalue;
use ir::op::{BinOp, CmpOp};
use ir::{Bb, Trap, Ty, Val};
use sema::checked::{Expr, LoopControl, LoopId, Stmt, StmtKind, Type, VarId};
use source::Span;

/// A FORALL or DO CONCURRENT index: variable, first, last, step.
pub(crate) type Index = (VarId, Expr, Expr, Option<Expr>);

/// Bounds of a counted loop, of the variable's register type.
pub(crate) struct CountedLoop {
    pub(crate) place: Lvalue,
    pub(crate) ty: Ty,
    pub(crate) first: Val,
    pub(crate) last: Val,
    pub(crate) step: Val,
    /// The loop's statement, where the debugger stops before each further test.
    pub(crate) span: Option<Span>,
}

impl<'p> FunctionLowering<'_, 'p> {
    pub(crate) fn loop_construct(
        &mut self,
        id: LoopId,
        control: &'p LoopControl,
        body: &'p [Stmt],
        span: Span,
        end: Span,
    ) {
        let (exit, cycle) = (self.b.new_block(), self.b.new_block());
        self.targets.enter(JumpTarget { id, exit, cycle: Some(cycle), outside: self.what_is_open() });
        match control {
            LoopControl::Forever => {
                let head = self.b.new_block();
                self.b.jump(head);
                self.b.switch_to(head);
                self.round(body);
                self.b.jump(cycle);
                self.b.switch_to(cycle);
                self.b.set_span(end);
                self.b.back_edge();
                self.b.jump(head);
            }
            LoopControl::While(cond) => {
                let (head, inside) = (self.b.new_block(), self.b.new_block());
                self.b.jump(head);
                self.b.switch_to(head);
                if has_final_results(self.b.program(), cond) {
                    // Each round has results of its own, which end before it begins.
                    let goes_on = self.as_statement(|this| {
                        let goes_on = this.pred(cond);
                        this.b.freeze(goes_on)
                    });
                    self.b.branch(goes_on, inside, exit);
                } else {
                    self.branch_on(cond, inside, exit);
                }
                self.b.switch_to(inside);
                self.round(body);
                self.b.jump(cycle);
                self.b.switch_to(cycle);
                self.b.mark(span);
                self.b.back_edge();
                self.b.jump(head);
            }
            LoopControl::Count { var, first, last, step } => {
                let counted = self.counted(var, first, last, step.as_ref(), span);
                self.counted_loop(&counted, cycle, exit, &mut |this| this.round(body));
            }
            LoopControl::Concurrent { vars, mask } => {
                self.concurrent(vars, mask.as_ref(), body, span, cycle);
                self.b.jump(exit);
            }
        }
        self.targets.leave();
        self.b.switch_to(exit);
    }

    /// One round of a loop. Signals come between statements, so that a round without any has a place for them.
    fn round(&mut self, body: &'p [Stmt]) {
        self.statements(body);
        if body.iter().all(|s| matches!(s.kind, StmtKind::Nothing)) {
            self.handle_signals();
        }
    }

    fn counted(
        &mut self,
        var: &'p Expr,
        first: &'p Expr,
        last: &'p Expr,
        step: Option<&'p Expr>,
        span: Span,
    ) -> CountedLoop {
        let place = self.lvalue(var);
        let ty = ir_ty(&var.ty);
        let first = self.loop_value(first, ty);
        let last = self.loop_value(last, ty);
        let step = step.map_or(one(ty), |e| self.loop_value(e, ty));
        CountedLoop { place, ty, first, last, step, span: Some(span) }
    }

    /// A bound of a loop, as it is before the loop.
    pub(crate) fn loop_value(&mut self, e: &'p Expr, ty: Ty) -> Val {
        let v = self.scalar(e);
        let v = self.b.cast(v, ir_ty(&e.ty), ty);
        self.b.freeze(v)
    }

    /// A counted loop; `cycle` is where CYCLE goes and `exit` where EXIT does. The current block afterwards is not `exit`,
    /// but has a jump to it.
    pub(crate) fn counted_loop(&mut self, c: &CountedLoop, cycle: Bb, exit: Bb, body: &mut dyn FnMut(&mut Self)) {
        let ty = c.ty;
        let real = matches!(ty, Ty::F32 | Ty::F64);
        let variable = if real { Type::Real(ty.bytes() as u8) } else { integer_type(ty) };
        let step = match c.step {
            Val::Imm(bits) if !real => Some(scalar::bits::signed(ty, bits)),
            _ => None,
        };
        let value = Value::Scalar(c.first);
        self.b.store_value(c.place, &variable, &value);
        let (left, left_ty, enters) = match step {
            Some(1) => (bin_of(&mut self.b, ty, c.last, c.first), ty, less_or_equal(&mut self.b, ty, c.first, c.last)),
            Some(-1) => (bin_of(&mut self.b, ty, c.first, c.last), ty, less_or_equal(&mut self.b, ty, c.last, c.first)),
            _ if real => {
                let zero: Val = self.b.cmp(CmpOp::Eq, ty, c.step, real_imm(ty, 0.0)).into();
                self.when(zero, |this| this.b.trap_here(Trap::ZeroStep));
                // The number of iterations is int((last - first + step) / step).
                let distance: Val = self.b.bin(BinOp::Sub, ty, c.last, c.first).into();
                let beyond: Val = self.b.bin(BinOp::Add, ty, distance, c.step).into();
                let steps: Val = self.b.bin(BinOp::Div, ty, beyond, c.step).into();
                let count = self.b.cast(steps, ty, Ty::I64);
                (self.b.iadd(count, Val::i64(-1)), Ty::I64, self.b.icmp(CmpOp::Gt, count, Val::i64(0)))
            }
            _ => {
                let (first, last) = (self.b.widen(c.first, ty), self.b.widen(c.last, ty));
                let by = self.b.widen(c.step, ty);
                let zero = self.b.icmp(CmpOp::Eq, by, Val::i64(0));
                self.when(zero, |this| this.b.trap_here(Trap::ZeroStep));
                if ty == Ty::I64 {
                    let (left, enters) = self.b.rounds_after_first(first, last, by);
                    (left, ty, enters)
                } else {
                    let count = self.b.count(first, last, by);
                    let after_first = self.b.iadd(count, Val::i64(-1));
                    (after_first, Ty::I64, self.b.icmp(CmpOp::Gt, count, Val::i64(0)))
                }
            }
        };
        let remaining = self.b.mutable(left_ty);
        self.b.set(remaining, left);
        let head = self.b.new_block();
        match enters {
            Val::Imm(bits) => self.b.jump(if bits & 1 == 1 { head } else { exit }),
            Val::Reg(_) => self.b.branch(enters, head, exit),
        }
        self.b.switch_to(head);
        self.scope(|this| body(this));
        self.b.jump(cycle);
        self.b.switch_to(cycle);
        if let Some(span) = c.span {
            self.b.mark(span);
        }
        let old = self.b.load_value(c.place, &variable);
        let old = self.b.as_scalar(&old, &variable);
        let new = self.b.bin(BinOp::Add, ty, old, c.step);
        match c.place {
            Lvalue::Reg(reg) => self.b.set_directly(reg, new.into()),
            place => self.b.store_value(place, &variable, &Value::Scalar(new.into())),
        }
        let more = self.b.cmp(CmpOp::Ne, left_ty, remaining, Val::Imm(0));
        let next = self.b.bin(BinOp::Sub, left_ty, remaining, imm(left_ty, 1));
        self.b.set_directly(remaining, next.into());
        self.b.back_edge();
        self.b.branch(more, head, exit);
    }

    /// A loop that nothing leaves early, over a variable that has storage.
    pub(crate) fn simple_loop(&mut self, c: &CountedLoop, body: &mut dyn FnMut(&mut Self)) {
        let (cycle, exit) = (self.b.new_block(), self.b.new_block());
        self.counted_loop(c, cycle, exit, body);
        self.b.switch_to(exit);
    }

    /// The loop of an implied DO, FORALL or DO CONCURRENT index.
    pub(crate) fn index_loop(
        &mut self,
        v: VarId,
        first: &'p Expr,
        last: &'p Expr,
        step: Option<&'p Expr>,
    ) -> CountedLoop {
        let ty = ir_ty(&self.b.program().var(v).ty);
        let first = self.loop_value(first, ty);
        let last = self.loop_value(last, ty);
        let step = step.map_or(one(ty), |e| self.loop_value(e, ty));
        let place = self.index_lvalue(v);
        CountedLoop { place, ty, first, last, step, span: None }
    }

    /// The place of an index variable, which has its own scope.
    pub(crate) fn index_lvalue(&mut self, v: VarId) -> Lvalue {
        if let Some(place) = self.variable_lvalue(v) {
            return place;
        }
        self.scalar_local(v);
        self.variable_lvalue(v).unwrap_or_else(|| Lvalue::Reg(self.b.mutable(Ty::I32)))
    }

    /// Runs `body` for all values of the indices, the last one fastest.
    pub(crate) fn index_nest(&mut self, vars: &'p [Index], span: Option<Span>, body: &mut dyn FnMut(&mut Self)) {
        let loops: Vec<CountedLoop> = vars
            .iter()
            .map(|(v, first, last, step)| CountedLoop { span, ..self.index_loop(*v, first, last, step.as_ref()) })
            .collect();
        self.nested(&loops, body);
    }

    fn nested(&mut self, loops: &[CountedLoop], body: &mut dyn FnMut(&mut Self)) {
        match loops.split_first() {
            None => body(self),
            Some((outer, rest)) => self.simple_loop(outer, &mut |this| this.nested(rest, body)),
        }
    }

    /// DO CONCURRENT, in the order of nested loops; CYCLE ends the innermost iteration.
    fn concurrent(&mut self, vars: &'p [Index], mask: Option<&'p Expr>, body: &'p [Stmt], span: Span, cycle: Bb) {
        self.index_nest(vars, Some(span), &mut |this| {
            if let Some(mask) = mask {
                let inside = this.b.new_block();
                this.branch_on(mask, inside, cycle);
                this.b.switch_to(inside);
            }
            this.statements(body);
            this.b.jump(cycle);
            this.b.switch_to(cycle);
        });
    }
}

/// One, of an integer or real type.
fn one(ty: Ty) -> Val {
    if matches!(ty, Ty::F32 | Ty::F64) { real_imm(ty, 1.0) } else { imm(ty, 1) }
}

/// Some Fortran integer type with that register type.
fn integer_type(ty: Ty) -> Type {
    Type::Integer(ty.bytes() as u8)
}

/// `a - b`
fn bin_of(builder: &mut Builder<'_, '_>, ty: Ty, a: Val, b: Val) -> Val {
    match (a, b) {
        (Val::Imm(x), Val::Imm(y)) => Val::Imm(scalar::bits::sub(ty, x, y)),
        _ => builder.bin(BinOp::Sub, ty, a, b).into(),
    }
}

fn less_or_equal(builder: &mut Builder<'_, '_>, ty: Ty, a: Val, b: Val) -> Val {
    match (a, b) {
        (Val::Imm(x), Val::Imm(y)) => Val::pred(scalar::bits::signed(ty, x) <= scalar::bits::signed(ty, y)),
        _ => builder.cmp(CmpOp::Le, ty, a, b).into(),
    }
}
