//! Warns of barriers under a condition that may differ between the threads of a block (W0552).
//!
//! A value is taken to differ when it is computed from `threadidx`, directly or through local variables of the procedure.
//! What comes through memory or calls is not followed, so the warning may be missing; and a condition that differs in form
//! but not in value is reported too.

use crate::checked::{
    BinaryOp, Block, Expr, ExprKind, Intrinsic, LoopControl, ProcBody, ProcId, ProcKind, Program, Stmt, StmtKind,
    Storage, VarId, visit,
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

/// Whether a loop that begins elsewhere in each thread has as many rounds in all of them: its end goes with its beginning, as in
/// `do i = t, t + 96, 32`, or its step is made of `blockdim` and it ends at a constant, which is a question of the launch.
fn has_equal_trips(first: &Expr, last: &Expr, step: Option<&Expr>, vars: &BTreeSet<VarId>) -> bool {
    if step.is_some_and(|step| varies(step, vars)) {
        return false;
    }
    let mut terms = Vec::new();
    add_terms(first, 1, vars, &mut terms);
    if matches!(last.kind, ExprKind::Const(_)) && step.is_some_and(names_block_extent) {
        return terms.iter().all(|(term, sign)| *sign > 0 && matches!(term, Term::Thread(_) | Term::Variable(_)));
    }
    add_terms(last, -1, vars, &mut terms);
    terms.iter().all(|(term, _)| {
        let sum: i32 = terms.iter().filter(|(other, _)| other == term).map(|(_, sign)| sign).sum();
        !matches!(term, Term::Other) && sum == 0
    })
}

/// A part of a sum that differs between threads.
#[derive(PartialEq)]
enum Term {
    Thread(u8),
    Variable(VarId),
    Other,
}

/// The parts of a sum that differ between threads, and whether each is added or subtracted.
fn add_terms(e: &Expr, sign: i32, vars: &BTreeSet<VarId>, out: &mut Vec<(Term, i32)>) {
    if !varies(e, vars) {
        return;
    }
    match &e.kind {
        ExprKind::Paren(inner) => add_terms(inner, sign, vars, out),
        ExprKind::Binary { op: BinaryOp::Add, left, right } => {
            add_terms(left, sign, vars, out);
            add_terms(right, sign, vars, out);
        }
        ExprKind::Binary { op: BinaryOp::Sub, left, right } => {
            add_terms(left, sign, vars, out);
            add_terms(right, -sign, vars, out);
        }
        ExprKind::Special { index, .. } => out.push((Term::Thread(*index), sign)),
        ExprKind::Var(v) => out.push((Term::Variable(*v), sign)),
        _ => out.push((Term::Other, sign)),
    }
}

/// Whether an expression names `blockdim`.
fn names_block_extent(e: &Expr) -> bool {
    let mut found = false;
    visit::all(e, &mut |node| found |= matches!(node.kind, ExprKind::Special { index: 3..=5, .. }));
    found
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
                LoopControl::Count { first, last, step, .. } if has_equal_trips(first, last, step.as_ref(), vars) => {}
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
