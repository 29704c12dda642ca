//! Names declared as procedures: EXTERNAL, `procedure(…)`, procedure dummies and pointers, and procedures that are known
//! by their use only.

use super::initial::is_null;
use crate::checked::{
    Attrs, CharLen, Expr, ExprKind, ProcBody, ProcId, ProcKind, Procedure, Scope, Shape, Storage, Type, VarId, Variable,
};
use crate::checker::{
    Checker, DeclaredName, Definitions, Description, Init, InitialTarget, ProcInfo, Resolution, ScopeId, Sym,
    TargetValue, VarInfo,
};
use crate::typing::{Argument, Given, is_procedure_pointer, one};
use ast::TypeSpecKind;
use diag::Code;
use source::Span;
use std::sync::Arc;

impl<'a> Checker<'a> {
    pub(super) fn declare_procedure(&mut self, scope: ScopeId, p: &DeclaredName<'a>) -> Option<Sym> {
        let (mut like, mut result) = (None, None);
        if let Some(Some(spec)) = p.procedure {
            (like, result) = self.interface_or_type(spec)?;
        } else if let Some(spec) = p.spec {
            result = Some(self.type_spec(spec, p.char_len)?);
        }
        if p.dummy.is_none() && p.pointer.is_none() {
            if p.interface.is_none() && like.is_none() {
                self.made.declared_external.insert((scope, p.name.clone()), result.clone());
            }
            // An interface body is the procedure itself; `procedure(…)` says how that of this name is called.
            if let Some(id) = p.interface.or_else(|| self.external_named(&p.name)) {
                if let (None, None, Some(ty)) = (p.interface, like, result)
                    && self.scopes.get(scope).proc != Some(id)
                {
                    self.describe(id, Description::Result(ty), p.span);
                }
                return Some(Sym::Proc(id));
            }
            let is_of_user =
                like.is_some() || self.options.separate || self.options.foreign.has(&format!("{}_", p.name));
            let of_library = crate::intrinsics::lookup(&p.name)
                .filter(|_| !is_of_user && crate::intrinsics::is_of_3f_library(&p.name));
            if let Some(found) = of_library {
                return Some(Sym::Intrinsic(found.id));
            }
            let id = self.external(&p.name, result, p.span);
            if let Some(like) = like {
                self.take_interface(id, like);
            }
            return Some(Sym::Proc(id));
        }
        let interface = p.interface.or(like);
        let owner = self.scopes.get(scope).proc;
        if p.pointer.is_some() {
            return self.declare_procedure_pointer(scope, p, interface, result);
        }
        let var = Variable {
            name: p.name.clone(),
            ty: result.unwrap_or(Type::Any),
            shape: Shape::Scalar,
            storage: Storage::Procedure,
            attrs: Attrs {
                optional: p.optional.is_some(),
                intent: p.intent.map(|i| i.0),
                ignore_tkr: "".into(),
                ..Attrs::default()
            },
            init: None,
            owner,
            module: self.scopes.get(scope).module.clone().filter(|_| owner.is_none()),
            span: p.span,
        };
        Some(Sym::Var(self.defs.add_var(var, VarInfo { interface, ..VarInfo::default() })))
    }

    /// What stands in the parentheses of `procedure(…)`: the procedure whose interface it is, or the type of the result.
    pub(crate) fn interface_or_type(&mut self, spec: &ast::TypeSpec) -> Option<(Option<ProcId>, Option<Type>)> {
        // The grammar cannot tell an interface's name from a derived type's.
        let (TypeSpecKind::Type(ast::DerivedSpec { name, .. }) | TypeSpecKind::Class(ast::DerivedSpec { name, .. })) =
            &spec.kind
        else {
            return self.type_spec(spec, None).map(|ty| (None, Some(ty)));
        };
        Some(match self.find_name(name) {
            Some(Sym::Proc(id)) => (Some(id), None),
            Some(Sym::Type(_)) => (None, self.type_spec(spec, None)),
            Some(Sym::Generic { procs, .. }) => {
                let like = self.specific_of_name(&procs, &name.text);
                if like.is_some_and(|id| self.defs.proc(id).name != name.text) {
                    // Fortran 2018, C1513.
                    let text = format!("`{}` is generic, and no interface of one procedure", name.as_str());
                    return self.reporter.error(Code::WrongKindOfName, name.span, text);
                }
                (like, None)
            }
            // The interface of a procedure dummy or pointer, or what is known of its result.
            Some(Sym::Var(id)) if is_procedure_variable(&self.defs, id) => self.interface_of(id),
            Some(Sym::Intrinsic(_)) => (Some(self.intrinsic_procedure(name)?), None),
            None if crate::intrinsics::lookup(name.as_str()).is_some() => (Some(self.intrinsic_procedure(name)?), None),
            Some(Sym::Error) => return None,
            _ => {
                let text = format!("there is no interface `{}` here", name.as_str());
                return self.reporter.error(Code::UnknownProcedure, name.span, text);
            }
        })
    }

    fn declare_procedure_pointer(
        &mut self,
        scope: ScopeId,
        p: &DeclaredName<'a>,
        interface: Option<ProcId>,
        result: Option<Type>,
    ) -> Option<Sym> {
        if self.cx.side.on_device() {
            return self.reporter.refuse(p.span, "a procedure pointer in device code");
        }
        // Intrinsic ones are called as the others are.
        let is_written = |id: &ProcId| self.defs.proc(*id).elemental && self.defs.proc_info(*id).ast.is_some();
        if let Some(id) = interface.filter(is_written) {
            let text = format!(
                "pointer `{}` has the interface of the elemental procedure `{}`",
                p.name,
                self.defs.proc(id).name
            );
            return self.reporter.error(Code::BadProcedureArgument, p.span, text);
        }
        let owner = self.scopes.get(scope).proc;
        let storage = self.typing().storage(scope, p, None, &Shape::Scalar, owner)?;
        let var = Variable {
            name: p.name.clone(),
            ty: Type::Integer(8),
            shape: Shape::Scalar,
            init: matches!(storage, Storage::Static).then_some(crate::checked::Const::Int(0)),
            storage,
            attrs: Attrs {
                optional: p.optional.is_some(),
                intent: p.intent.map(|i| i.0),
                ignore_tkr: "".into(),
                ..Attrs::default()
            },
            owner,
            module: self.scopes.get(scope).module.clone().filter(|_| owner.is_none()),
            span: p.span,
        };
        let info = VarInfo { interface, result, procedure_pointer: true, ..VarInfo::default() };
        let id = self.defs.add_var(var, info);
        if let Init::Pointer(e) = p.init
            && !is_null(e)
        {
            let pointer = Expr { kind: ExprKind::Var(id), ty: Type::Integer(8), rank: 0, span: p.span };
            self.made.initial_targets.push(InitialTarget { pointer, value: TargetValue::Written(e.clone()), scope });
        }
        Some(Sym::Var(id))
    }

    /// The procedure that stands for calls through a procedure dummy: with its interface, or with dummies made
    /// after the arguments of one call when it has none.
    pub(crate) fn through(&mut self, var: VarId, args: &[Argument], is_function: bool, span: Span) -> Option<ProcId> {
        if let Some(id) = self.defs.var_info(var).through {
            return Some(id);
        }
        let v = self.defs.var(var).clone();
        if let Some(interface) = self.defs.var_info(var).interface {
            self.resolve_interface(interface);
            if let Some(what) = self.defs.proc_info(interface).refused.clone() {
                return self.reporter.refuse_again(&what);
            }
            let id = self.external(&v.name, None, span);
            self.copy_interface(id, interface);
            let p = self.defs.proc_mut(id);
            (p.through, p.elemental) = (Some(var), false);
            self.defs.proc_info_mut(id).unknown_dummies = false;
            self.defs.var_info_mut(var).through = Some(id);
            return Some(id);
        }
        let result = match (is_function, &v.ty) {
            (false, _) => None,
            (true, Type::Any) => match self.scopes.implicit_type(self.cx.scope, &v.name) {
                Some(ty) => Some(ty),
                None => {
                    let text = format!("procedure argument `{}` has no type", v.name);
                    return self.reporter.error_help(
                        Code::UndeclaredName,
                        span,
                        text,
                        "declare the type of its result",
                    );
                }
            },
            (true, Type::Character(CharLen::Assumed)) => {
                let text = format!("dummy function `{}` of assumed length, `character(*)`,", v.name);
                return self.reporter.refuse(span, text);
            }
            (true, ty) => Some(ty.clone()),
        };
        let id = self.external(&v.name, result, span);
        self.dummies_of_arguments(id, args, span);
        self.defs.proc_mut(id).through = Some(var);
        self.defs.proc_info_mut(id).unknown_dummies = false;
        Some(id)
    }

    /// Gives a procedure that has no definition the interface of another one, when its interface is resolved.
    pub(crate) fn take_interface(&mut self, id: ProcId, like: ProcId) {
        self.defs.proc_mut(id).is_function = self.defs.proc(like).is_function;
        let info = self.defs.proc_info_mut(id);
        (info.like, info.state, info.unknown_dummies) = (Some(like), Resolution::Untouched, false);
    }

    /// Copies an interface. Only names for external procedures may be elemental (Fortran 2018, C1516, C1517).
    pub(crate) fn copy_interface(&mut self, id: ProcId, like: ProcId) {
        self.defs.proc_info_mut(id).state = Resolution::InProgress;
        self.resolve_interface(like);
        let from = self.defs.proc_info(like);
        let (refused, is_broken, alternate) = (from.refused.clone(), from.is_broken, from.alternate);
        let model = self.defs.proc(like);
        let (params, result, kind) = (model.params.clone(), model.result, model.kind);
        let (is_function, pure, elemental) = (model.is_function, model.pure, model.elemental);
        let is_bound = model.is_bound;
        let p = self.defs.proc_mut(id);
        (p.params, p.result, p.kind, p.is_function) = (params, result, kind, is_function);
        (p.pure, p.elemental, p.is_bound) = (pure, elemental, is_bound || p.is_bound);
        let info = self.defs.proc_info_mut(id);
        (info.refused, info.is_broken, info.alternate) = (refused, is_broken, alternate);
        info.state = Resolution::Done;
    }

    /// The specific procedure of a generic name that has the same name; an interface is that of this one.
    fn specific_of_name(&self, procs: &[ProcId], name: &str) -> Option<ProcId> {
        procs.iter().copied().find(|&p| &*self.defs.proc(p).name == name).or_else(|| procs.first().copied())
    }

    /// The interface of a procedure dummy or pointer, or the type of its result.
    pub(crate) fn interface_of(&self, var: VarId) -> (Option<ProcId>, Option<Type>) {
        let (info, ty) = (self.defs.var_info(var), &self.defs.var(var).ty);
        let result = if info.procedure_pointer { info.result.clone() } else { Some(ty.clone()) };
        (info.interface, result.filter(|ty| info.interface.is_none() && !matches!(ty, Type::Any)))
    }

    /// Gives a procedure without an interface dummies after the arguments of a call.
    pub(crate) fn dummies_of_arguments(&mut self, id: ProcId, args: &[Argument], span: Span) {
        for (i, arg) in args.iter().enumerate() {
            let (ty, shape, storage) = match &arg.given {
                // A procedure pointer stands for the procedure that it points to.
                Given::Expr(e) if is_procedure_pointer(&self.defs, e) => (Type::Any, Shape::Scalar, Storage::Procedure),
                Given::Expr(e) => {
                    let shape =
                        if e.rank == 0 { Shape::Scalar } else { Shape::AssumedSize(Vec::new(), Box::new(one(span))) };
                    let ty = match &e.ty {
                        Type::Character(_) => Type::Character(CharLen::Assumed),
                        other => other.clone(),
                    };
                    (ty, shape, Storage::Dummy(i as u32))
                }
                Given::Proc(_) | Given::Variable(_) => (Type::Any, Shape::Scalar, Storage::Procedure),
            };
            let name: Arc<str> = format!("argument{}", i + 1).into();
            let attrs = Attrs { value: arg.by_value, ..Attrs::default() };
            let var = Variable { name, ty, shape, storage, attrs, init: None, owner: Some(id), module: None, span };
            let var = self.defs.add_var(var, VarInfo::default());
            self.defs.proc_mut(id).params.push(var);
        }
    }

    /// A procedure of which nothing is known but that it exists, and perhaps its result's type.
    pub(crate) fn external(&mut self, name: &Arc<str>, result: Option<Type>, span: Span) -> ProcId {
        let id = self.defs.next_proc();
        let proc = Procedure {
            name: name.clone(),
            qualified: format!("external.{name}.{}", id.0).into(),
            kind: ProcKind::Host,
            is_function: result.is_some(),
            params: Vec::new(),
            result: None,
            vars: Vec::new(),
            body: ProcBody::Missing,
            parent: None,
            elemental: false,
            pure: false,
            recursive: true,
            is_bound: false,
            cooperative: false,
            max_threads: None,
            cluster: None,
            scope: Scope::default(),
            span,
            end: span,
            entry_of: None,
            through: None,
        };
        self.defs.add_proc(proc, ProcInfo { is_interface: true, unknown_dummies: true, ..ProcInfo::unknown() });
        if let Some(ty) = result {
            let var = Variable {
                name: name.clone(),
                ty,
                shape: Shape::Scalar,
                storage: Storage::Result,
                attrs: Attrs { ignore_tkr: "".into(), ..Attrs::default() },
                init: None,
                owner: Some(id),
                module: None,
                span,
            };
            let var = self.defs.add_var(var, VarInfo::default());
            self.defs.proc_mut(id).result = Some(var);
        }
        id
    }
}

/// Whether a variable is a procedure dummy or a procedure pointer.
fn is_procedure_variable(defs: &Definitions<'_>, var: VarId) -> bool {
    defs.var_info(var).procedure_pointer || matches!(defs.var(var).storage, Storage::Procedure)
}
