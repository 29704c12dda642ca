//! Variables of counted loops that an internal procedure changes while the loop runs (Fortran 2018, 11.1.7.4.3), and indices that the
//! statements of their FORALL or DO CONCURRENT change (C1036, 11.1.7.5).

use crate::checked::{ExprKind, LoopControl, ProcBody, ProcId, Program, Stmt, StmtKind, VarId, visit};
use crate::typing::Typing;
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};

impl Typing<'_> {
    /// Looks at all loops from which internal procedures are called.
    pub(crate) fn check_loop_variables(&mut self) {
        let defs = self.defs;
        let mut changes: BTreeMap<ProcId, BTreeSet<VarId>> = BTreeMap::new();
        for id in defs.proc_ids() {
            let p = defs.proc(id);
            if let (Some(_), ProcBody::Statements(body)) = (p.parent, &p.body) {
                let own = changes.entry(id).or_default();
                visit::statements(body, &mut |s| {
                    visit::statement_exprs(s, &mut |e, role| {
                        if let (visit::Role::Definition, ExprKind::Var(v)) = (role, &e.kind) {
                            own.insert(*v);
                        }
                    });
                });
            }
        }
        if changes.is_empty() {
            return;
        }
        let mut found: Vec<(Span, Span, VarId, ProcId)> = Vec::new();
        for id in defs.proc_ids() {
            let ProcBody::Statements(body) = &defs.proc(id).body else { continue };
            visit::statements(body, &mut |s| {
                let StmtKind::Loop { control: LoopControl::Count { var, .. }, body, .. } = &s.kind else { return };
                let ExprKind::Var(v) = var.kind else { return };
                calls_in(defs, body, &mut |callee, span| {
                    let is_inner = defs.proc(callee).parent == Some(id);
                    if is_inner && changes.get(&callee).is_some_and(|set| set.contains(&v)) {
                        found.push((span, s.span, v, callee));
                    }
                });
            });
        }
        for (call, around, v, callee) in found {
            let (var, callee) = (&self.defs.var(v).name, &self.defs.proc(callee).name);
            let text = format!("`{callee}` changes `{var}`, the variable of a loop around the call");
            let d = Diagnostic::new(Code::BadDoVariable, call, text);
            self.reporter.report(d.secondary(around, "the loop is here"));
        }
    }
}

impl Typing<'_> {
    /// Looks at the indices of all FORALL and DO CONCURRENT constructs.
    pub(crate) fn check_indices(&mut self) {
        let defs = self.defs;
        let mut found: Vec<(Span, VarId, &str)> = Vec::new();
        for id in defs.proc_ids() {
            let ProcBody::Statements(body) = &defs.proc(id).body else { continue };
            visit::statements(body, &mut |s| {
                let (vars, body, word) = match &s.kind {
                    StmtKind::Forall { vars, body, .. } => (vars, body, "forall"),
                    StmtKind::Loop { control: LoopControl::Concurrent { vars, .. }, body, .. } => {
                        (vars, body, "do concurrent")
                    }
                    _ => return,
                };
                visit::statements(body, &mut |inner| {
                    visit::statement_exprs(inner, &mut |e, role| {
                        if let (visit::Role::Definition, ExprKind::Var(v)) = (role, &e.kind)
                            && vars.iter().any(|var| var.0 == *v)
                        {
                            found.push((e.span, *v, word));
                        }
                    });
                });
            });
        }
        for (span, v, word) in found {
            let text = format!("`{}` is an index of the `{word}` around this statement", self.defs.var(v).name);
            self.reporter.error::<()>(Code::BadDoVariable, span, text);
        }
    }
}

/// Calls `f` with the procedures that statements refer to.
fn calls_in(program: &Program, body: &[Stmt], f: &mut dyn FnMut(ProcId, Span)) {
    visit::statements(body, &mut |s| {
        if let StmtKind::Call { proc, .. } = &s.kind {
            f(*proc, s.span);
        }
        visit::evaluated_by(program, s, &mut |e| {
            visit::all(e, &mut |part| {
                if let ExprKind::Call { proc, .. } = &part.kind {
                    f(*proc, part.span);
                }
            });
        });
    });
}
