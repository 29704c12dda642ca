//! Where an assumed-rank variable may stand (Fortran 2018, C838): as an argument for an assumed-rank dummy, as first argument
//! of an inquiry function, and as selector of SELECT RANK.

use crate::checked::{Actual, Class, Expr, ExprKind, Intrinsic, ProcBody, ProcId, Shape, StmtKind, VarId, visit};
use crate::checker::Definitions;
use crate::typing::Typing;
use diag::Code;
use source::Span;
use std::collections::BTreeMap;

impl Typing<'_> {
    /// Looks at all references to assumed-rank variables.
    pub(crate) fn check_assumed_ranks(&mut self) {
        let defs = self.defs;
        let mut misused = BTreeMap::new();
        for id in defs.proc_ids() {
            let p = defs.proc(id);
            let ProcBody::Statements(body) = &p.body else { continue };
            if defs.proc_info(id).embedded || !p.vars.iter().any(|&v| is_assumed_rank(defs, v)) {
                continue;
            }
            visit::statements(body, &mut |s| {
                if let StmtKind::Call { proc, args } = &s.kind {
                    arguments(defs, *proc, args, &mut misused);
                    return;
                }
                visit::evaluated_by(defs, s, &mut |e| {
                    // The names in the arms of SELECT RANK stand for the argument itself.
                    if matches!(s.kind, StmtKind::Block { .. }) && matches!(e.kind, ExprKind::Var(_)) {
                        return;
                    }
                    expression(defs, e, &mut misused);
                });
            });
        }
        for (span, v) in misused {
            let text = format!("assumed-rank argument `{}` is used without its rank", self.defs.var(v).name);
            let help = "use it in an arm of `select rank`, or pass it to an assumed-rank dummy";
            self.reporter.error_help::<()>(Code::AssumedRankUse, span, text, help);
        }
    }
}

fn is_assumed_rank(defs: &Definitions<'_>, v: VarId) -> bool {
    matches!(defs.var(v).shape, Shape::AssumedRank)
}

fn expression(defs: &Definitions<'_>, e: &Expr, misused: &mut BTreeMap<Span, VarId>) {
    match &e.kind {
        ExprKind::Var(v) if is_assumed_rank(defs, *v) => {
            misused.insert(e.span, *v);
        }
        ExprKind::Call { proc, args } => arguments(defs, *proc, args, misused),
        ExprKind::Intrinsic { id, args } => {
            let inquires = id.class() == Class::Inquiry || matches!(id, Intrinsic::CLoc | Intrinsic::CAssociated);
            for (i, arg) in args.iter().enumerate() {
                let is_object = matches!(arg, Some(Expr { kind: ExprKind::Var(_), .. }));
                if let Some(arg) = arg.as_ref().filter(|_| i > 0 || !inquires || !is_object) {
                    expression(defs, arg, misused);
                }
            }
        }
        _ => visit::parts(e, &mut |part| expression(defs, part, misused)),
    }
}

fn arguments(defs: &Definitions<'_>, proc: ProcId, args: &[Option<Actual>], misused: &mut BTreeMap<Span, VarId>) {
    for (arg, &dummy) in args.iter().zip(&defs.proc(proc).params) {
        match arg {
            Some(Actual::Expr(Expr { kind: ExprKind::Var(v), .. }))
                if is_assumed_rank(defs, *v) && is_assumed_rank(defs, dummy) => {}
            Some(Actual::Expr(e)) => expression(defs, e, misused),
            _ => {}
        }
    }
}
