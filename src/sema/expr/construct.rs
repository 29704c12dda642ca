//! Structure constructors (Fortran 2018, 7.5.10).

use crate::checked::{CharLen, Const, Expr, ExprKind, Shape, Type, TypeId, VarId, is_designator, visit};
use crate::checker::{Binding, Checker};
use crate::typing::{
    Argument, Given, Typing, assignable, constant, constant_extents, fit_constant, is_class, is_pointer, shape_name,
    type_name,
};
use ast::Arg;
use diag::{Code, Diagnostic, nearest_name};
use source::Span;

impl Checker<'_> {
    /// `type(values)`
    pub(super) fn structure(&mut self, id: TypeId, args: &[Arg], name: Span, span: Span) -> Option<Expr> {
        self.structure_with(id, &[], args, name, span)
    }

    /// `type(type parameters)(values)`
    pub(super) fn structure_with(
        &mut self,
        id: TypeId,
        params: &[Arg],
        args: &[Arg],
        name: Span,
        span: Span,
    ) -> Option<Expr> {
        let (params, args) = match params {
            [] => args.split_at(self.leading_parameters(id, args, name)),
            _ => (params, args),
        };
        let arguments = self.arguments(args)?;
        let of = self.constructed_type(id, params, name)?;
        self.structure_of_instance(of, arguments, name, span)
    }

    /// How many values of a constructor are type parameters, which gfortran takes before the components and in the same
    /// parentheses: all of them where a parameter has no default, or where there are more values than components.
    fn leading_parameters(&mut self, id: TypeId, args: &[Arg], name: Span) -> usize {
        if !self.is_template(id) {
            return 0;
        }
        let (count, has_defaults) = self.count_parameters(id);
        if args.len() < count || args[..count].iter().any(|arg| arg.keyword.is_some()) {
            return 0;
        }
        if !has_defaults {
            return count;
        }
        let Some((instance, _)) = self.constructed_type(id, &[], name) else { return 0 };
        self.resolve_type(instance);
        let components = self.defs.ty(instance).fields.iter().filter(|f| !f.is_parameter).count();
        if args.len() > components { count } else { 0 }
    }

    /// A structure constructor whose arguments are typed.
    pub(crate) fn structure_of(&mut self, id: TypeId, args: Vec<Argument>, name: Span, span: Span) -> Option<Expr> {
        let of = self.constructed_type(id, &[], name)?;
        self.structure_of_instance(of, args, name, span)
    }

    fn structure_of_instance(
        &mut self,
        (id, lengths): (TypeId, Vec<CharLen>),
        args: Vec<Argument>,
        name: Span,
        span: Span,
    ) -> Option<Expr> {
        self.resolve_type(id);
        let id = self.for_device(id);
        if let Some(what) = self.defs.type_info(id).refused.clone() {
            return self.reporter.refuse_again(&what);
        }
        if self.defs.type_info(id).is_broken {
            return None;
        }
        let id = self.first_sequence_type(id);
        self.typing().check_opaque(id, &args, name)?;
        let ty = self.defs.ty(id).clone();
        let mut values: Vec<Option<Expr>> = vec![None; ty.fields.len()];
        for (param, length) in ty.open_parameters().zip(lengths) {
            let Some(at) = ty.fields.iter().position(|f| f.is_parameter && f.name == param.name) else { continue };
            let value = match length {
                CharLen::Const(n) => constant(Const::Int(n), param.ty.clone(), span),
                CharLen::Expr(e) => self.typing().convert(*e, &param.ty)?,
                CharLen::Assumed | CharLen::Deferred => continue,
            };
            values[at] = Some(value);
        }
        let places: Vec<usize> = (0..ty.fields.len()).filter(|&at| !ty.fields[at].is_parameter).collect();
        let mut by_keyword = false;
        let (args, parents) = self.without_parents(id, args)?;
        for (i, arg) in args.into_iter().enumerate() {
            let at = match &arg.keyword {
                Some(keyword) => {
                    by_keyword = true;
                    match ty.fields.iter().position(|f| f.name == keyword.text && !f.is_parameter) {
                        Some(at) => at,
                        None => {
                            let near = nearest_name(keyword.as_str(), ty.fields.iter().map(|f| &*f.name));
                            let text = format!("`type({})` has no component `{}`", ty.name, keyword.as_str());
                            self.reporter
                                .report(Diagnostic::new(Code::UnknownComponent, keyword.span, text).suggest(near));
                            return None;
                        }
                    }
                }
                None if by_keyword => {
                    let text = "a value by position stands after one by keyword";
                    return self.reporter.error(Code::BadStructureConstructor, arg.span, text);
                }
                None if i >= places.len() => {
                    let text =
                        format!("`type({})` has {} components, and more values are given", ty.name, places.len());
                    return self.reporter.error(Code::BadStructureConstructor, arg.span, text);
                }
                None => places[i],
            };
            // The value of a parent has become values of its components, which are not named here.
            if self.defs.type_info(id).parent.is_none() {
                let name = ast::Name { text: ty.fields[at].name.clone(), span: arg.span };
                self.typing().check_access(id, &name)?;
            }
            if values[at].is_some() {
                let text = format!("component `{}` is given twice", ty.fields[at].name);
                return self.reporter.error(Code::BadStructureConstructor, arg.span, text);
            }
            let e = match arg.given {
                Given::Expr(e) => e,
                Given::Proc(id) => self.procedure_target(id, arg.span),
                Given::Variable(id) => Expr { kind: ExprKind::Var(id), ty: Type::Integer(8), rank: 0, span: arg.span },
            };
            let is_pointer =
                matches!(self.defs.type_info(id).bindings.get(&ty.fields[at].name), Some(Binding::Pointer { .. }));
            // Compilers do not ask whether a component without an interface may point to the procedure.
            let has_interface = self
                .component_pointed(id, &ast::Name { text: ty.fields[at].name.clone(), span: arg.span })
                .is_some_and(|(pointed, _)| pointed.interface.is_some());
            if has_interface && matches!(e.kind, ExprKind::Procedure(_)) {
                let base = Expr { kind: ExprKind::Null, ty: Type::Derived(id), rank: 0, span: arg.span };
                let kind = ExprKind::Field { base: Box::new(base), field: at as u32 };
                self.check_pointed(&Expr { kind, ty: Type::Integer(8), rank: 0, span: arg.span }, &e)?;
            }
            let e = match e.kind {
                ExprKind::Null if is_pointer => constant(Const::Int(0), Type::Integer(8), arg.span),
                ExprKind::Procedure(_) if !is_pointer => {
                    let text = format!("component `{}` is not a procedure pointer", ty.fields[at].name);
                    return self.reporter.error(Code::TypeMismatch, arg.span, text);
                }
                _ => e,
            };
            values[at] = Some(self.typing().component_value(&ty.fields[at], e)?);
        }
        for (field, value) in ty.fields.iter().zip(&mut values) {
            if value.is_some() || field.is_allocatable() || field.is_parameter {
                continue;
            }
            match &field.init {
                // The object is made with it.
                Some(_) if field.sized.is_some() => {}
                Some(Const::Null) => {
                    let kind = ExprKind::Null;
                    *value = Some(Expr { kind, ty: field.ty.clone(), rank: field.shape.rank(), span });
                }
                Some(init) => {
                    let kind = ExprKind::Const(init.clone());
                    *value = Some(Expr { kind, ty: field.ty.clone(), rank: field.shape.rank(), span });
                }
                // An object is made with what it begins with.
                None if field.pointer || field.start.is_some() => {}
                // A missing extent of `dim3` is 1, whether its definition says so or not.
                None if &*ty.name == "dim3" => *value = Some(constant(Const::Int(1), field.ty.clone(), span)),
                None => {
                    let default = match &field.ty {
                        Type::Derived(inner) => self.default_value(*inner),
                        _ => None,
                    };
                    let Some(default) = default else {
                        let text = format!("component `{}` of `type({})` has no value", field.name, ty.name);
                        return self.reporter.error(Code::BadStructureConstructor, name, text);
                    };
                    let is_made = |inner: TypeId| self.defs.ty(inner).is_made || self.defs.ty(inner).is_flat;
                    if matches!(field.ty, Type::Derived(inner) if is_made(inner)) {
                        continue;
                    }
                    let kind = ExprKind::Const(default);
                    *value = Some(Expr { kind, ty: field.ty.clone(), rank: 0, span });
                }
            }
        }
        Some(Expr {
            kind: ExprKind::Construct { ty: id, parents, fields: values },
            ty: Type::Derived(id),
            rank: 0,
            span,
        })
    }

    /// The values of a constructor with that of a parent component, by keyword or first of all, replaced by its components.
    /// Also the variables that get what functions give for parents.
    fn without_parents(&mut self, id: TypeId, args: Vec<Argument>) -> Option<(Vec<Argument>, Vec<(VarId, Expr)>)> {
        let (mut out, mut parents) = (Vec::with_capacity(args.len()), Vec::new());
        for (i, mut arg) in args.into_iter().enumerate() {
            let Given::Expr(e) = &mut arg.given else {
                out.push(arg);
                continue;
            };
            let (mut child, mut parent) = (id, self.defs.type_info(id).parent);
            while let Some(p) = parent {
                let is_named = arg.keyword.as_ref().is_some_and(|k| self.defs.names_parent(child, p, &k.text));
                let is_first = i == 0
                    && arg.keyword.is_none()
                    && matches!(e.ty, Type::Derived(t) if t == p)
                    && !matches!(self.defs.ty(id).fields.first().map(|f| &f.ty), Some(Type::Derived(t)) if *t == p);
                if is_first || (is_named && matches!(e.ty, Type::Derived(t) if t == p)) {
                    break;
                }
                (child, parent) = (p, self.defs.type_info(p).parent);
            }
            let Some(p) = parent else {
                out.push(arg);
                continue;
            };
            let is_simple = matches!(e.kind, ExprKind::Construct { .. }) || is_designator(e) && !visit::has_calls(e);
            if !is_simple {
                let is_plain = |id: TypeId| !self.defs.ty(id).is_made && !self.defs.ty(id).is_flat;
                if is_class(&self.defs, e) || !is_plain(p) || !is_plain(id) {
                    return self.reporter.refuse(e.span, "this expression as the parent component of a constructor");
                }
                let variable = self.own_variable("parent", &e.ty, e.span);
                if let ExprKind::Var(v) = variable.kind {
                    self.defs.remove_from_owner(v);
                    parents.push((v, std::mem::replace(e, variable)));
                }
            }
            if let ExprKind::Construct { parents: inner, .. } = &mut e.kind {
                parents.append(inner);
            }
            for (at, field) in self.defs.ty(p).fields.clone().into_iter().enumerate() {
                if field.is_parameter {
                    continue;
                }
                let value = match &e.kind {
                    ExprKind::Construct { fields, .. } => fields.get(at).cloned().flatten(),
                    _ => {
                        let kind = ExprKind::Field { base: Box::new(e.clone()), field: at as u32 };
                        Some(Expr { kind, ty: field.ty.clone(), rank: field.shape.rank(), span: e.span })
                    }
                };
                let Some(value) = value else { continue };
                let keyword = arg.keyword.as_ref().map(|k| ast::Name { text: field.name.clone(), span: k.span });
                out.push(Argument { keyword, ..Argument::of(value) });
            }
        }
        Some((out, parents))
    }
}

impl Typing<'_> {
    /// The components of `c_ptr` and `c_funptr` are private (Fortran 2018, 18.3.2).
    fn check_opaque(&mut self, id: TypeId, args: &[Argument], name: Span) -> Option<()> {
        let ty = self.defs.ty(id);
        let is_embedded = |span: Span| self.options.embedded.contains(&span.file);
        if !is_embedded(ty.span) || is_embedded(name) || args.is_empty() || !matches!(&*ty.name, "c_ptr" | "c_funptr") {
            return Some(());
        }
        let text = format!("`type({})` has no components that a program could give", ty.name);
        let help = "use `transfer`, or `c_loc` and `c_funloc`";
        self.reporter.error_help(Code::PrivateComponent, name, text, help)
    }

    fn component_value(&mut self, field: &crate::checked::Field, e: Expr) -> Option<Expr> {
        let wanted = field.shape.rank();
        let is_null = matches!(e.kind, ExprKind::Null);
        if is_null && !field.pointer && !field.is_allocatable() {
            let text = format!("component `{}` is no pointer and not allocatable", field.name);
            return self.reporter.error(Code::MisplacedNull, e.span, text);
        }
        if is_null {
            return Some(Expr { ty: field.ty.clone(), rank: wanted, ..e });
        }
        let e = if field.pointer || field.class { e } else { self.as_twin(e, &field.ty) };
        let fits = assignable(&field.ty, &e) || (field.class && self.defs.class_takes(&field.ty, &e.ty));
        if !fits {
            let text = format!(
                "component `{}` is `{}`, and {} is given",
                field.name,
                type_name(self.defs, &field.ty),
                shape_name(self.defs, &e.ty, e.rank)
            );
            return self.reporter.error(Code::TypeMismatch, e.span, text);
        }
        let spreads = e.rank == 0 && (matches!(field.shape, Shape::Explicit(_)) || field.sized.is_some());
        if e.rank != wanted && !spreads {
            let text = format!("component `{}` has rank {wanted}, and a value of rank {} is given", field.name, e.rank);
            return self.reporter.error(Code::RankMismatch, e.span, text);
        }
        if let (Some(a), Some(b), true) = (field.shape.constant_bounds(), constant_extents(self.defs, &e), e.rank > 0)
            && !field.allocatable
            && !field.pointer
            && let Some(dim) = a.iter().zip(&b).position(|(a, b)| a.1 != b.1)
        {
            let text = format!(
                "component `{}` has extent {} in dimension {}, and {} is given",
                field.name,
                a[dim].1,
                dim + 1,
                b[dim].1
            );
            return self.reporter.error(Code::ShapeMismatch, e.span, text);
        }
        let is_reference = matches!(e.kind, ExprKind::Call { .. }) && is_pointer(self.defs, &e);
        if field.pointer && !is_designator(&e) && !is_reference {
            let text = format!("pointer component `{}` needs a target or `null()`", field.name);
            return self.reporter.error(Code::BadStructureConstructor, e.span, text);
        }
        let ty = field.ty.clone();
        let value = self.convert(e, &ty)?;
        // A constant has the component's length.
        Some(match value.kind {
            // What a polymorphic component gets keeps its own type.
            ExprKind::Const(c) if !field.class && !matches!(ty, Type::Character(CharLen::Deferred)) => {
                Expr { kind: ExprKind::Const(fit_constant(c, &ty)), ty, ..value }
            }
            kind => Expr { kind, ..value },
        })
    }
}
