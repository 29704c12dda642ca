//! Warns of barriers under a condition that may differ between the threads of a block (W0552).
//!
//! A value is taken to differ when it is computed from `threadidx`, directly or through local variables of the procedure.
//! Statements are followed in their order: a variable that all threads set to something equal no longer differs.
//! What comes through memory, calls or jumps is not followed, so the warning may be missing; and a condition that differs in
//! form but not in value is reported too.

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
            let mut search = Search { program: self.defs, proc: id, found: &mut found };
            search.block(body, &mut BTreeSet::new(), None);
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

/// Looks for barriers in a procedure, statement by statement.
struct Search<'a> {
    program: &'a Program,
    proc: ProcId,
    /// Where the barriers are, and the conditions.
    found: &'a mut Vec<(Span, Span)>,
}

impl Search<'_> {
    /// `vars` are the local scalars that differ between threads; `under` is the condition that does.
    fn block(&mut self, body: &Block, vars: &mut BTreeSet<VarId>, under: Option<Span>) {
        for s in body {
            if let Some(condition) = under
                && is_barrier(s)
            {
                self.found.push((s.span, condition));
            }
            let mut inside = under;
            let mut decide = |e: &Expr, vars: &BTreeSet<VarId>| {
                if inside.is_none() && varies(e, vars) {
                    inside = Some(e.span);
                }
            };
            let mut is_skipped = true;
            match &s.kind {
                StmtKind::If(arms) => {
                    arms.iter().filter_map(|arm| arm.0.as_ref()).for_each(|e| decide(e, vars));
                    is_skipped = arms.iter().all(|arm| arm.0.is_some());
                }
                StmtKind::Select { value, .. } => decide(value, vars),
                StmtKind::Block { .. } => is_skipped = false,
                StmtKind::Loop { control: LoopControl::Count { first, last, step, .. }, body, .. } => {
                    if !has_equal_trips(first, last, step.as_ref(), vars) {
                        let bounds = [Some(first), Some(last), step.as_ref()];
                        bounds.into_iter().flatten().for_each(|e| decide(e, vars));
                    }
                    self.assign(s, vars, under);
                    self.add_varying(body, vars);
                }
                StmtKind::Loop { control, body, .. } => {
                    self.add_varying(body, vars);
                    if let LoopControl::While(e) = control {
                        decide(e, vars);
                    }
                }
                _ => self.assign(s, vars, under),
            }
            let mut after = if is_skipped { vars.clone() } else { BTreeSet::new() };
            let mut has_blocks = false;
            visit::blocks(s, &mut |block| {
                has_blocks = true;
                let mut own = vars.clone();
                self.block(block, &mut own, inside);
                after.append(&mut own);
            });
            if has_blocks {
                *vars = after;
            }
        }
    }

    /// Takes an assignment into account. One that only some threads come to makes nothing equal.
    fn assign(&self, s: &Stmt, vars: &mut BTreeSet<VarId>, under: Option<Span>) {
        match self.assigned(s) {
            Some((var, value)) if varies(value, vars) => _ = vars.insert(var),
            Some((var, _)) if under.is_none() => _ = vars.remove(&var),
            _ => {}
        }
    }

    /// Adds what any statement of the body of a loop makes differ, as it may be repeated.
    fn add_varying(&self, body: &Block, vars: &mut BTreeSet<VarId>) {
        loop {
            let before = vars.len();
            self.add_assigned(body, vars);
            if vars.len() == before {
                return;
            }
        }
    }

    fn add_assigned(&self, body: &Block, vars: &mut BTreeSet<VarId>) {
        for s in body {
            if let Some((var, value)) = self.assigned(s)
                && varies(value, vars)
            {
                vars.insert(var);
            }
            visit::blocks(s, &mut |inner| self.add_assigned(inner, vars));
        }
    }

    /// The local scalar that a statement assigns, or a loop counts with, and its value.
    fn assigned<'s>(&self, s: &'s Stmt) -> Option<(VarId, &'s Expr)> {
        let (target, value) = match &s.kind {
            StmtKind::Assign { target, value } => (target, value),
            StmtKind::Loop { control: LoopControl::Count { var, first, .. }, .. } => (var, first),
            _ => return None,
        };
        let Expr { kind: ExprKind::Var(id), rank: 0, .. } = target else { return None };
        let var = self.program.var(*id);
        let is_local = matches!(var.storage, Storage::Local | Storage::Dummy(_)) && var.attrs.cuda.is_none();
        (var.owner == Some(self.proc) && is_local).then_some((*id, value))
    }
}
