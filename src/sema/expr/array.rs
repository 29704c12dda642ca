//! Array constructors (Fortran 2018, 7.8). Items of different numeric kinds get their common type, as with nvfortran.

use crate::checked::{CharLen, Const, Expr, ExprKind, ImpliedDo, Intrinsic, Item, Shape, Storage, Type, VarId};
use crate::checker::{Checker, ScopeData, ScopeId, Sym};
use crate::typing::{
    Typing, assignable, constant, fit_constant, is_numeric, promoted, same_type, shape_name, type_name,
};
use ast::{ArrayItem, ArrayRange, TypeSpec};
use diag::Code;
use source::Span;

impl Checker<'_> {
    pub(super) fn array_constructor(
        &mut self,
        spec: Option<&TypeSpec>,
        items: &[ArrayItem],
        span: Span,
    ) -> Option<Expr> {
        let mut ty = match spec {
            Some(spec) => Some(self.type_spec(spec, None)?),
            None => None,
        };
        if let (Some(Type::Character(CharLen::Assumed)), Some(spec)) = (&ty, spec) {
            // Fortran 2018, 7.8.
            let text = "the characters of an array constructor have a length of their own, not `*`";
            return self.reporter.error_help(Code::BadCharacterLength, spec.span, text, "give the length");
        }
        let written = ty.is_some();
        let items = self.items(items)?;
        if !written {
            let mut failed = None;
            let mut lengths = Vec::new();
            for_each_value(&items, &mut |e| {
                if let Type::Character(CharLen::Const(n)) = e.ty {
                    lengths.push((n, e.span));
                }
                ty = match ty.take() {
                    None => Some(e.ty.clone()),
                    Some(old) if self.defs.are_flat_twins(&old, &e.ty) => Some(old),
                    Some(old) => match common(&old, &e.ty) {
                        Some(new) => Some(new),
                        None => {
                            failed.get_or_insert((old.clone(), e.ty.clone(), e.span));
                            Some(old)
                        }
                    },
                };
            });
            if let Some((n, at)) = lengths.iter().find(|(n, _)| *n != lengths[0].0) {
                // Fortran 2018, 7.8.
                let text = format!("characters of length {} and {n} stand in one array constructor", lengths[0].0);
                let help = "write their length, for example `[character(len=8) :: …]`";
                self.typing().not_standard(Code::UnequalLengths, *at, text, help);
            }
            let mut kinds = Vec::new();
            for_each_value(&items, &mut |e| kinds.push((e.ty.clone(), e.span)));
            let differs = |(ty, _): &&(Type, Span)| is_numeric(ty) && !same_type(ty, &kinds[0].0);
            if let Some((ty, at)) = kinds.iter().find(differs).filter(|_| failed.is_none()) {
                // Fortran 2018, C7110.
                let (a, b) = (type_name(&self.defs, &kinds[0].0), type_name(&self.defs, ty));
                let text = format!("items of an array constructor without a type are `{a}` and `{b}`");
                let help = "write their type, for example `[real :: …]`";
                self.typing().not_standard(Code::BadArrayConstructor, *at, text, help);
            }
            if let Some((a, b, at)) = failed {
                let text = format!(
                    "items of an array constructor are `{}` and `{}`",
                    type_name(&self.defs, &a),
                    type_name(&self.defs, &b)
                );
                return self.reporter.error(Code::BadArrayConstructor, at, text);
            }
        }
        let Some(ty) = ty else {
            let help = "write the type, for example `[integer ::]`";
            return self.reporter.error_help(
                Code::BadArrayConstructor,
                span,
                "an empty array constructor has no type",
                help,
            );
        };
        let mut items = self.typing().converted(items, &ty)?;
        if let Some(first) = spec.and_then(|spec| self.objects_of_spec(spec, &ty, &items, span)) {
            items.insert(0, Item::Expr(first));
        }
        // The length of the first item, where no type is written, is an expression of another scope.
        let ty = match ty {
            Type::Character(CharLen::Expr(_)) if !written => Type::Character(CharLen::Assumed),
            ty => ty,
        };
        let e = Expr { kind: ExprKind::Array(items), ty, rank: 1, span };
        Some(constant_array(e))
    }

    /// An array of no objects with the length parameters that a constructor begins with, which has no others if all its items are
    /// empty.
    fn objects_of_spec(&mut self, spec: &TypeSpec, ty: &Type, items: &[Item], span: Span) -> Option<Expr> {
        let Type::Derived(id) = *ty else { return None };
        let has_lengths = self.defs.ty(id).is_made || self.defs.ty(id).is_flat;
        if !has_lengths || items.iter().any(|item| matches!(item, Item::Expr(e) if e.rank == 0)) {
            return None;
        }
        let mut lengths = self.lengths_of_spec(spec).into_iter();
        let mut fields = Vec::new();
        for field in self.defs.ty(id).fields.clone() {
            let length = if field.is_parameter { lengths.next() } else { None };
            fields.push(match length {
                Some(CharLen::Const(n)) => Some(constant(Const::Int(n), field.ty, span)),
                Some(CharLen::Expr(n)) => Some(self.typing().convert(*n, &field.ty)?),
                Some(CharLen::Assumed | CharLen::Deferred) => return None,
                // The object is copied, characters as values.
                None if matches!(field.ty, Type::Character(_)) && !field.is_allocatable() && !field.pointer => {
                    Some(constant(Const::Char(Vec::new().into()), Type::Character(CharLen::Const(0)), span))
                }
                None => None,
            });
        }
        let object =
            Expr { kind: ExprKind::Construct { ty: id, parents: Vec::new(), fields }, ty: ty.clone(), rank: 0, span };
        let array = Expr { kind: ExprKind::Array(vec![Item::Expr(object)]), ty: ty.clone(), rank: 1, span };
        let none = constant(Const::Logical(false), Type::Logical(4), span);
        let kind = ExprKind::Intrinsic { id: Intrinsic::Pack, args: vec![Some(array), Some(none), None] };
        Some(Expr { kind, ty: ty.clone(), rank: 1, span })
    }

    fn items(&mut self, items: &[ArrayItem]) -> Option<Vec<Item>> {
        let mut out = Vec::with_capacity(items.len());
        let mut complete = true;
        for item in items {
            let typed = match item {
                ArrayItem::Expr(e) => self.expr(e).and_then(|e| self.host_value(e)).map(Item::Expr),
                ArrayItem::Do(d) => self.implied_do(d).map(|d| Item::Do(Box::new(d))),
                ArrayItem::Range(r) => self.range(r).map(|d| Item::Do(Box::new(d))),
            };
            match typed {
                Some(typed) => out.push(typed),
                None => complete = false,
            }
        }
        complete.then_some(out)
    }

    fn implied_do(&mut self, d: &ast::ImpliedDo<ArrayItem>) -> Option<ImpliedDo<Item>> {
        if self.cx.debugger {
            return self.reporter.refuse(d.span, "an implied do loop");
        }
        if let (None, Some(Sym::Var(id))) = (&d.spec, self.find_name(&d.var))
            && matches!(self.defs.var(id).storage, Storage::Parameter)
            && self.defs.var(id).owner == self.cx.proc
            && self.defs.var(id).init.is_some()
            && !self.is_index_of_data(id)
        {
            // Fortran 2018, 19.4.
            let text = format!("`{}` is a named constant and cannot be the variable of a loop", d.var.as_str());
            return self.reporter.error_help(Code::BadImpliedDo, d.var.span, text, "choose another name");
        }
        let ty = match &d.spec {
            Some(spec) => self.type_spec(spec, None)?,
            None => self.index_type(&d.var)?,
        };
        // nvfortran takes real bounds, and programs count up to real numbers.
        let bound = |c: &mut Self, e: &ast::Expr| {
            let value = c.expr(e)?;
            if matches!(value.ty, Type::Real(_)) && value.rank == 0 {
                return c.typing().convert(value, &ty);
            }
            c.integer_scalar(e, &ty, "a bound of an implied do loop")
        };
        let (first, last) = (bound(self, &d.first), bound(self, &d.last));
        let step = match &d.step {
            Some(e) => Some(bound(self, e)?),
            None => None,
        };
        let (first, last) = (first?, last?);
        let outer = self.enter_block();
        let var = self.construct_variable(&d.var.text, ty, Shape::Scalar, Storage::Local, d.var.span);
        if let Some(inner) = d.items.iter().find_map(|item| inner_index(item, &d.var)) {
            // Fortran 2018, C7115.
            let text = format!("`{}` is the variable of the implied do loop around this one", d.var.as_str());
            self.reporter.error::<()>(Code::BadImpliedDo, inner, text);
        }
        let items = self.items(&d.items);
        self.cx.scope = outer;
        Some(ImpliedDo { items: items?, var, first, last, step })
    }

    /// `a:b:c`, an extension of nvfortran and others: an implied DO over its own index.
    fn range(&mut self, r: &ArrayRange) -> Option<ImpliedDo<Item>> {
        if self.cx.debugger {
            return self.reporter.refuse(r.span, "a range in an array constructor");
        }
        let text = "a range stands in an array constructor, which is an extension";
        self.typing().not_standard(Code::BadArrayConstructor, r.span, text, "write an implied do loop");
        let mut kind = self.options.integer_kind();
        for e in [&r.first, &r.last] {
            if let Type::Integer(k) = self.expr(e)?.ty {
                kind = kind.max(k);
            }
        }
        let ty = Type::Integer(kind);
        let mut bound = |e: &ast::Expr| self.integer_scalar(e, &ty, "a bound of a range");
        let (first, last) = (bound(&r.first), bound(&r.last));
        let step = match &r.step {
            Some(e) => Some(bound(e)?),
            None => None,
        };
        let (first, last) = (first?, last?);
        let outer = self.enter_block();
        let var = self.construct_variable(&"index".into(), ty.clone(), Shape::Scalar, Storage::Local, r.span);
        self.cx.scope = outer;
        let value = Expr { kind: ExprKind::Var(var), ty, rank: 0, span: r.span };
        Some(ImpliedDo { items: vec![Item::Expr(value)], var, first, last, step })
    }

    /// Whether a named constant is the variable of an implied DO of DATA around this place.
    fn is_index_of_data(&self, id: VarId) -> bool {
        let name = &self.defs.var(id).name;
        !self.scopes.around(self.cx.scope).any(|data| data.declared.iter().any(|p| p.name == *name))
    }

    /// Enters a scope within the current one and gives the outer one.
    pub(crate) fn enter_block(&mut self) -> ScopeId {
        let outer = self.cx.scope;
        let inner = ScopeData { parent: Some(outer), proc: self.cx.proc, is_block: true, ..ScopeData::default() };
        self.cx.scope = self.scopes.add(inner);
        outer
    }

    /// The type of the index of an implied DO, FORALL or DO CONCURRENT: that of the variable of its name, or implicit.
    pub(crate) fn index_type(&mut self, name: &ast::Name) -> Option<Type> {
        let ty = match self.find_name(name) {
            Some(Sym::Var(id)) => Some(self.defs.var(id).ty.clone()),
            Some(Sym::Error) => return None,
            _ => self.scopes.implicit_type(self.cx.scope, name.as_str()),
        };
        match ty {
            Some(ty @ Type::Integer(_)) => Some(ty),
            Some(other) => {
                let text = format!(
                    "loop index `{}` must be an integer, not `{}`",
                    name.as_str(),
                    type_name(&self.defs, &other)
                );
                self.reporter.error(Code::BadDoVariable, name.span, text)
            }
            None => self.undeclared_error(name),
        }
    }
}

/// Where an implied DO in an item has the same variable.
fn inner_index(item: &ArrayItem, var: &ast::Name) -> Option<Span> {
    let ArrayItem::Do(d) = item else { return None };
    if d.var.text == var.text { Some(d.var.span) } else { d.items.iter().find_map(|item| inner_index(item, var)) }
}

fn for_each_value(items: &[Item], f: &mut dyn FnMut(&Expr)) {
    for item in items {
        match item {
            Item::Expr(e) => f(e),
            Item::Do(d) => for_each_value(&d.items, f),
        }
    }
}

/// The type that holds items of both types.
fn common(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        (Type::Character(CharLen::Const(x)), Type::Character(CharLen::Const(y))) => {
            Some(Type::Character(CharLen::Const(*x.max(y))))
        }
        (Type::Character(_), Type::Character(_)) => Some(Type::Character(CharLen::Deferred)),
        (Type::Logical(x), Type::Logical(y)) => Some(Type::Logical(*x.max(y))),
        _ if is_numeric(a) && is_numeric(b) => promoted(a, b),
        _ if same_type(a, b) => Some(a.clone()),
        _ => None,
    }
}

impl Typing<'_> {
    fn converted(&mut self, items: Vec<Item>, ty: &Type) -> Option<Vec<Item>> {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            out.push(match item {
                Item::Expr(e) if self.defs.are_flat_twins(ty, &e.ty) => Item::Expr(self.as_twin(e, ty)),
                Item::Expr(e) => {
                    if !assignable(ty, &e) {
                        let text = format!(
                            "item is {}, and the array is `{}`",
                            shape_name(self.defs, &e.ty, e.rank),
                            type_name(self.defs, ty)
                        );
                        return self.reporter.error(Code::BadArrayConstructor, e.span, text);
                    }
                    Item::Expr(self.convert(e, ty)?)
                }
                Item::Do(d) => {
                    let items = self.converted(d.items, ty)?;
                    Item::Do(Box::new(ImpliedDo { items, ..*d }))
                }
            });
        }
        Some(out)
    }
}

/// A constructor whose items are all constants is one constant.
fn constant_array(e: Expr) -> Expr {
    let ExprKind::Array(items) = &e.kind else { return e };
    // Characters of a length that is known at run time only are not constant.
    let is_open = matches!(e.ty, Type::Character(CharLen::Expr(_)));
    if is_open || items.is_empty() || items.len() > 4096 {
        return e;
    }
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Item::Expr(Expr { kind: ExprKind::Const(c), rank: 0, .. }) => {
                values.push(fit_constant(c.clone(), &e.ty));
            }
            _ => return e,
        }
    }
    let value = Const::Array { bounds: vec![(1, values.len() as i64)], items: values };
    Expr { kind: ExprKind::Const(value), ..e }
}
