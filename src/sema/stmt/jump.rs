//! Labels as values: ASSIGN, assigned GO TO, formats that an integer names; and the places where ENTRY statements begin.
//!
//! An integer that ASSIGN defines holds the number of the label (FORTRAN 77, 10.3). Which labels it can hold is known: those
//! of the list after GO TO, or all that the procedure assigns.

use super::body::alternate_set;
use crate::checked::{CaseRange, CharLen, Const, Expr, ExprKind, Intrinsic, Stmt, StmtKind, Type};
use crate::checker::{Checker, CodeSide, ConstructKind};
use crate::typing::{constant, shape_name};
use ast::Name;
use diag::Code;
use source::Span;

/// The first label of ENTRY statements: those of programs have at most five digits.
const FIRST_ENTRY: u32 = 100_000;

impl<'a> Checker<'a> {
    /// `assign 10 to i`
    pub(super) fn label_assignment(&mut self, label: u32, name: &'a Name, span: Span) -> Option<StmtKind> {
        let target = self.label_variable(name)?;
        self.typing().check_assigned(&target)?;
        let is_format = self.cx.proc.is_some_and(|p| self.defs.proc_info(p).formats.contains_key(&label));
        if !is_format {
            self.typing().check_label(label, span)?;
        }
        let value = constant(Const::Int(i64::from(label)), target.ty.clone(), span);
        Some(StmtKind::Assign { target, value })
    }

    /// `go to i` and `go to i, (10, 20)`
    pub(super) fn assigned_goto(&mut self, name: &'a Name, labels: &[u32], span: Span) -> Option<StmtKind> {
        let value = self.label_variable(name)?;
        let mut labels = labels.to_vec();
        for label in &labels {
            self.typing().check_label(*label, span)?;
        }
        if labels.is_empty() {
            labels = self.assigned_labels(|c, p, label| c.defs.proc_info(p).labels.contains(&label));
        }
        let mut arms = Vec::with_capacity(labels.len() + 1);
        labels.sort_unstable();
        labels.dedup();
        for label in labels {
            let case = constant(Const::Int(i64::from(label)), value.ty.clone(), span);
            let jump = Stmt { label: None, kind: StmtKind::Goto(label), span };
            arms.push((Some(vec![CaseRange::Value(case)]), vec![jump], span));
        }
        let text: &[u8] = b"the variable of an assigned `go to` holds none of its labels";
        let text = constant(Const::Char(text.into()), Type::Character(CharLen::Const(text.len() as i64)), span);
        let stop = Stmt { label: None, kind: StmtKind::Stop { error: true, code: Some(text), quiet: None }, span };
        arms.push((None, vec![stop], span));
        Some(self.inside(None, ConstructKind::Other, |_, id| StmtKind::Select { id, value, arms }))
    }

    /// The format whose label an integer variable holds: one of those that the procedure assigns.
    pub(super) fn assigned_format(&mut self, value: Expr) -> Option<Expr> {
        let span = value.span;
        let labels = self.assigned_labels(|c, p, label| c.defs.proc_info(p).formats.contains_key(&label));
        let mut texts = Vec::with_capacity(labels.len());
        for label in labels {
            let text = self.cx.proc.and_then(|p| self.defs.proc_info(p).formats.get(&label).cloned());
            let bytes = self.options.characters(&text?);
            texts.push((label, bytes));
        }
        let longest = texts.iter().map(|(_, text)| text.len()).max().unwrap_or(0);
        let ty = Type::Character(CharLen::Const(longest as i64));
        let mut chosen: Option<Expr> = None;
        for (label, bytes) in texts {
            let padded = bytes.iter().copied().chain(std::iter::repeat(b' ')).take(longest).collect();
            let text = constant(Const::Char(padded), ty.clone(), span);
            chosen = Some(match chosen {
                None => text,
                Some(other) => {
                    let label = constant(Const::Int(i64::from(label)), value.ty.clone(), span);
                    let is_it = self.operation(&ast::BinaryOp::Eq, value.clone(), label, span)?;
                    let is_it = self.typing().convert(is_it, &Type::Logical(4))?;
                    let args = vec![Some(text), Some(other), Some(is_it)];
                    Expr { kind: ExprKind::Intrinsic { id: Intrinsic::Merge, args }, ty: ty.clone(), rank: 0, span }
                }
            });
        }
        match chosen {
            Some(format) => Some(format),
            None => {
                let text = "a format is an integer, to which the procedure assigns no label of a `format`";
                self.reporter.error(Code::BadIoSpecifier, span, text)
            }
        }
    }

    /// The labels that the procedure assigns to variables and that fulfil a condition.
    fn assigned_labels(&self, fits: impl Fn(&Self, crate::checked::ProcId, u32) -> bool) -> Vec<u32> {
        let Some(proc) = self.cx.proc else { return Vec::new() };
        self.defs.proc_info(proc).assigned.iter().copied().filter(|&label| fits(self, proc, label)).collect()
    }

    fn label_variable(&mut self, name: &'a Name) -> Option<Expr> {
        let e = ast::Expr { kind: ast::ExprKind::Name(name.clone()), span: name.span };
        let value = self.designator(&e)?;
        if !matches!(value.ty, Type::Integer(_)) || value.rank != 0 {
            let what = shape_name(&self.defs, &value.ty, value.rank);
            let text = format!("a variable that holds a label must be an integer scalar, not {what}");
            return self.reporter.error(Code::TypeMismatch, name.span, text);
        }
        Some(value)
    }

    /// Where an ENTRY statement stands, execution of its procedure begins: the place gets a label.
    pub(super) fn entry_point(&mut self, name: &Name, span: Span, out: &mut Vec<Stmt>) {
        if self.cx.side != CodeSide::Host {
            self.reporter.error::<()>(Code::BadDeviceDummy, span, "device code has no `entry`");
            return;
        }
        let entries = self.cx.proc.map(|p| self.defs.proc_info(p).entries.clone()).unwrap_or_default();
        let Some(at) = entries.iter().position(|(_, stmt)| stmt.span == span) else {
            let text = format!(
                "`entry {}` must stand outside of constructs, in an external or module subprogram",
                name.as_str()
            );
            self.reporter.error::<()>(Code::StatementOutOfPlace, span, text);
            return;
        };
        let label = FIRST_ENTRY + at as u32;
        out.push(Stmt { label: Some(label), kind: StmtKind::Nothing, span });
        if let Some(alternate) = self.cx.proc.and_then(|p| self.defs.proc_info(p).alternate) {
            out.push(alternate_set(alternate, constant(Const::Int(0), Type::Integer(8), span)));
        }
        let jump = Stmt { label: None, kind: StmtKind::Goto(label), span };
        self.defs.proc_mut(entries[at].0).body = crate::checked::ProcBody::Statements(vec![jump]);
    }
}
