//! What bounds and lengths of declared objects may refer to (Fortran 2018, 10.1.11): they are computed on entry, when local
//! variables have no value yet.

use crate::checked::{
    CharLen, Class, Const, Dim, Expr, ExprKind, ProcId, Shape, Storage, Type, VarId, Variable, visit,
};
use crate::checker::{DeclaredName, Entry, ScopeId, Sym};
use crate::typing::{Typing, constant};
use ast::Intent;
use diag::{Code, Diagnostic};
use source::Span;

/// What keeps a local variable from being a bound.
const LOCAL: &str = "a local variable, which has no value on entry";

impl Typing<'_> {
    /// Checks the bounds and the length of a declared object.
    pub(super) fn check_restricted(
        &mut self,
        scope: ScopeId,
        p: &DeclaredName<'_>,
        ty: &Type,
        shape: &Shape,
        lengths: &[CharLen],
    ) -> Option<()> {
        if self.cx.debugger || self.options.embedded.contains(&p.span.file) {
            return Some(());
        }
        let mut exprs: Vec<&Expr> = Vec::new();
        match shape {
            // Bounds of variables of the main program are constant, but for those of its BLOCKs.
            _ if self.cx.proc.is_some() && self.cx.proc == self.defs.main && !self.scopes.get(scope).is_block => {}
            Shape::Explicit(dims) => exprs.extend(dims.iter().flat_map(|d| [&d.lower, &d.upper])),
            Shape::AssumedSize(dims, last) => {
                exprs.extend(dims.iter().flat_map(|d| [&d.lower, &d.upper]));
                exprs.push(last);
            }
            Shape::AssumedShape(lowers) => exprs.extend(lowers),
            Shape::Scalar | Shape::Deferred(_) | Shape::AssumedRank => {}
        }
        if let Type::Character(CharLen::Expr(length)) = ty {
            exprs.push(length);
        }
        exprs.extend(lengths.iter().filter_map(visit::length_expr));
        for e in &exprs {
            self.check_data_of_bound(e)?;
        }
        let is_block = self.scopes.get(scope).is_block;
        if is_block || p.cray_pointer.is_some() {
            return Some(());
        }
        for e in exprs {
            self.check_restricted_expr(scope, e)?;
        }
        Some(())
    }

    /// The shape of a declared object. The last upper bound of an argument may be a local variable for nvfortran: that dimension then
    /// has no size. In an interface body others may be, too, as nobody needs their values.
    pub(super) fn without_local_size(&mut self, scope: ScopeId, p: &DeclaredName<'_>, shape: Shape) -> Shape {
        if p.dummy.is_none() || self.cx.debugger {
            return shape;
        }
        match shape {
            Shape::Explicit(mut dims) => {
                let Some(last) = dims.pop() else { return Shape::Scalar };
                self.without_local_bounds(scope, &mut dims);
                if self.is_local_bound(scope, &last.upper) {
                    return Shape::AssumedSize(dims, Box::new(last.lower));
                }
                dims.push(last);
                Shape::Explicit(dims)
            }
            Shape::AssumedSize(mut dims, lower) => {
                self.without_local_bounds(scope, &mut dims);
                Shape::AssumedSize(dims, lower)
            }
            other => other,
        }
    }

    /// Takes local variables out of bounds of an interface body.
    fn without_local_bounds(&mut self, scope: ScopeId, dims: &mut [Dim]) {
        if !self.cx.proc.is_some_and(|proc| self.defs.proc_info(proc).is_interface) {
            return;
        }
        for dim in dims {
            if self.is_local_bound(scope, &dim.upper) {
                dim.upper = constant(Const::Int(1), dim.upper.ty.clone(), dim.upper.span);
            }
        }
    }

    /// Whether a bound refers to a local variable; says so.
    fn is_local_bound(&mut self, scope: ScopeId, bound: &Expr) -> bool {
        let Some((id, span, Some(LOCAL))) = self.unrestricted(scope, bound) else { return false };
        let var = self.defs.var(id);
        let text = format!("a bound refers to `{}`, {LOCAL}", var.name);
        let d = Diagnostic::new(Code::BoundWithoutValue, span, text).secondary(var.span, "declared here");
        self.reporter.report(d.help("write `*` for the bound, or use an argument or a named constant"));
        true
    }

    /// Whether a variable of a scope is in no storage sequence, and is no variable of an implied DO or of the host.
    fn is_plain_local(&self, scope: ScopeId, id: VarId) -> bool {
        let (data, name) = (self.scopes.get(scope), &self.defs.var(id).name);
        if !matches!(data.names.get(name), Some(Entry { sym: Sym::Var(known), .. }) if *known == id) {
            return false;
        }
        match data.declared.iter().find(|d| d.name == *name) {
            Some(d) => d.common.is_none() && d.equivalence.is_none(),
            None => self.cx.proc.is_some_and(|p| self.defs.proc(p).parent.is_none()),
        }
    }

    /// What a bound or length must not refer to: a variable and why, or a function.
    fn unrestricted(&self, scope: ScopeId, e: &Expr) -> Option<(VarId, Span, Option<&'static str>)> {
        let mut wrong = None;
        let defs = self.defs;
        let owner = self.cx.proc;
        let local = |id: VarId| self.is_plain_local(scope, id);
        visit::descend(e, &mut |node| {
            match &node.kind {
                // Inquiries need no value.
                ExprKind::Intrinsic { id, .. } if id.class() == Class::Inquiry => return false,
                ExprKind::Field { base, field } if defs.is_parameter_of(base, *field) => return false,
                ExprKind::Var(id) => {
                    let what = why_not(defs.var(*id), owner).filter(|what| what.1 || local(*id)).map(|what| what.0);
                    wrong = wrong.take().or(what.map(|what| (*id, node.span, what)));
                }
                ExprKind::Call { proc, .. } => {
                    let (p, info) = (defs.proc(*proc), defs.proc_info(*proc));
                    if !p.pure && p.through.is_none() && info.ast.is_some() && !info.embedded && wrong.is_none() {
                        wrong = Some((VarId(0), node.span, None));
                    }
                }
                _ => {}
            }
            true
        });
        wrong
    }

    /// Checks that code may use the variables whose values a bound or length needs: it is computed where the procedure runs.
    fn check_data_of_bound(&mut self, e: &Expr) -> Option<()> {
        let mut used = Vec::new();
        visit::descend(e, &mut |node| {
            match &node.kind {
                // Inquiries need no value.
                ExprKind::Intrinsic { id, .. } if id.class() == Class::Inquiry => return false,
                ExprKind::Var(id) => used.push((*id, node.span)),
                _ => {}
            }
            true
        });
        used.into_iter().all(|(id, span)| self.check_data_use(id, span)).then_some(())
    }

    fn check_restricted_expr(&mut self, scope: ScopeId, e: &Expr) -> Option<()> {
        let Some((id, span, what)) = self.unrestricted(scope, e) else { return Some(()) };
        let d = match what {
            Some(what) => {
                let var = self.defs.var(id);
                let text = format!("a bound or length refers to `{}`, {what}", var.name);
                Diagnostic::new(Code::BadSpecificationExpression, span, text)
                    .secondary(var.span, "declared here")
                    .help("use an argument, a named constant, or make the object allocatable")
            }
            None => Diagnostic::new(
                Code::BadSpecificationExpression,
                span,
                "a bound or length calls a function that is not pure",
            ),
        };
        self.reporter.report(d);
        None
    }
}

/// Why a bound may not have the value of a variable of the procedure `owner`, and whether that is certain.
fn why_not(var: &Variable, owner: Option<ProcId>) -> Option<(Option<&'static str>, bool)> {
    let is_own = owner.is_some() && var.owner == owner;
    match &var.storage {
        Storage::Dummy(_) if var.attrs.optional => Some((Some("an optional argument"), true)),
        Storage::Dummy(_) if var.attrs.intent == Some(Intent::Out) => Some((Some("an `intent(out)` argument"), true)),
        Storage::Local | Storage::Static | Storage::Result if is_own => Some((Some(LOCAL), false)),
        _ => None,
    }
}
