//! Statements and control flow: IF, SELECT, GOTO, EXIT, CYCLE, RETURN, STOP, BLOCK.
//!
//! Each executable statement begins with a `stmt` instruction at its span, where the debugger stops. So do each further
//! condition of an IF and each further test of a loop.
//!
//! Not here: loops (`loops`), assignment (`assign`), input and output (`io`).

pub(crate) mod allocate;
pub(crate) mod loops;

use crate::builder::Builder;
use crate::builder::character::comparison;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::targets::{JumpTarget, Open};
use crate::types::{Side, imm, ir_ty};
use crate::value::Value;
use crate::value::arguments::{Captures, Passed};
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Bb, Trap, Ty, Val};
use sema::checked::{
    CaseRange, CmpOp as Relation, Const, Expr, ExprKind, LoopId, ProcBody, Stmt, StmtKind, Type, VarId, visit,
};
use source::Span;
use std::collections::BTreeSet;

type Arm<K> = (Option<K>, Vec<Stmt>, Span);

impl Builder<'_, '_> {
    /// Ends the program (on the device, the thread).
    pub(crate) fn end_program(&mut self, error: Val, code: Val, addr: Val, len: Val) {
        self.rt(Rt::Stop, vec![error, code, addr, len]);
        match self.side() {
            Side::Device => self.exit(),
            Side::Host => self.trap(Trap::Unreachable),
        }
        let dead = self.new_block();
        self.switch_to(dead);
    }

    /// Ends the program with an error message of the run time.
    pub(crate) fn fail(&mut self, message: &str) {
        let (addr, len) = self.name_text(message);
        self.end_program(Val::i32(1), imm(Ty::I32, 1), addr, len);
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Statements one after another.
    pub(crate) fn statements(&mut self, block: &'p [Stmt]) {
        for s in block {
            self.statement(s);
        }
    }

    fn statement(&mut self, s: &'p Stmt) {
        if let Some(label) = s.label {
            let bb = self.label(label);
            self.b.jump(bb);
            self.b.switch_to(bb);
        }
        let silent = match &s.kind {
            StmtKind::Block { vars, .. } => vars.is_empty(),
            StmtKind::Nothing => s.label.is_none(),
            _ => false,
        };
        if silent {
            self.b.set_span(s.span);
        } else {
            self.b.mark(s.span);
            self.handle_signals();
        }
        self.targets.begin(s, self.what_is_open());
        self.as_statement(|this| this.statement_kind(s));
        self.targets.end();
    }

    /// What `f` makes is a statement: the results of functions to which it refers are finalised behind it (Fortran 2018, 7.5.6.3).
    pub(crate) fn as_statement<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.b.begin_statement();
        let result = self.scope(f);
        self.b.end_statement(outer);
        result
    }

    /// Calls the procedures of signals that have come, if the program catches any.
    pub(super) fn handle_signals(&mut self) {
        let handles = self.b.usage().handles_signals.filter(|_| self.b.is_host() && !self.b.is_embedded());
        if let Some(proc) = handles {
            self.b.call_plain(proc, &[], &Passed::default(), &Captures::default(), &[]);
        }
    }

    fn statement_kind(&mut self, s: &'p Stmt) {
        match &s.kind {
            StmtKind::Assign { target, value } => self.assign(target, value),
            StmtKind::PointerAssign { target, bounds, value } => self.pointer_assign(target, bounds, value),
            StmtKind::Call { proc, args } => self.call_subroutine(*proc, args),
            StmtKind::Intrinsic { id, args } => self.intrinsic_subroutine(*id, args.into()),
            StmtKind::Launch { proc, config, args } => self.launch(*proc, config, args),
            StmtKind::If(arms) => self.if_construct(arms),
            StmtKind::Loop { id, control, body, end } => self.loop_construct(*id, control, body, s.span, *end),
            StmtKind::Select { id, value, arms } => self.select_case(*id, value, arms),
            StmtKind::SelectRank { id, object, arms } => self.select_rank(*id, *object, arms),
            StmtKind::Where(arms) => self.where_construct(arms),
            StmtKind::Forall { vars, mask, body } => self.forall(vars, mask.as_ref(), body),
            StmtKind::Block { id, vars, body } => self.block(*id, vars, body),
            StmtKind::Cuf(cuf) => self.cuf_kernel(cuf, s.span),
            StmtKind::Exit(id) => self.leave_construct(*id, false),
            StmtKind::Cycle(id) => self.leave_construct(*id, true),
            StmtKind::Goto(label) => self.goto(*label),
            StmtKind::ComputedGoto(labels, e) => self.computed_goto(labels, e),
            StmtKind::ArithmeticIf(e, labels) => self.arithmetic_if(e, *labels),
            StmtKind::Nothing => {}
            StmtKind::Return => {
                let outside = self.targets.statements().first().map_or(self.what_is_open(), |(_, open)| *open);
                self.leave_to(outside);
                let end = self.b.return_block();
                self.b.jump(end);
            }
            StmtKind::Stop { error, code, quiet } => self.stop(*error, code.as_ref(), quiet.as_ref()),
            StmtKind::Allocate { objects, source, stat, errmsg, pinned, align, .. } => {
                let (stat, errmsg, pinned) = (stat.as_ref(), errmsg.as_ref(), pinned.as_ref());
                self.allocate(objects, source.as_ref(), stat, errmsg, pinned, align.as_ref());
            }
            StmtKind::Deallocate { objects, stat, errmsg } => {
                self.deallocate(objects, stat.as_ref(), errmsg.as_ref());
            }
            StmtKind::Nullify(objects) => {
                for e in objects {
                    match self.descriptor(e) {
                        Some(d) => self.b.desc_clear(&d),
                        None => {
                            let place = self.lvalue(e);
                            self.b.store_value(place, &e.ty, &crate::value::Value::Scalar(Val::i64(0)));
                        }
                    }
                }
            }
            StmtKind::Io(io) => self.io(io),
            StmtKind::Unsupported(what) => self.b.unsupported(what),
        }
    }

    fn if_construct(&mut self, arms: &'p [Arm<Expr>]) {
        let done = self.b.new_block();
        for (i, (cond, block, span)) in arms.iter().enumerate() {
            let Some(cond) = cond else {
                self.statements(block);
                break;
            };
            if i > 0 {
                self.b.mark(*span);
            }
            let (yes, no) = (self.b.new_block(), self.b.new_block());
            self.branch_on(cond, yes, no);
            self.b.switch_to(yes);
            self.statements(block);
            self.b.jump(done);
            self.b.switch_to(no);
        }
        self.b.jump(done);
        self.b.switch_to(done);
    }

    fn select_case(&mut self, id: LoopId, selector: &'p Expr, arms: &'p [Arm<Vec<CaseRange>>]) {
        let value = self.value(selector);
        let value = match value {
            // The selector may be a variable that a block changes; only the tests use it, and they come first.
            Value::Char(..) => value,
            other => self.b.freeze_value(other),
        };
        let done = self.b.new_block();
        let blocks: Vec<Bb> = arms.iter().map(|_| self.b.new_block()).collect();
        let default = arms.iter().position(|a| a.0.is_none()).and_then(|i| blocks.get(i).copied()).unwrap_or(done);
        if let Some(table) = case_table(arms, &blocks) {
            let v = self.b.as_scalar(&value, &selector.ty);
            self.b.switch(ir_ty(&selector.ty), v, table, default);
        } else {
            for ((ranges, ..), &bb) in arms.iter().zip(&blocks) {
                for range in ranges.iter().flatten() {
                    let hit = self.case_matches(&value, &selector.ty, range);
                    let next = self.b.new_block();
                    self.b.branch(hit, bb, next);
                    self.b.switch_to(next);
                }
            }
            self.b.jump(default);
        }
        self.targets.enter(JumpTarget { id, exit: done, cycle: None, outside: self.what_is_open() });
        for ((_, block, _), &bb) in arms.iter().zip(&blocks) {
            self.b.switch_to(bb);
            self.statements(block);
            self.b.jump(done);
        }
        self.targets.leave();
        self.b.switch_to(done);
    }

    fn case_matches(&mut self, value: &Value, ty: &Type, range: &'p CaseRange) -> Val {
        match range {
            CaseRange::Value(e) => self.case_compare(Relation::Eq, value, ty, e),
            CaseRange::Range(lo, hi) => {
                let mut all = Val::pred(true);
                if let Some(lo) = lo {
                    all = self.case_compare(Relation::Ge, value, ty, lo);
                }
                if let Some(hi) = hi {
                    let below = self.case_compare(Relation::Le, value, ty, hi);
                    all = self.b.combine(BinOp::And, all, below);
                }
                all
            }
        }
    }

    fn case_compare(&mut self, op: Relation, value: &Value, ty: &Type, e: &'p Expr) -> Val {
        let other = self.value(e);
        match ty {
            Type::Character(_) => self.b.compare_characters(op, value, &other),
            Type::Logical(_) => {
                let (a, b) = (self.b.as_pred(value, ty), self.b.as_pred(&other, &e.ty));
                let differ: Val = self.b.bin(BinOp::Xor, Ty::Pred, a, b).into();
                self.b.negate(differ)
            }
            _ => {
                let (a, b) = (self.b.as_scalar(value, ty), self.b.as_scalar(&other, &e.ty));
                self.b.cmp(comparison(op), ir_ty(ty), a, b).into()
            }
        }
    }

    fn block(&mut self, id: LoopId, vars: &'p [VarId], body: &'p [Stmt]) {
        let done = self.b.new_block();
        self.targets.enter(JumpTarget { id, exit: done, cycle: None, outside: self.what_is_open() });
        self.blocks.open(self.b.open_scopes());
        for v in vars {
            // A BLOCK in a loop creates its variables again; its code is made once.
            self.storage.take(*v);
            self.come_to_life(*v);
            self.describe(*v);
        }
        self.statements(body);
        let depth = self.blocks.depth() - 1;
        self.leave_block(depth);
        self.blocks.close();
        self.targets.leave();
        self.b.jump(done);
        self.b.switch_to(done);
    }

    fn leave_construct(&mut self, id: LoopId, cycle: bool) {
        let Some(target) = self.targets.find(id) else {
            return self.b.unsupported("a jump out of this construct");
        };
        self.leave_to(target.outside);
        let to = if cycle { target.cycle.unwrap_or(target.exit) } else { target.exit };
        self.b.jump(to);
    }

    /// The block of a label.
    pub(crate) fn label(&mut self, label: u32) -> Bb {
        self.targets.label(&mut self.b, label)
    }

    /// Goes to a label, out of the constructs around that do not hold it.
    pub(crate) fn goto(&mut self, label: u32) {
        let outside = self.open_at_label(label);
        self.leave_to(outside);
        let bb = self.label(label);
        self.b.jump(bb);
    }

    /// The block from which control comes to a label.
    fn way_to(&mut self, label: u32) -> Bb {
        let outside = self.open_at_label(label);
        if self.leaves_nothing(outside) {
            return self.label(label);
        }
        let (here, way) = (self.b.current(), self.b.new_block());
        self.b.switch_to(way);
        self.goto(label);
        self.b.switch_to(here);
        way
    }

    /// What is open at the statement with that label, of what is open here.
    fn open_at_label(&self, label: u32) -> Open {
        let around = self.targets.statements();
        let mut path = Vec::new();
        if let ProcBody::Statements(body) = &self.b.program().proc(self.b.procedure()).body {
            find_label(body, label, &mut path);
        }
        // The statements of a CUF kernel begin with those of its loop's body.
        let first = path.iter().position(|s| around.first().is_some_and(|(open, _)| std::ptr::eq(*s, *open)));
        let path = &path[first.unwrap_or(path.len())..];
        let common = path.iter().zip(around).take_while(|(s, (open, _))| std::ptr::eq(**s, *open)).count();
        around.get(common).map_or(self.what_is_open(), |(_, open)| *open)
    }

    fn computed_goto(&mut self, labels: &[u32], e: &'p Expr) {
        let v = self.scalar(e);
        let next = self.b.new_block();
        let mut arms = Vec::new();
        for (i, &label) in labels.iter().enumerate() {
            let bb = self.way_to(label);
            arms.push((i as i64 + 1, bb));
        }
        self.b.switch(ir_ty(&e.ty), v, arms, next);
        self.b.switch_to(next);
    }

    fn arithmetic_if(&mut self, e: &'p Expr, labels: [u32; 3]) {
        let v = self.scalar(e);
        let ty = ir_ty(&e.ty);
        let zero = Val::Imm(0);
        let [less, equal, greater] = labels.map(|l| self.way_to(l));
        let negative = self.b.cmp(CmpOp::Lt, ty, v, zero);
        let next = self.b.new_block();
        self.b.branch(negative, less, next);
        self.b.switch_to(next);
        let is_zero = self.b.cmp(CmpOp::Eq, ty, v, zero);
        self.b.branch(is_zero, equal, greater);
    }

    fn stop(&mut self, error: bool, code: Option<&'p Expr>, quiet: Option<&'p Expr>) {
        let kind = i32::from(error);
        let flag = match quiet.filter(|_| self.b.side() == Side::Host) {
            None => Val::i32(kind),
            Some(e) => {
                let quiet = self.pred(e);
                self.b.select(Ty::I32, quiet, Val::i32(kind + 2), Val::i32(kind)).into()
            }
        };
        let (number, addr, len) = match code {
            None => (Val::i32(i32::from(error)), Val::i64(0), Val::i64(0)),
            Some(e) => match &e.ty {
                Type::Character(_) => {
                    let text = self.value(e);
                    let (mem, len) = self.b.as_char(&text);
                    (Val::i32(i32::from(error)), self.b.address(mem), len)
                }
                _ => (self.int32(e), Val::i64(0), Val::i64(0)),
            },
        };
        self.b.end_program(flag, number, addr, len);
    }
}

/// The arms of a `switch`, if all cases are single integers.
fn case_table(arms: &[Arm<Vec<CaseRange>>], blocks: &[Bb]) -> Option<Vec<(i64, Bb)>> {
    let mut table = Vec::new();
    let mut seen = BTreeSet::new();
    for ((ranges, ..), &bb) in arms.iter().zip(blocks) {
        for range in ranges.iter().flatten() {
            match range {
                CaseRange::Value(Expr { kind: ExprKind::Const(Const::Int(n)), .. }) => {
                    if seen.insert(*n) {
                        table.push((*n, bb));
                    }
                }
                _ => return None,
            }
        }
    }
    Some(table)
}

/// The statements around a label, outermost first, without the one that has it.
fn find_label<'p>(block: &'p [Stmt], label: u32, path: &mut Vec<&'p Stmt>) -> bool {
    block.iter().any(|s| {
        if s.label == Some(label) {
            return true;
        }
        path.push(s);
        let mut found = false;
        visit::blocks(s, &mut |b| found = found || find_label(b, label, path));
        if !found {
            path.pop();
        }
        found
    })
}
