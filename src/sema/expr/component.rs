//! `base%name`: components, parts of complex numbers, type parameters, and the axes of predefined variables.

use crate::checked::{CharLen, Const, Expr, ExprKind, Shape, Type, TypeId};
use crate::checker::{Binding, Checker};
use crate::cuda::Builtin;
use crate::typing::{Typing, constant, shape_name};
use ast::{Arg, ArgValue, Name};
use diag::{Code, Diagnostic, nearest_name};
use source::Span;

impl Checker<'_> {
    /// `base%name`
    pub(super) fn member(&mut self, base: &ast::Expr, name: &Name, span: Span) -> Option<Expr> {
        if let Some(read) = self.builtin_axis(base, name, span) {
            return read;
        }
        let object = self.expr(base)?;
        if let Type::Derived(ty) = object.ty
            && matches!(self.defs.type_info(ty).bindings.get(&name.text), Some(Binding::Procedure { .. }))
            && let Some(call) = self.bound_function(base, name, &[], span)
        {
            // nvfortran takes it.
            let text =
                format!("function `{}` of `type({})` has no `()` behind it", name.as_str(), self.defs.ty(ty).name);
            self.typing().not_standard(Code::FormOfCompilers, name.span, text, "write `()` after it");
            return call;
        }
        self.component(object, name, span)
    }

    /// `threadidx%x` and kin, unless the program has a variable of that name.
    fn builtin_axis(&mut self, base: &ast::Expr, name: &Name, span: Span) -> Option<Option<Expr>> {
        let ast::ExprKind::Name(variable) = &base.kind else { return None };
        let builtin = Builtin::of(variable.as_str()).filter(|b| *b != Builtin::WarpSize)?;
        if self.find_name(variable).is_some() {
            return None;
        }
        if self.typing().check_builtin(builtin, variable.span).is_none() {
            return Some(None);
        }
        let axis = match name.as_str() {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            other => {
                let text = format!("`{}` has the components `x`, `y` and `z`, not `{other}`", variable.as_str());
                return Some(self.reporter.error(Code::UnknownComponent, name.span, text));
            }
        };
        Some(Some(builtin.read(axis, span)))
    }

    /// Whether a name is that of a predefined variable whose components are axes.
    pub(super) fn is_axis(&mut self, base: &ast::Expr) -> bool {
        let ast::ExprKind::Name(variable) = &base.kind else { return false };
        Builtin::of(variable.as_str()).is_some_and(|b| b != Builtin::WarpSize) && self.find_name(variable).is_none()
    }

    /// A component of a value.
    pub(crate) fn component(&mut self, base: Expr, name: &Name, span: Span) -> Option<Expr> {
        match (&base.ty, name.as_str()) {
            (Type::Derived(id), _) => self.field(base.clone(), *id, name, span),
            (Type::Complex(k), part @ ("re" | "im")) => {
                let (ty, rank) = (Type::Real(*k), base.rank);
                let kind = ExprKind::ComplexPart { base: Box::new(base), imaginary: part == "im" };
                self.typing().fold(Expr { kind, ty, rank, span })
            }
            (ty, "kind") => {
                let kind = i64::from(crate::fold::kind_of(ty));
                Some(constant(Const::Int(kind), self.options.integer(), span))
            }
            (Type::Character(CharLen::Const(n)), "len") => Some(constant(Const::Int(*n), self.options.integer(), span)),
            (Type::Character(_), "len") => {
                let kind = ExprKind::Intrinsic { id: crate::checked::Intrinsic::Len, args: vec![Some(base), None] };
                Some(Expr { kind, ty: self.options.integer(), rank: 0, span })
            }
            _ => {
                let text = format!("{} has no components", shape_name(&self.defs, &base.ty, base.rank));
                self.reporter.error(Code::NotADerivedType, base.span, text)
            }
        }
    }

    fn field(&mut self, base: Expr, id: TypeId, name: &Name, span: Span) -> Option<Expr> {
        self.resolve_type(id);
        let found = self.defs.ty(id).fields.iter().position(|f| f.name == name.text);
        if let Some(param) = self.type_parameter(id, &name.text).cloned() {
            let open = self.defs.ty(id).open_parameters().position(|p| p.name == param.name);
            let known = param.value.or_else(|| self.typing().declared_length(&base, open?));
            let Some(at) = found.filter(|_| known.is_none()) else {
                return Some(constant(Const::Int(known?), param.ty, span));
            };
            // An array has the lengths of its elements; an inquiry is no variable.
            let kind = ExprKind::Field { base: Box::new(base), field: at as u32 };
            let held = Expr { kind, ty: param.ty.clone(), rank: 0, span };
            return Some(Expr { kind: ExprKind::Paren(Box::new(held)), ty: param.ty, rank: 0, span });
        }
        let Some(at) = found else {
            return self.typing().parent_or_missing(base, id, name, span);
        };
        self.typing().check_access(id, name)?;
        let field = &self.defs.ty(id).fields[at];
        let own = field.shape.rank();
        let is_procedure = matches!(self.defs.type_info(id).bindings.get(&name.text), Some(Binding::Pointer { .. }));
        if base.rank > 0 && is_procedure {
            // Fortran 2018, 9.4.2.
            let text =
                format!("component `{}` is a procedure pointer, and what it is taken of is an array", name.as_str());
            return self.reporter.error_help(Code::RankMismatch, span, text, "take it of one element");
        }
        if base.rank > 0 && (own > 0 || field.is_allocatable() || field.pointer) {
            let text = format!("component `{}` is an array, and so is what it is taken of", name.as_str());
            return self.reporter.error_help(Code::RankMismatch, span, text, "take it of one element");
        }
        self.component_node(base, at, span)
    }

    /// An element of an array component of each object of an array: `a%r(i)` (Fortran 2018, 9.4.2: one part of a designator
    /// has a rank). `None` if this is something else.
    #[allow(clippy::option_option)]
    pub(super) fn element_of_each(
        &mut self,
        base: &Expr,
        name: &Name,
        args: &[Arg],
        span: Span,
    ) -> Option<Option<Expr>> {
        let Type::Derived(id) = base.ty else { return None };
        if base.rank == 0 {
            return None;
        }
        self.resolve_type(id);
        let at = self.defs.ty(id).fields.iter().position(|f| f.name == name.text)?;
        if self.typing().check_access(id, name).is_none() {
            return Some(None);
        }
        let field = &self.defs.ty(id).fields[at];
        let is_plain = matches!(field.shape, Shape::Explicit(_)) && !field.allocatable && !field.pointer;
        let is_array = is_plain || (field.sized.is_some() && field.shape.rank() > 0);
        if !is_array || args.iter().any(|a| matches!(a.value, ArgValue::Range { .. })) {
            return None;
        }
        let component = self.component_node(base.clone(), at, span);
        Some(component.and_then(|component| self.element_of_components(component, args, span)))
    }

    fn component_node(&mut self, base: Expr, at: usize, span: Span) -> Option<Expr> {
        let Type::Derived(id) = base.ty else { return None };
        let field = &self.defs.ty(id).fields[at];
        let (ty, own) = (field.ty.clone(), field.shape.rank());
        let rank = if base.rank > 0 { base.rank } else { own };
        self.typing().fold(Expr { kind: ExprKind::Field { base: Box::new(base), field: at as u32 }, ty, rank, span })
    }
}

impl Typing<'_> {
    /// Checks that code here may name a component or type-bound procedure (Fortran 2018, 7.5.4.8, 7.5.5).
    pub(crate) fn check_access(&mut self, id: TypeId, name: &Name) -> Option<()> {
        let Some(module) = self.defs.type_info(id).private.get(&name.text) else { return Some(()) };
        if self.cx.debugger || self.scopes.around(self.cx.scope).any(|s| s.module.as_ref() == Some(module)) {
            return Some(());
        }
        let text = format!("`{}` of `type({})` is private to module `{module}`", name.as_str(), self.defs.ty(id).name);
        let help = "use a procedure of the module, or make it public there";
        self.reporter.error_help(Code::PrivateComponent, name.span, text, help)
    }

    /// The parent component is accessible where the name of the parent type is (Fortran 2018, 7.5.7.2).
    fn check_parent_access(&mut self, id: TypeId, parent: TypeId, name: &Name) -> Option<()> {
        let data = self.scopes.get(self.defs.type_info(parent).scope);
        let (Some(module), None) = (data.module.clone(), data.proc) else { return Some(()) };
        let is_private = data.access.get(&name.text).copied().unwrap_or(data.private_default);
        let is_inside = self.scopes.around(self.cx.scope).any(|s| s.module.as_ref() == Some(&module));
        // Where the extension is defined, and in its module, the parent is known, be it by another name.
        let own = self.scopes.get(self.defs.type_info(id).scope).module.clone();
        let is_own = self.scopes.around(self.cx.scope).any(|s| s.module.is_some() && s.module == own);
        if !is_private || is_inside || is_own || self.cx.debugger {
            return Some(());
        }
        let text =
            format!("the parent type `{}` is private to module `{module}`, and so is the component", name.as_str());
        let help = "name the inherited component without it, or make the type public there";
        self.reporter.error_help(Code::PrivateComponent, name.span, text, help)
    }

    /// The parent component of an object is not of the object's dynamic type: as a whole it is an object of the parent type, of
    /// which there is none if that is abstract (Fortran 2018, C705 and 7.5.7.1).
    pub(crate) fn check_parent_object(&mut self, e: &Expr) -> Option<()> {
        let (ExprKind::Seen { class: false, base }, Type::Derived(id)) = (&e.kind, &e.ty) else { return Some(()) };
        let is_parent = matches!(base.ty, Type::Derived(own) if self.defs.ty(own).parent.is_some());
        if !is_parent || !self.defs.type_info(*id).ast.is_some_and(|def| def.is_abstract) {
            return Some(());
        }
        let text = format!("this is an object of the abstract type `{}`", self.defs.ty(*id).name);
        self.reporter.error_help(Code::BadPolymorphism, e.span, text, "use the object itself, or a component of it")
    }

    /// The parent component of an extended type is the whole object seen as its parent.
    fn parent_or_missing(&mut self, base: Expr, id: TypeId, name: &Name, span: Span) -> Option<Expr> {
        let (mut child, mut parent) = (id, self.defs.type_info(id).parent);
        while let Some(p) = parent {
            if self.defs.names_parent(child, p, &name.text) {
                self.check_parent_access(id, p, name)?;
                let (ty, rank) = (Type::Derived(p), base.rank);
                return Some(Expr { kind: ExprKind::Seen { base: Box::new(base), class: false }, ty, rank, span });
            }
            (child, parent) = (p, self.defs.type_info(p).parent);
        }
        if self.defs.type_info(id).bindings.contains_key(&name.text) {
            let text = format!(
                "`{}` is a procedure of `type({})` and is named without arguments",
                name.as_str(),
                self.defs.ty(id).name
            );
            return self.reporter.error_help(Code::WrongKindOfName, name.span, text, "write `()` after it to call it");
        }
        if self.defs.type_info(id).is_broken {
            return None;
        }
        let ty = self.defs.ty(id);
        let near = nearest_name(name.as_str(), ty.fields.iter().map(|f| &*f.name));
        let d = Diagnostic::new(
            Code::UnknownComponent,
            name.span,
            format!("`type({})` has no component `{}`", ty.name, name.as_str()),
        );
        let d = match near {
            Some(_) => d.suggest(near),
            None => {
                let list = ty.fields.iter().take(8).map(|f| format!("`{}`", f.name)).collect::<Vec<_>>().join(", ");
                if list.is_empty() { d } else { d.help(format!("it has {list}")) }
            }
        };
        let _ = base;
        self.reporter.report(d);
        None
    }
}
