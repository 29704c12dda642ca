//! Dummy arguments that only their use shows to be procedures: `call f(…)` and `f(x)` of a dummy without a shape, as programs
//! older than EXTERNAL in every habit write it.

use ast::{Arg, ArgValue, ArrayItem, Block, DoControl, Expr, ExprKind, IoItem, Stmt, StmtKind};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The names that statements call or apply, of those wanted.
pub(super) fn applied_names(body: &Block, wanted: &BTreeSet<Arc<str>>) -> BTreeSet<Arc<str>> {
    let mut scan = Scan { wanted, found: BTreeSet::new() };
    if !wanted.is_empty() {
        scan.block(body);
    }
    scan.found
}

struct Scan<'w> {
    wanted: &'w BTreeSet<Arc<str>>,
    found: BTreeSet<Arc<str>>,
}

impl Scan<'_> {
    fn note(&mut self, e: &Expr) {
        if let ExprKind::Name(name) = &e.kind
            && self.wanted.contains(&name.text)
        {
            self.found.insert(name.text.clone());
        }
    }

    fn block(&mut self, body: &Block) {
        for s in body {
            self.stmt(s);
        }
    }

    fn some(&mut self, e: Option<&Expr>) {
        if let Some(e) = e {
            self.expr(e);
        }
    }

    fn args(&mut self, args: &[Arg]) {
        for arg in args {
            match &arg.value {
                ArgValue::Expr(e) => self.expr(e),
                ArgValue::Range { lo, hi, step } => {
                    for e in [lo, hi, step].into_iter().flatten() {
                        self.expr(e);
                    }
                }
                ArgValue::AltReturn(_) => {}
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Apply { base, args } => {
                // A range would make it a substring.
                if args.iter().all(|a| matches!(a.value, ArgValue::Expr(_))) {
                    self.note(base);
                }
                self.expr(base);
                self.args(args);
            }
            ExprKind::Member { base, .. } => self.expr(base),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Array { items, .. } => self.items(items),
            _ => {}
        }
    }

    fn items(&mut self, items: &[ArrayItem]) {
        for item in items {
            match item {
                ArrayItem::Expr(e) => self.expr(e),
                ArrayItem::Do(d) => {
                    self.expr(&d.first);
                    self.expr(&d.last);
                    self.items(&d.items);
                }
                ArrayItem::Range(r) => {
                    self.expr(&r.first);
                    self.expr(&r.last);
                    r.step.iter().for_each(|step| self.expr(step));
                }
            }
        }
    }

    fn io_items(&mut self, items: &[IoItem]) {
        for item in items {
            match item {
                IoItem::Expr(e) => self.expr(e),
                IoItem::Do(d) => self.io_items(&d.items),
            }
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Assign { target, value } | StmtKind::PointerAssign { target, value } => {
                // The target is no reference, its subscripts are.
                if let ExprKind::Apply { args, .. } = &target.kind {
                    self.args(args);
                }
                self.expr(value);
            }
            StmtKind::Call { callee, args, .. } => {
                self.note(callee);
                self.args(args);
            }
            StmtKind::If { arms, .. } => {
                for arm in arms {
                    self.some(arm.condition.as_ref());
                    self.block(&arm.body);
                }
            }
            StmtKind::ArithmeticIf { value, .. } | StmtKind::ComputedGoto(_, value) => self.expr(value),
            StmtKind::Do { control, body, .. } => {
                match control {
                    DoControl::While(e) => self.expr(e),
                    DoControl::Count { first, last, step, .. } => {
                        self.expr(first);
                        self.expr(last);
                        self.some(step.as_ref());
                    }
                    DoControl::Concurrent { header, .. } => self.some(header.mask.as_ref()),
                    DoControl::Forever => {}
                }
                self.block(body);
            }
            StmtKind::Select { value, arms, .. } => {
                self.expr(value);
                for arm in arms {
                    self.block(&arm.body);
                }
            }
            StmtKind::SelectRank { arms, .. } => {
                for arm in arms {
                    self.block(&arm.body);
                }
            }
            StmtKind::SelectType { value, arms, .. } => {
                self.expr(value);
                for (_, body, _) in arms {
                    self.block(body);
                }
            }
            StmtKind::Where { arms, .. } => {
                for arm in arms {
                    self.some(arm.mask.as_ref());
                    self.block(&arm.body);
                }
            }
            StmtKind::Forall { body, .. } | StmtKind::Block { body, .. } | StmtKind::Associate { body, .. } => {
                self.block(body);
            }
            StmtKind::Cuf(kernel) => {
                if let Some(body) = &kernel.body {
                    self.stmt(body);
                }
            }
            StmtKind::Stop { code, quiet, .. } => {
                self.some(code.as_ref());
                self.some(quiet.as_ref());
            }
            StmtKind::Pause { code, .. } => self.some(code.as_ref()),
            StmtKind::Io { items, .. } => self.io_items(items),
            _ => {}
        }
    }
}
