//! SELECT TYPE (Fortran 2018, 11.1.11).
//!
//! It becomes a block with an IF: the guards that name one type first, then those that take extensions, the nearest ancestor first,
//! then the default. In each arm the associate name stands for the selector, seen as the type that its guard found.

use crate::checked::{CharLen, Expr, ExprKind, Stmt, StmtKind, Storage, Type, TypeId, is_designator, visit};
use crate::checker::{Checker, ConstructKind, Definitions};
use crate::typing::{is_class, same_type, shape_name, type_name};
use ast::{Name, TypeArm, TypeSpec, TypeSpecKind};
use diag::{Code, Diagnostic};
use source::Span;

impl<'a> Checker<'a> {
    pub(super) fn select_type(
        &mut self,
        name: Option<&'a Name>,
        bind: Option<&'a Name>,
        value: &'a ast::Expr,
        arms: &'a [TypeArm],
        span: Span,
    ) -> Option<StmtKind> {
        let Some(bind) = bind.or(match &value.kind {
            ast::ExprKind::Name(name) => Some(name),
            _ => None,
        }) else {
            let text = "the selector is not a variable and has no name in the construct";
            return self.reporter.error_help(
                Code::BadPolymorphism,
                value.span,
                text,
                "write `select type (name => …)`",
            );
        };
        let mut selector = self.expr(value)?;
        // A variable with CLASS whose type nothing extends has the declared type only.
        let is_plain = match selector.kind {
            ExprKind::Var(id) => {
                let var = self.defs.var(id);
                let is_alias = matches!(var.storage, Storage::Alias(_));
                // IMPLICIT may have said `class`.
                let has_implicit = self.scopes.around(self.cx.scope).any(|data| !data.implicit_letters.is_empty());
                !self.defs.var_info(id).polymorphic && !is_alias && !has_implicit
            }
            _ => !matches!(selector.ty, Type::Derived(_)),
        };
        if !is_class(&self.defs, &selector) && is_plain {
            let text = format!(
                "the selector must be polymorphic, not {}",
                shape_name(&self.defs, &selector.ty, selector.rank)
            );
            return self.reporter.error(Code::BadPolymorphism, value.span, text);
        }
        let outer = self.enter_block();
        let mut vars = Vec::new();
        // What is not the same each time is evaluated once, for the tests and for the name.
        if !is_designator(&selector) || visit::has_calls(&selector) {
            let (ty, rank, span) = (selector.ty.clone(), selector.rank, selector.span);
            let var = self.alias(bind, selector);
            vars.push(var);
            selector = Expr { kind: ExprKind::Var(var), ty, rank, span };
        }
        let (id, made) = self.inside(name, ConstructKind::Other, |c, id| (id, c.type_arms(bind, &selector, arms)));
        self.cx.scope = outer;
        let body = vec![Stmt { label: None, kind: StmtKind::If(made?), span }];
        Some(StmtKind::Block { id, vars, body })
    }

    #[allow(clippy::type_complexity)]
    fn type_arms(
        &mut self,
        bind: &'a Name,
        selector: &Expr,
        arms: &'a [TypeArm],
    ) -> Option<Vec<(Option<Expr>, Vec<Stmt>, Span)>> {
        let mut sorted = Vec::with_capacity(arms.len());
        let mut complete = true;
        let mut before: Vec<(Option<(bool, Type)>, Span)> = Vec::new();
        for (guard, body, span) in arms {
            let (order, condition, seen) = match guard {
                None => (u32::MAX, None, selector.clone()),
                Some((exact, spec)) => {
                    let Some(ty) = self.guard_type(*exact, spec, selector) else {
                        complete = false;
                        continue;
                    };
                    let test = ExprKind::IsType { object: Box::new(selector.clone()), ty: ty.clone(), exact: *exact };
                    let test = Expr { kind: test, ty: Type::Logical(4), rank: 0, span: spec.span };
                    // Objects of a class that nothing extends have the class's own type.
                    let may_differ = |ty: &Type| matches!(ty, Type::Derived(id) if self.defs.is_extensible(*id));
                    let class = !*exact && is_class(&self.defs, selector) && may_differ(&ty);
                    let seen = ExprKind::Seen { base: Box::new(selector.clone()), class };
                    let depth = if let Type::Derived(id) = ty { depth_of(&self.defs, id) } else { 0 };
                    let order = if *exact { 0 } else { u32::MAX - 1 - depth };
                    (order, Some(test), Expr { kind: seen, ty, rank: selector.rank, span: bind.span })
                }
            };
            let key = guard.as_ref().map(|(exact, _)| (*exact, seen.ty.clone()));
            let same = |a: &Option<(bool, Type)>, b: &Option<(bool, Type)>| match (a, b) {
                (Some((a, x)), Some((b, y))) => a == b && same_type(x, y),
                (None, None) => true,
                _ => false,
            };
            if let Some((_, first)) = before.iter().find(|(other, _)| same(other, &key)) {
                let text = "the same guard stands twice in one `select type`";
                let d = Diagnostic::new(Code::BadCase, *span, text).secondary(*first, "the first one is here");
                self.reporter.report(d);
            }
            before.push((key, *span));
            let outer = self.enter_block();
            let var = self.alias(bind, seen);
            let (id, block) = self.inside(None, ConstructKind::Other, |c, id| (id, c.block(body)));
            self.cx.scope = outer;
            let block = StmtKind::Block { id, vars: vec![var], body: block };
            sorted.push((order, (condition, vec![Stmt { label: None, kind: block, span: *span }], *span)));
        }
        sorted.sort_by_key(|arm| arm.0);
        complete.then(|| sorted.into_iter().map(|arm| arm.1).collect())
    }

    /// The type of a guard, which the selector must be able to have.
    fn guard_type(&mut self, exact: bool, spec: &TypeSpec, selector: &Expr) -> Option<Type> {
        let ty = match &spec.kind {
            TypeSpecKind::Type(derived) => {
                let id = self.guard_spec(derived, &selector.ty)?;
                if exact { self.typing().concrete_type(id, spec.span)? } else { Type::Derived(id) }
            }
            _ => self.type_spec(spec, None)?,
        };
        let ty = match ty {
            Type::Character(CharLen::Assumed) => Type::Character(CharLen::Deferred),
            // Fortran 2018, C1165.
            Type::Character(_) => {
                return self.reporter.error_help(
                    Code::BadPolymorphism,
                    spec.span,
                    "a guard takes characters of every length",
                    "write `character(len=*)`",
                );
            }
            other => other,
        };
        if self.defs.class_takes(&selector.ty, &ty) {
            return Some(ty);
        }
        let text = format!(
            "the selector is of `{}`, and `{}` does not extend that",
            type_name(&self.defs, &selector.ty),
            type_name(&self.defs, &ty)
        );
        self.reporter.error(Code::BadPolymorphism, spec.span, text)
    }
}

fn depth_of(defs: &Definitions<'_>, ty: TypeId) -> u32 {
    let (mut depth, mut at) = (0, defs.type_info(ty).parent);
    while let Some(parent) = at {
        depth += 1;
        at = defs.type_info(parent).parent;
    }
    depth
}
