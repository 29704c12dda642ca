//! Initial values: of named constants, variables and components. They must be constant and fit type and shape.

use crate::checked::{
    CharLen, Const, Dim, Expr, ExprKind, Item, ProcBody, Shape, Stmt, StmtKind, Storage, Type, TypeId, VarId,
    is_designator, root,
};
use crate::checker::{Checker, CodeSide, Context, DeclaredName, Init, InitialTarget, ScopeId, TargetValue};
use crate::typing::{Typing, assignable, fit_constant, is_allocatable, is_pointer, same_type, shape_name, type_name};
use diag::Code;
use source::Span;
use std::sync::Arc;

impl<'a> Checker<'a> {
    /// The value, and the final type and shape, of a named constant.
    pub(super) fn parameter_value(
        &mut self,
        p: &DeclaredName<'a>,
        e: &ast::Expr,
        ty: Type,
        shape: Shape,
    ) -> Option<(Const, Type, Shape)> {
        let (value, given, own) = self.constant_of_type(e, &ty)?;
        if p.is_enumerator && !matches!(own, Type::Integer(_)) {
            // Fortran 2018, R762.
            let text = format!("the value of enumerator `{}` is {}", p.name, shape_name(&self.defs, &own, given));
            return self.reporter.error_help(Code::IntegerRequired, e.span, text, "give an integer");
        }
        let ty = match (&ty, &value) {
            (Type::Character(CharLen::Assumed), Const::Char(text)) => {
                Type::Character(CharLen::Const(text.len() as i64))
            }
            (Type::Character(CharLen::Assumed), Const::Array { items, .. }) => {
                let len = items.iter().map(|c| if let Const::Char(t) = c { t.len() as i64 } else { 0 }).max();
                match (len, own) {
                    (None, Type::Character(CharLen::Const(len))) => Type::Character(CharLen::Const(len)),
                    (len, _) => Type::Character(CharLen::Const(len.unwrap_or(0))),
                }
            }
            _ => ty,
        };
        let shape = implied_shape(p, shape, &value);
        let value = self.typing().shaped(value, given, &shape, e.span, &p.name)?;
        Some((value, ty, shape))
    }

    /// The type of the value of a named constant that has none of its own.
    pub(super) fn type_of_value(&mut self, p: &DeclaredName<'a>) -> Option<Type> {
        let Init::Value(e) = &p.init else { return None };
        Some(self.expr(e)?.ty)
    }

    /// The initial value of a variable that is not a named constant.
    pub(super) fn initial(
        &mut self,
        p: &DeclaredName<'a>,
        ty: &Type,
        shape: &Shape,
        storage: &Storage,
        (scope, id): (ScopeId, VarId),
    ) -> Option<Const> {
        match &p.init {
            Init::Value(e) if matches!(ty, Type::Derived(id) if self.defs.ty(*id).is_made) => {
                self.initial_object(e, ty, shape, (scope, id));
                None
            }
            Init::Value(e) => {
                if p.allocatable.is_some() {
                    let text = format!("allocatable `{}` cannot have an initial value", p.name);
                    return self.reporter.error(Code::BadInitialisation, e.span, text);
                }
                let whole = Expr { kind: ExprKind::Var(id), ty: ty.clone(), rank: 0, span: p.span };
                let object = matches!(shape, Shape::Scalar).then_some(&whole);
                let (value, rank, _) = self.constant_of_object(e, ty, object, scope)?;
                // A scalar stands for each element.
                if rank == 0 && large_count(shape).is_some() {
                    return Some(value);
                }
                self.typing().shaped(value, rank, shape, e.span, &p.name)
            }
            Init::Pointer(e) => {
                let is_static = matches!(storage, Storage::Static) && p.pointer.is_some();
                if is_static && !is_null(e) {
                    let rank = shape.rank();
                    let pointer = Expr { kind: ExprKind::Var(id), ty: ty.clone(), rank, span: p.span };
                    self.made.initial_targets.push(InitialTarget {
                        pointer,
                        value: TargetValue::Written((*e).clone()),
                        scope,
                    });
                    return Some(Const::Null);
                }
                self.typing().null_initial(e, p.pointer.is_some(), &p.name)
            }
            Init::None | Init::Next(_) => match (storage, ty) {
                (Storage::Static, Type::Derived(id))
                    if p.allocatable.is_none() && p.pointer.is_none() && self.defs.ty(*id).is_flat =>
                {
                    let value = self.default_value(*id)?;
                    match shape.constant_bounds() {
                        Some(bounds) if bounds.is_empty() => Some(value),
                        Some(bounds) => filled(value, bounds),
                        None => None,
                    }
                }
                _ => None,
            },
        }
    }

    /// Notes the initial value of an object whose type has length parameters that are known at run time only.
    pub(super) fn initial_object(&mut self, e: &ast::Expr, ty: &Type, shape: &Shape, (scope, id): (ScopeId, VarId)) {
        let pointer = Expr { kind: ExprKind::Var(id), ty: ty.clone(), rank: shape.rank(), span: e.span };
        self.made.initial_targets.push(InitialTarget { pointer, value: TargetValue::Object(e.clone()), scope });
    }

    /// Whether objects of a type are made at run time.
    pub(super) fn is_made(&self, ty: &Type) -> bool {
        matches!(ty, Type::Derived(id) if self.defs.ty(*id).is_made)
    }

    /// The default value of a component of such a type.
    pub(super) fn start_of_part(&mut self, e: &ast::Expr, ty: &Type, shape: &Shape) -> Option<Arc<Expr>> {
        let value = self.expr_as(e, ty)?;
        self.check_constant_parts(&value)?;
        if !assignable(ty, &value) || (value.rank != 0 && value.rank != shape.rank()) {
            let given = shape_name(&self.defs, &value.ty, value.rank);
            let text = format!("an initial value of {given} does not fit {}", shape_name(&self.defs, ty, shape.rank()));
            return self.reporter.error(Code::TypeMismatch, e.span, text);
        }
        Some(Arc::new(value))
    }

    /// The initial target of a pointer component.
    pub(super) fn start_of_pointer(&mut self, e: &ast::Expr, ty: &Type, shape: &Shape) -> Option<Arc<Expr>> {
        let target = self.designator(e)?;
        self.typing().check_initial_target(&target);
        if !same_type(ty, &target.ty) || target.rank != shape.rank() {
            let given = shape_name(&self.defs, &target.ty, target.rank);
            let text = format!("{given} cannot be the initial target of {}", shape_name(&self.defs, ty, shape.rank()));
            return self.reporter.error(Code::TypeMismatch, e.span, text);
        }
        if !self.typing().is_target(&target) {
            let text = "the initial target has no `target` attribute";
            let help = "name a saved variable with the `target` attribute";
            return self.reporter.error_help(Code::BadInitialisation, e.span, text, help);
        }
        Some(Arc::new(target))
    }

    /// Whether each part of the value of an object is constant, which is not so is said.
    pub(crate) fn check_constant_parts(&mut self, e: &Expr) -> Option<()> {
        match &e.kind {
            ExprKind::Var(id) if self.defs.var_info(*id).is_constant => Some(()),
            ExprKind::Paren(inner) => self.check_constant_parts(inner),
            ExprKind::Construct { parents, fields, .. } if parents.is_empty() => {
                fields.iter().flatten().try_for_each(|field| self.check_constant_parts(field))
            }
            ExprKind::Array(items) => items.iter().try_for_each(|item| match item {
                Item::Expr(e) => self.check_constant_parts(e),
                Item::Do(_) => self.typing().evaluate(e).map(|_| ()),
            }),
            ExprKind::Null => Some(()),
            _ => self.typing().evaluate(e).map(|_| ()),
        }
    }

    /// Associates pointers with the initial targets of their declarations: the first statements of the main program do it.
    /// Both are there for the whole run, so that nobody can tell.
    pub(crate) fn associate_initial_targets(&mut self) {
        self.assign_data_objects();
        let main = self.defs.main;
        let mut first = Vec::new();
        for InitialTarget { pointer, value, scope } in std::mem::take(&mut self.made.initial_targets) {
            let proc = self.scopes.get(scope).proc.or(main);
            let outer = self.enter_context(Context::new(scope, proc, CodeSide::Host));
            let (kind, span) = match value {
                TargetValue::Written(e) => (self.associate_pointer(pointer, Vec::new(), &e, e.span), e.span),
                TargetValue::Typed(value) => {
                    let span = value.span;
                    (Some(StmtKind::PointerAssign { target: pointer, bounds: Vec::new(), value }), span)
                }
                TargetValue::Value(value) => {
                    let span = value.span;
                    first.push(Stmt { label: None, kind: StmtKind::Assign { target: pointer, value }, span });
                    let _ = self.leave_context(outer);
                    continue;
                }
                TargetValue::Object(e) => {
                    let kind = self.assign_initial(pointer, &e);
                    first.extend(kind.map(|kind| Stmt { label: None, kind, span: e.span }));
                    let _ = self.leave_context(outer);
                    continue;
                }
            };
            match &kind {
                Some(StmtKind::PointerAssign { value, .. }) => self.typing().check_initial_target(value),
                Some(StmtKind::Assign { value, .. }) => self.typing().check_initial_procedure(value),
                _ => {}
            }
            first.extend(kind.map(|kind| Stmt { label: None, kind, span }));
            let _ = self.leave_context(outer);
        }
        let Some(main) = main else { return };
        if let ProcBody::Statements(body) = &mut self.defs.proc_mut(main).body {
            body.splice(0..0, first);
        }
    }

    /// The value that default initialisation gives, if any component has one.
    pub(crate) fn default_value(&mut self, id: TypeId) -> Option<Const> {
        self.resolve_type(id);
        let fields = self.defs.ty(id).fields.clone();
        let mut some = false;
        let mut values = Vec::with_capacity(fields.len());
        for f in &fields {
            if let Some(value) = &f.init {
                some = true;
                values.push(value.clone());
                continue;
            }
            let own = match &f.ty {
                Type::Derived(inner) if !f.allocatable && !f.pointer => self.default_value(*inner),
                _ => None,
            };
            some |= own.is_some();
            let scalar = own.unwrap_or_else(|| self.zero(&f.ty));
            values.push(match f.shape.constant_bounds() {
                _ if f.allocatable || f.pointer => Const::Null,
                Some(bounds) if !bounds.is_empty() => filled(scalar, bounds)?,
                _ => scalar,
            });
        }
        some.then_some(Const::Derived(values))
    }

    /// Zero, blank or false of a type: what memory without an initial value is filled with in a constant.
    pub(crate) fn zero(&mut self, ty: &Type) -> Const {
        match ty {
            Type::Integer(_) | Type::Any => Const::Int(0),
            Type::Real(2) => Const::Real2(0),
            Type::Real(4) => Const::Real4(0.0),
            Type::Real(_) => Const::Real8(0.0),
            Type::Complex(4) => Const::Complex4(0.0, 0.0),
            Type::Complex(_) => Const::Complex8(0.0, 0.0),
            Type::Logical(_) => Const::Logical(false),
            Type::Character(CharLen::Const(n)) => Const::Char(vec![b' '; (*n).clamp(0, 1 << 24) as usize].into()),
            Type::Character(_) => Const::Char(Vec::new().into()),
            Type::Derived(id) => {
                self.resolve_type(*id);
                let fields = self.defs.ty(*id).fields.clone();
                let values = fields
                    .iter()
                    .map(|f| {
                        if f.allocatable || f.pointer {
                            return Const::Null;
                        }
                        let scalar = self.zero(&f.ty);
                        match f.shape.constant_bounds() {
                            Some(bounds) if !bounds.is_empty() => filled(scalar, bounds).unwrap_or(Const::Null),
                            _ => scalar,
                        }
                    })
                    .collect();
                Const::Derived(values)
            }
        }
    }

    /// A constant expression converted to a type; also its rank and the type that it has itself.
    pub(crate) fn constant_of_type(&mut self, e: &ast::Expr, ty: &Type) -> Option<(Const, u8, Type)> {
        self.constant_value(e, ty, None, self.cx.scope)
    }

    /// The initial value of an object, whose pointer components may have targets. A logical object keeps the bits of an integer.
    pub(super) fn constant_of_object(
        &mut self,
        e: &ast::Expr,
        ty: &Type,
        object: Option<&Expr>,
        scope: ScopeId,
    ) -> Option<(Const, u8, Type)> {
        let (value, rank, own) = self.constant_value(e, ty, object, scope)?;
        if let (Type::Logical(_), Type::Integer(_)) = (ty, &own) {
            return self.constant_value(e, &own, None, scope);
        }
        Some((value, rank, own))
    }

    /// Takes the targets of pointer components out of a structure constructor.
    fn take_targets(&mut self, value: &mut Expr, object: &Expr, scope: ScopeId) {
        let ExprKind::Construct { ty, fields, .. } = &mut value.kind else { return };
        for (at, field) in fields.iter_mut().enumerate() {
            let (Some(field), Some(info)) = (field, self.defs.ty(*ty).fields.get(at)) else { continue };
            let (is_pointer, rank) = (info.pointer, info.shape.rank());
            let kind = ExprKind::Field { base: Box::new(object.clone()), field: at as u32 };
            let part = Expr { kind, ty: info.ty.clone(), rank, span: object.span };
            if is_pointer && is_designator(field) {
                let null = Expr { kind: ExprKind::Null, ..field.clone() };
                let target = TargetValue::Typed(std::mem::replace(field, null));
                self.made.initial_targets.push(InitialTarget { pointer: part, value: target, scope });
            } else if !is_pointer && rank == 0 {
                self.take_targets(field, &part, scope);
            }
        }
    }

    /// Puts the constants that stand for procedures into structure constructors (Fortran 2018, 10.1.12: an initial target is
    /// a constant expression there).
    fn number_procedures(&mut self, value: &mut Expr) {
        match &mut value.kind {
            ExprKind::Construct { fields, .. } => {
                for field in fields.iter_mut().flatten() {
                    match field.kind {
                        ExprKind::Procedure(id) => field.kind = ExprKind::Const(self.defs.procedure_constant(id)),
                        _ => self.number_procedures(field),
                    }
                }
            }
            ExprKind::Array(items) => {
                for item in items {
                    if let Item::Expr(e) = item {
                        self.number_procedures(e);
                    }
                }
            }
            ExprKind::Convert(inner) | ExprKind::Paren(inner) => self.number_procedures(inner),
            _ => {}
        }
    }

    fn constant_value(
        &mut self,
        e: &ast::Expr,
        ty: &Type,
        object: Option<&Expr>,
        scope: ScopeId,
    ) -> Option<(Const, u8, Type)> {
        let outer = std::mem::replace(&mut self.cx.specification, true);
        let value = self.converted_constant(e, ty, object, scope);
        self.cx.specification = outer;
        value
    }

    fn converted_constant(
        &mut self,
        e: &ast::Expr,
        ty: &Type,
        object: Option<&Expr>,
        scope: ScopeId,
    ) -> Option<(Const, u8, Type)> {
        let mut value = self.expr_as(e, ty)?;
        if let Some(object) = object {
            self.take_targets(&mut value, object, scope);
        }
        self.number_procedures(&mut value);
        let value = self.dimensions_of(ty, value)?;
        let own = value.ty.clone();
        let value = self.typing().of_hollerith(value, e, ty);
        if !assignable(ty, &value) {
            let text = format!(
                "initial value is {}, which is no `{}`",
                shape_name(&self.defs, &value.ty, value.rank),
                type_name(&self.defs, ty)
            );
            return self.reporter.error(Code::BadInitialisation, e.span, text);
        }
        if let Type::Character(CharLen::Expr(length)) = &value.ty {
            self.typing().evaluate(&length.clone())?;
        }
        let rank = value.rank;
        self.typing().check_fraction(ty, &value);
        let value = self.typing().convert(value, ty)?;
        let value = self.typing().evaluate(&value)?;
        Some((fit_constant(value, ty), rank, own))
    }
}

/// The shape of a named constant, which may take upper bounds from its value.
pub(super) fn implied_shape(p: &DeclaredName<'_>, shape: Shape, value: &Const) -> Shape {
    match (&shape, value) {
        (Shape::AssumedSize(dims, lower), Const::Array { bounds, .. }) if dims.len() + 1 == bounds.len() => {
            let mut dims = dims.clone();
            if p.shape.is_some_and(|s| s.dims.iter().all(|d| matches!(d, ast::Bound::Star { .. }))) {
                for (dim, bound) in dims.iter_mut().zip(bounds) {
                    let start = if let ExprKind::Const(Const::Int(v)) = dim.lower.kind { v } else { 1 };
                    let last = start.saturating_add(bound.1).saturating_sub(1);
                    dim.upper.kind = ExprKind::Const(Const::Int(last));
                }
            }
            let start = if let ExprKind::Const(Const::Int(v)) = lower.kind { v } else { 1 };
            let extent = bounds.last().map_or(0, |b| b.1);
            let upper = Expr {
                kind: ExprKind::Const(Const::Int(start.saturating_add(extent).saturating_sub(1))),
                ..(**lower).clone()
            };
            dims.push(Dim { lower: (**lower).clone(), upper });
            Shape::Explicit(dims)
        }
        _ => shape,
    }
}

/// Whether an initial target is `null()`.
pub(super) fn is_null(e: &ast::Expr) -> bool {
    matches!(&e.kind, ast::ExprKind::Apply { base, args } if args.is_empty()
        && matches!(&base.kind, ast::ExprKind::Name(n) if n.as_str() == "null"))
}

/// The number of elements of an array that is large enough for one constant to stand for all of them.
pub(super) fn large_count(shape: &Shape) -> Option<i64> {
    let bounds = shape.constant_bounds()?;
    bounds.iter().try_fold(1i64, |n, b| n.checked_mul(b.1)).filter(|n| *n > 1 << 16)
}

/// An array with one value everywhere; none above 16 Mi elements.
pub(super) fn filled(value: Const, bounds: Vec<(i64, i64)>) -> Option<Const> {
    let count = bounds.iter().try_fold(1i64, |n, b| n.checked_mul(b.1)).filter(|n| *n <= 1 << 24)?;
    Some(Const::Array { bounds, items: vec![value; count as usize] })
}

impl Typing<'_> {
    /// An initial target is there for the whole run, and stays where it is (Fortran 2018, C765 and C814).
    fn check_initial_target(&mut self, value: &Expr) {
        let Some(v) = root(value) else { return };
        let var = self.defs.var(v);
        let what = if is_pointer(self.defs, value) || var.attrs.pointer {
            "a pointer"
        } else if is_allocatable(self.defs, value) || var.attrs.allocatable {
            "allocatable"
        } else if matches!(var.storage, Storage::Local | Storage::Dummy(_) | Storage::Result) {
            "not saved"
        } else {
            return;
        };
        let text = format!("`{}` is {what} and cannot be an initial target", var.name);
        let help = "name a saved variable with the `target` attribute";
        self.reporter.error_help::<()>(Code::BadInitialisation, value.span, text, help);
    }

    /// An initial procedure is there for the whole run: no internal one, no argument, no pointer (Fortran 2018, 15.4.3.6).
    fn check_initial_procedure(&mut self, value: &Expr) {
        let what = match value.kind {
            ExprKind::Procedure(id) if self.defs.proc(id).parent.is_some() => "an internal procedure",
            ExprKind::Var(id) if matches!(self.defs.var(id).storage, Storage::Procedure) => "an argument",
            ExprKind::Var(_) | ExprKind::Field { .. } => "a procedure pointer",
            _ => return,
        };
        let text = format!("the initial target of a procedure pointer cannot be {what}");
        let help = "name a module procedure or an external one, or assign the pointer in a statement";
        self.reporter.error_help::<()>(Code::BadInitialisation, value.span, text, help);
    }

    /// `=> null()`; other targets are not supported.
    pub(super) fn null_initial(&mut self, e: &ast::Expr, is_pointer: bool, name: &str) -> Option<Const> {
        if !is_pointer {
            return self.reporter.error(Code::BadInitialisation, e.span, format!("`{name}` is not a pointer"));
        }
        if is_null(e) {
            return Some(Const::Null);
        }
        self.reporter.refuse(e.span, format!("an initial target of pointer `{name}`"))
    }

    /// A constant brought to a shape: scalars are spread over arrays.
    pub(crate) fn shaped(&mut self, value: Const, rank: u8, shape: &Shape, span: Span, name: &str) -> Option<Const> {
        let Some(bounds) = shape.constant_bounds() else {
            return self.reporter.error(
                Code::BadInitialisation,
                span,
                format!("`{name}` cannot have an initial value: its shape is not constant"),
            );
        };
        match (value, bounds.is_empty()) {
            (Const::Array { .. }, true) => self.reporter.error(
                Code::RankMismatch,
                span,
                format!("initial value of the scalar `{name}` is an array of rank {rank}"),
            ),
            (scalar, true) => Some(scalar),
            (Const::Array { bounds: given, items }, false) => {
                if given.len() != bounds.len() {
                    let text = format!("initial value has rank {}, `{name}` has rank {}", given.len(), bounds.len());
                    let help = "give it its shape with `reshape`";
                    return self.reporter.error_help(Code::RankMismatch, span, text, help);
                }
                if given.iter().zip(&bounds).any(|(a, b)| a.1 != b.1) {
                    let list = |b: &[(i64, i64)]| b.iter().map(|x| x.1.to_string()).collect::<Vec<_>>().join(" x ");
                    let text =
                        format!("initial value has shape {}, `{name}` has shape {}", list(&given), list(&bounds));
                    return self.reporter.error(Code::ShapeMismatch, span, text);
                }
                Some(Const::Array { bounds, items })
            }
            (scalar, false) => match filled(scalar, bounds) {
                Some(value) => Some(value),
                None => self.reporter.refuse(span, format!("an initial value of `{name}`, which is that large,")),
            },
        }
    }
}
