//! What pure and elemental procedures must not do (Fortran 2018, 15.7, 15.8.1).
//!
//! Host procedures only: device code has rules of its own, and `pure` means nothing for a kernel. References to procedures that
//! are not pure are found where they are checked (`cuda::calls`).

use crate::checked::{
    ALTERNATE, Actual, Expr, ExprKind, Intrinsic, IoUnit, LoopControl, ProcBody, ProcId, ProcKind, Shape, Stmt,
    StmtKind, Storage, Type, VarId, is_designator, root, visit,
};
use crate::typing::{Typing, is_pointer};
use ast::Intent;
use diag::{Code, Diagnostic};
use source::Span;

impl Typing<'_> {
    /// Looks at all pure and elemental procedures of the program.
    pub(crate) fn check_purity(&mut self) {
        let defs = self.defs;
        for id in defs.proc_ids() {
            let (p, info) = (defs.proc(id), defs.proc_info(id));
            if p.kind != ProcKind::Host || info.embedded || info.ast.is_none() || info.is_broken {
                continue;
            }
            if p.elemental {
                self.check_elemental(id);
            }
            if let ProcBody::Statements(body) = &p.body {
                visit::statements(body, &mut |s| self.check_concurrent(s));
            }
            if p.pure {
                self.check_intents(id);
                self.check_saved(id);
                if let ProcBody::Statements(body) = &p.body {
                    visit::statements(body, &mut |s| self.check_pure_statement(id, s));
                }
            }
        }
    }

    fn check_elemental(&mut self, id: ProcId) {
        let p = self.defs.proc(id);
        for &v in p.params.iter().chain(&p.result) {
            let var = self.defs.var(v);
            let what = if !matches!(var.shape, Shape::Scalar) || matches!(var.storage, Storage::Procedure) {
                "is not a scalar variable"
            } else if var.attrs.allocatable || var.attrs.pointer {
                "is allocatable or a pointer"
            } else {
                continue;
            };
            let text = format!("`{}` of elemental procedure `{}` {what}", var.name, p.name);
            self.reporter.error::<()>(Code::ElementalNotScalar, var.span, text);
        }
    }

    /// FORALL and DO CONCURRENT refer to pure procedures only (Fortran 2018, C1037, C1139). References to functions and
    /// subroutines of the program in DO CONCURRENT are checked where they stand.
    fn check_concurrent(&mut self, s: &Stmt) {
        let defs = self.defs;
        let mut impure: Option<(Span, String)> = None;
        match &s.kind {
            StmtKind::Forall { mask, body, .. } => {
                let mut look = |e: &Expr| {
                    visit::all(e, &mut |part| {
                        let ExprKind::Call { proc, .. } = &part.kind else { return };
                        let p = defs.proc(*proc);
                        if !p.pure && p.through.is_none() && !defs.proc_info(*proc).embedded {
                            impure.get_or_insert((part.span, format!("`forall` refers to `{}`", p.name)));
                        }
                    });
                };
                mask.iter().for_each(&mut look);
                visit::evaluated(defs, body, &mut look);
                // Fortran 2018, C1037: a defined assignment refers to a subroutine.
                visit::statements(body, &mut |inner| {
                    if let StmtKind::Call { proc, .. } = &inner.kind
                        && !defs.proc(*proc).pure
                    {
                        let what = format!("`forall` assigns by `{}`", defs.proc(*proc).name);
                        impure.get_or_insert((inner.span, what));
                    }
                });
            }
            StmtKind::Loop { control: LoopControl::Concurrent { .. }, body, .. } => {
                visit::statements(body, &mut |inner| {
                    if let StmtKind::Intrinsic { id, .. } = &inner.kind
                        && !matches!(id, Intrinsic::Mvbits | Intrinsic::MoveAlloc)
                        && is_standard_impure(*id)
                    {
                        impure.get_or_insert((inner.span, format!("`do concurrent` calls `{}`", id.name())));
                    }
                });
            }
            _ => {}
        }
        if let Some((span, what)) = impure {
            let text = format!("{what}, which is not pure");
            self.reporter.error::<()>(Code::ImpureReference, span, text);
        }
    }

    fn check_intents(&mut self, id: ProcId) {
        let p = self.defs.proc(id);
        for &v in &p.params {
            let var = self.defs.var(v);
            if matches!(var.storage, Storage::Procedure)
                && let Some(interface) = self.defs.var_info(v).interface
                && !self.defs.proc(interface).pure
                && self.defs.proc_info(interface).ast.is_some()
            {
                // Fortran 2018, C1591.
                let text = format!("dummy procedure `{}` of pure procedure `{}` is not pure", var.name, p.name);
                self.reporter.error::<()>(Code::ImpureReference, var.span, text);
            }
            if self.defs.var_info(v).polymorphic && var.attrs.intent == Some(Intent::Out) {
                // Fortran 2018, C1588: what it is finalised by is not known.
                let text =
                    format!("argument `{}` of pure procedure `{}` is polymorphic and `intent(out)`", var.name, p.name);
                self.reporter.error::<()>(Code::PureDummyIntent, var.span, text);
            }
            let is_exempt = matches!(var.storage, Storage::Procedure)
                || self.defs.var_info(v).procedure_pointer
                || self.defs.var_info(v).interface.is_some()
                || var.attrs.value
                || var.attrs.copied
                || var.attrs.pointer
                || &*var.name == ALTERNATE;
            let fits = match var.attrs.intent {
                Some(Intent::In) => true,
                other => !p.is_function && other.is_some(),
            };
            if is_exempt || fits {
                continue;
            }
            let wanted = if p.is_function { "`intent(in)` or `value`" } else { "an intent or `value`" };
            let text = format!("argument `{}` of pure procedure `{}` needs {wanted}", var.name, p.name);
            self.reporter.error::<()>(Code::PureDummyIntent, var.span, text);
        }
    }

    fn check_saved(&mut self, id: ProcId) {
        let p = self.defs.proc(id);
        for &v in &p.vars {
            let var = self.defs.var(v);
            if matches!(var.storage, Storage::Static) && !var.span.is_none() {
                let text = format!("pure procedure `{}` saves its variable `{}`", p.name, var.name);
                let d = Diagnostic::new(Code::PureSideEffect, var.span, text);
                self.reporter.report(d.help("assign its first value in a statement"));
            }
        }
    }

    fn check_pure_statement(&mut self, id: ProcId, s: &Stmt) {
        let name = self.defs.proc(id).name.clone();
        let mut impure = |what: &str| {
            let text = format!("pure procedure `{name}` {what}");
            self.reporter.report(Diagnostic::new(Code::PureSideEffect, s.span, text));
        };
        match &s.kind {
            StmtKind::Io(io) if !matches!(io.unit, IoUnit::Internal(_) | IoUnit::Memory { .. }) => {
                return impure("has input or output");
            }
            StmtKind::Intrinsic { id: intrinsic, .. }
                if !matches!(intrinsic, Intrinsic::Mvbits | Intrinsic::MoveAlloc) =>
            {
                return impure(&format!("calls `{}`, which is not pure", intrinsic.name()));
            }
            _ => {}
        }
        let mut changed: Vec<(VarId, Span)> = Vec::new();
        let mut note = |e: &Expr| changed.extend(root(e).map(|v| (v, e.span)));
        visit::statement_exprs(s, &mut |e, role| {
            if role == visit::Role::Definition {
                note(e);
            }
        });
        if let StmtKind::Call { proc, args } = &s.kind {
            for (&dummy, actual) in self.defs.proc(*proc).params.iter().zip(args) {
                let is_changed = matches!(self.defs.var(dummy).attrs.intent, Some(Intent::Out | Intent::InOut));
                if let (Some(Actual::Expr(e)), true) = (actual, is_changed) {
                    note(e);
                }
            }
        }
        let mut given = Vec::new();
        match &s.kind {
            StmtKind::PointerAssign { value, .. } if is_designator(value) && !is_pointer(self.defs, value) => {
                given.extend(root(value).map(|v| (v, value.span)));
            }
            StmtKind::Assign { value, .. } if is_designator(value) => {
                let has_pointer = matches!(value.ty, Type::Derived(ty) if self.defs.has_part(ty, &|f| f.pointer));
                given.extend(root(value).filter(|_| has_pointer).map(|v| (v, value.span)));
            }
            _ => {}
        }
        visit::evaluated_by(self.defs, s, &mut |e| {
            visit::all(e, &mut |part| {
                let ExprKind::Construct { ty, fields, .. } = &part.kind else { return };
                for (field, value) in self.defs.ty(*ty).fields.iter().zip(fields) {
                    if let (true, Some(value)) = (field.pointer, value) {
                        given.extend(root(value).map(|v| (v, value.span)));
                    }
                }
            });
        });
        for (v, span) in changed {
            self.check_changed(id, v, span);
        }
        for (v, span) in given {
            self.check_pointed_to(id, v, span);
        }
    }

    /// What a pointer component points to could be changed by it (Fortran 2018, C1594).
    fn check_pointed_to(&mut self, id: ProcId, v: VarId, span: Span) {
        let var = self.defs.var(v);
        let is_input = var.attrs.intent == Some(Intent::In) && !var.attrs.pointer;
        if var.owner == Some(id) && !is_input {
            return;
        }
        let text = format!(
            "pure procedure `{}` gives a pointer `{}`, which it may not change",
            self.defs.proc(id).name,
            var.name
        );
        self.reporter.report(Diagnostic::new(Code::PureSideEffect, span, text).secondary(var.span, "declared here"));
    }

    /// A pure procedure changes variables of its own only.
    fn check_changed(&mut self, id: ProcId, v: VarId, span: Span) {
        let var = self.defs.var(v);
        let (v, var) = match &var.storage {
            Storage::Alias(target) => match root(target) {
                Some(target) => return self.check_changed(id, target, span),
                None => return,
            },
            Storage::Associated { base, .. } => (*base, self.defs.var(*base)),
            _ => (v, var),
        };
        if var.owner == Some(id) {
            return;
        }
        let shown = self.defs.var(v);
        let text =
            format!("pure procedure `{}` changes `{}`, which is not its own", self.defs.proc(id).name, shown.name);
        let d = Diagnostic::new(Code::PureSideEffect, span, text).secondary(shown.span, "declared here");
        self.reporter.report(d);
    }
}

/// Whether an intrinsic subroutine changes the state of the program or depends on it.
fn is_standard_impure(id: Intrinsic) -> bool {
    matches!(
        id,
        Intrinsic::RandomNumber
            | Intrinsic::RandomSeed
            | Intrinsic::SystemClock
            | Intrinsic::DateAndTime
            | Intrinsic::CpuTime
    )
}
