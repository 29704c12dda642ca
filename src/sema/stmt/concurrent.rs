//! DO CONCURRENT, and the indices that it shares with FORALL (Fortran 2018, 11.1.7).

use crate::checked::{
    Attrs, CharLen, Const, Dim, Expr, ExprKind, Field, Intrinsic, LoopControl, Shape, Stmt, StmtKind, Storage, Type,
    VarId, visit,
};
use crate::checker::{Checker, ConstructKind, Sym};
use crate::typing::{Typing, constant, shape_name};
use ast::{ConcurrentHeader, DoControl, LoopVar, Name};
use diag::{Code, Diagnostic};
use source::Span;

impl<'a> Checker<'a> {
    pub(super) fn do_concurrent(
        &mut self,
        name: Option<&'a Name>,
        control: &'a DoControl,
        body: &'a [ast::Stmt],
        end: Span,
    ) -> Option<StmtKind> {
        let DoControl::Concurrent { header, locals, inits, shared, none, reduce } = control else {
            return None;
        };
        let listed: Vec<&Name> = locals.iter().chain(shared).chain(reduce.iter().flat_map(|r| &r.vars)).collect();
        self.typing().check_localities(&listed, &header.vars);
        let first_own = self.defs.next_var();
        let outer = self.cx.scope;
        let loops = self.index_ranges(header);
        let mask = match &header.mask {
            Some(e) => Some(self.condition(e)),
            None => None,
        };
        let (mut own, mut first) = (Vec::new(), Vec::new());
        for local in locals {
            let id = match self.find_from(outer, &local.text) {
                Some(Sym::Var(id)) => Some(id),
                Some(_) => self.undeclared_error(local),
                // It may be typed implicitly.
                None => self.variable_of(local),
            };
            let Some(id) = id else { continue };
            self.typing().check_local(local, id);
            let var = self.defs.var(id);
            let (ty, shape) = self.as_outside(id, local.span);
            let rank = shape.rank();
            // It has these attributes of the variable, and no others (Fortran 2018, 11.1.7.5).
            let Attrs { pointer, target, contiguous, volatile, class, is_flat, .. } = var.attrs;
            let lengths = self.lengths_outside(id, local.span);
            let polymorphic = self.defs.var_info(id).polymorphic;
            let mine = self.construct_variable(&local.text, ty.clone(), shape, Storage::Local, local.span);
            let attrs = &mut self.defs.var_mut(mine).attrs;
            *attrs = Attrs { is_flat, pointer, target, contiguous, volatile, class, lengths, ..attrs.clone() };
            self.defs.var_info_mut(mine).polymorphic = polymorphic;
            own.push(mine);
            if inits.iter().any(|i| i.text == local.text) {
                let whole = |v| Expr { kind: ExprKind::Var(v), ty: ty.clone(), rank, span: local.span };
                let (target, value) = (whole(mine), whole(id));
                let kind = if pointer {
                    StmtKind::PointerAssign { target, bounds: Vec::new(), value }
                } else {
                    StmtKind::Assign { target, value }
                };
                first.push(Stmt { label: None, kind, span: local.span });
            }
        }
        let (id, mut body) = self.inside(name, ConstructKind::Parallel, |c, id| (id, c.block(body)));
        if *none {
            self.typing().check_listed(&body, &listed, first_own);
        }
        if !own.is_empty() {
            let inner = self.cx.new_construct();
            first.append(&mut body);
            let body_of_block = first;
            body = vec![Stmt {
                label: None,
                kind: StmtKind::Block { id: inner, vars: own, body: body_of_block },
                span: end,
            }];
        }
        self.cx.scope = outer;
        let mask = match mask {
            Some(mask) => Some(mask?),
            None => None,
        };
        Some(StmtKind::Loop { id, control: LoopControl::Concurrent { vars: loops?, mask }, body, end })
    }

    /// The length parameters of what is LOCAL in a loop, by those of the object outside; of a pointer as they are declared.
    fn lengths_outside(&self, id: VarId, span: Span) -> Vec<CharLen> {
        let var = self.defs.var(id);
        let Type::Derived(ty) = var.ty else { return Vec::new() };
        let fields = self.defs.ty(ty).fields.iter().enumerate().filter(|(_, f)| f.is_parameter);
        let of_outside = |(length, (at, field)): (&CharLen, (usize, &Field))| match length {
            CharLen::Assumed | CharLen::Expr(_) => {
                let whole = Expr { kind: ExprKind::Var(id), ty: var.ty.clone(), rank: var.shape.rank(), span };
                let kind = ExprKind::Field { base: Box::new(whole), field: at as u32 };
                CharLen::Expr(Box::new(Expr { kind, ty: field.ty.clone(), rank: 0, span }))
            }
            length => length.clone(),
        };
        var.attrs.lengths.iter().zip(fields).map(of_outside).collect()
    }

    /// The type and the shape of what is LOCAL in a loop: those of the variable outside, also where that has got them by other means than
    /// by expressions that have their values still (Fortran 2018, 11.1.7.5).
    fn as_outside(&self, id: VarId, span: Span) -> (Type, Shape) {
        let var = self.defs.var(id);
        let whole = Expr { kind: ExprKind::Var(id), ty: var.ty.clone(), rank: var.shape.rank(), span };
        let number = |value: i64| constant(Const::Int(value), Type::Integer(4), span);
        let inquire = |of: Intrinsic, dim: Option<i64>| {
            let args =
                [Some(whole.clone())].into_iter().chain(dim.map(|dim| Some(number(dim)))).chain([Some(number(8))]);
            Expr { kind: ExprKind::Intrinsic { id: of, args: args.collect() }, ty: Type::Integer(8), rank: 0, span }
        };
        let ty = match &var.ty {
            Type::Character(CharLen::Assumed | CharLen::Expr(_)) => {
                Type::Character(CharLen::Expr(Box::new(inquire(Intrinsic::Len, None))))
            }
            ty => ty.clone(),
        };
        let shape = match &var.shape {
            shape @ (Shape::Scalar | Shape::Deferred(_)) => shape.clone(),
            shape if shape.constant_bounds().is_some() => shape.clone(),
            shape => {
                let bound = |of, dim: u8| inquire(of, Some(i64::from(dim)));
                let dims = (1..=shape.rank())
                    .map(|dim| Dim { lower: bound(Intrinsic::Lbound, dim), upper: bound(Intrinsic::Ubound, dim) });
                Shape::Explicit(dims.collect())
            }
        };
        (ty, shape)
    }

    /// The indices of FORALL and DO CONCURRENT, as variables of a scope that is entered here.
    pub(crate) fn index_ranges(
        &mut self,
        header: &'a ConcurrentHeader,
    ) -> Option<Vec<(VarId, Expr, Expr, Option<Expr>)>> {
        let given = match &header.spec {
            Some(spec) => match self.type_spec(spec, None)? {
                ty @ Type::Integer(_) => Some(ty),
                ty => {
                    let text = format!("an index is an integer, not {}", shape_name(&self.defs, &ty, 0));
                    return self.reporter.error(Code::IntegerRequired, header.vars.first()?.name.span, text);
                }
            },
            None => None,
        };
        let mut typed = Vec::with_capacity(header.vars.len());
        for (at, v) in header.vars.iter().enumerate() {
            if let Some(first) = header.vars[..at].iter().find(|other| other.name.text == v.name.text) {
                // Fortran 2018, 11.1.7.2.
                let text = format!("`{}` is an index of the same statement already", v.name.as_str());
                let d = Diagnostic::new(Code::BadDoVariable, v.name.span, text);
                self.reporter.report(d.secondary(first.name.span, "the first one is here"));
            }
            let ty = match &given {
                Some(ty) => Some(ty.clone()),
                None => self.index_type(&v.name),
            };
            let ty = ty.unwrap_or(Type::Integer(4));
            let (first, last) = (self.loop_bound(&v.first, &ty), self.loop_bound(&v.last, &ty));
            let step = match &v.step {
                Some(e) => Some(self.loop_bound(e, &ty)),
                None => None,
            };
            typed.push((v, ty, first, last, step));
        }
        for (_, _, first, last, step) in &typed {
            for range in [first.as_ref(), last.as_ref(), step.as_ref().and_then(Option::as_ref)].into_iter().flatten() {
                self.typing().check_range_of_index(range, &header.vars);
            }
            if let Some(Some(Expr { kind: ExprKind::Const(Const::Int(0)), span, .. })) = step {
                self.reporter.error::<()>(Code::ZeroStride, *span, "the step of an index is zero");
            }
        }
        self.enter_block();
        let mut out = Vec::with_capacity(typed.len());
        let mut complete = true;
        for (v, ty, first, last, step) in typed {
            let id = self.construct_variable(&v.name.text, ty, Shape::Scalar, Storage::Local, v.name.span);
            match (first, last, step) {
                (Some(first), Some(last), None) => out.push((id, first, last, None)),
                (Some(first), Some(last), Some(Some(step))) => out.push((id, first, last, Some(step))),
                _ => complete = false,
            }
        }
        complete.then_some(out)
    }
}

impl Typing<'_> {
    /// Fortran 2018, C1122 and C1125: the range of an index does not refer to an index of the same statement.
    fn check_range_of_index(&mut self, range: &Expr, vars: &[LoopVar]) {
        let mut found = None;
        visit::all(range, &mut |part| {
            if let ExprKind::Var(id) = part.kind
                && vars.iter().any(|v| v.name.text == self.defs.var(id).name)
            {
                found = Some((part.span, self.defs.var(id).name.clone()));
            }
        });
        if let Some((span, name)) = found {
            let text = format!("the range of an index refers to `{name}`, an index of the same statement");
            self.reporter.error::<()>(Code::BadMaskedAssignment, span, text);
        }
    }
}
