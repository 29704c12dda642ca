//! Warns of barriers under a condition that may differ between the threads of a block (W0552).
//!
//! A value is taken to differ when it is computed from `threadidx`, directly or through local variables of the procedure.
//! What comes through memory or calls is not followed, so the warning may be missing; and a condition that differs in form
//! but not in value is reported too.

use crate::checked::{
    Block, Expr, ExprKind, Intrinsic, LoopControl, ProcBody, ProcId, ProcKind, Program, Stmt, StmtKind, Storage, VarId,
    visit,
};
use crate::typing::Typing;
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::BTreeSet;

/// Whether a value depends on `threadidx`. What a barrier gives is the same for all threads.
fn varies(e: &Expr, vars: &BTreeSet<VarId>) -> bool {
    let mut found = false;
    visit::descend(e, &mut |node| {
        match &node.kind {
            ExprKind::Special { index: 0..=2, .. } => found = true,
            ExprKind::Var(id) => found |= vars.contains(id),
            // An element is read from memory; only its address differs.
            ExprKind::Element { .. } | ExprKind::Section { .. } => return false,
            ExprKind::Intrinsic {
                id: Intrinsic::SyncthreadsAnd | Intrinsic::SyncthreadsOr | Intrinsic::SyncthreadsCount,
                ..
            } => return false,
            _ => {}
        }
        !found
    });
    found
}

fn is_barrier(s: &Stmt) -> bool {
    if matches!(s.kind, StmtKind::Intrinsic { id: Intrinsic::Syncthreads, .. }) {
        return true;
    }
    let mut found = false;
    visit::statement_exprs(s, &mut |e, _| {
        visit::descend(e, &mut |node| {
            found |= matches!(
                node.kind,
                ExprKind::Intrinsic {
                    id: Intrinsic::SyncthreadsAnd | Intrinsic::SyncthreadsOr | Intrinsic::SyncthreadsCount,
                    ..
                }
            );
            !found
        });
    });
    found
}

impl Typing<'_> {
    /// Looks at all barriers of device code.
    pub(crate) fn check_barriers(&mut self) {
        let mut found = Vec::new();
        for id in self.defs.proc_ids() {
            let p = self.defs.proc(id);
            let ProcBody::Statements(body) = &p.body else { continue };
            if p.kind == ProcKind::Host || self.defs.proc_info(id).embedded {
                continue;
            }
            let vars = varying(self.defs, id, body);
            barriers(body, &vars, None, &mut found);
        }
        for (span, condition) in found {
            let text = "`syncthreads` under a condition that may differ between the threads of a block";
            self.reporter.report(
                Diagnostic::new(Code::ConditionalBarrier, span, text)
                    .secondary(condition, "this depends on `threadidx`")
                    .help("let all threads of the block come to the barrier"),
            );
        }
    }
}

/// The local scalars that are computed from `threadidx`.
fn varying(program: &Program, proc: ProcId, body: &Block) -> BTreeSet<VarId> {
    let mut vars = BTreeSet::new();
    loop {
        let before = vars.len();
        varying_block(program, proc, body, &mut vars);
        if vars.len() == before {
            return vars;
        }
    }
}

fn varying_block(program: &Program, proc: ProcId, body: &Block, vars: &mut BTreeSet<VarId>) {
    for s in body {
        let assigned = match &s.kind {
            StmtKind::Assign { target, value } => varies(value, vars).then_some(target),
            StmtKind::Loop { control: LoopControl::Count { var, first, .. }, .. } => varies(first, vars).then_some(var),
            _ => None,
        };
        if let Some(Expr { kind: ExprKind::Var(id), rank: 0, .. }) = assigned {
            let var = program.var(*id);
            if var.owner == Some(proc)
                && matches!(var.storage, Storage::Local | Storage::Dummy(_))
                && var.attrs.cuda.is_none()
            {
                vars.insert(*id);
            }
        }
        visit::blocks(s, &mut |inner| varying_block(program, proc, inner, vars));
    }
}

fn barriers(body: &Block, vars: &BTreeSet<VarId>, under: Option<Span>, found: &mut Vec<(Span, Span)>) {
    for s in body {
        if let Some(condition) = under
            && is_barrier(s)
        {
            found.push((s.span, condition));
        }
        let mut inside = under;
        let mut decide = |e: &Expr| {
            if inside.is_none() && varies(e, vars) {
                inside = Some(e.span);
            }
        };
        match &s.kind {
            StmtKind::If(arms) => arms.iter().filter_map(|a| a.0.as_ref()).for_each(&mut decide),
            StmtKind::Select { value, .. } => decide(value),
            StmtKind::Loop { control, .. } => match control {
                LoopControl::While(e) => decide(e),
                LoopControl::Count { first, last, step, .. } => {
                    [Some(first), Some(last), step.as_ref()].into_iter().flatten().for_each(&mut decide);
                }
                LoopControl::Forever | LoopControl::Concurrent { .. } => {}
            },
            _ => {}
        }
        visit::blocks(s, &mut |block| barriers(block, vars, inside, found));
    }
}
