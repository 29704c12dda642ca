//! Names declared as procedures: EXTERNAL, `procedure(…)`, procedure dummies and pointers, and procedures that are known
//! by their use only.

use crate::checked::{
    Attrs, CharLen, ProcBody, ProcId, ProcKind, Procedure, Scope, Shape, Storage, Type, VarId, Variable,
};
use crate::checker::{Checker, DeclaredName, Init, ProcInfo, ScopeId, Sym, VarInfo};
use crate::typing::{Argument, Given, one};
use ast::TypeSpecKind;
use diag::Code;
use source::Span;
use std::sync::Arc;

impl<'a> Checker<'a> {
    pub(super) fn declare_procedure(&mut self, scope: ScopeId, p: &DeclaredName<'a>) -> Option<Sym> {
        let mut interface = p.interface;
        let mut result = None;
        if let Some(Some(spec)) = p.procedure {
            match &spec.kind {
                // The grammar cannot tell an interface's name from a derived type's.
                TypeSpecKind::Type(name) | TypeSpecKind::Class(name) => match self.find_name(name) {
                    Some(Sym::Proc(id)) => interface = Some(id),
                    Some(Sym::Type(_)) => result = self.type_spec(spec, None),
                    Some(Sym::Generic { procs, .. }) => interface = procs.first().copied(),
                    Some(Sym::Error) => return None,
                    _ => {
                        let text = format!("there is no interface `{}` here", name.as_str());
                        return self.reporter.error(Code::UnknownProcedure, name.span, text);
                    }
                },
                _ => result = self.type_spec(spec, None),
            }
        } else if let Some(spec) = p.spec {
            result = Some(self.type_spec(spec, p.char_len)?);
        }
        if p.dummy.is_none() && p.pointer.is_none() {
            if let Some(ty @ Type::Character(_)) = &result {
                self.made.declared_results.insert((scope, p.name.clone()), ty.clone());
            }
            if let Some(id) = interface {
                return Some(Sym::Proc(id));
            }
            if let Some(id) = self.scopes.external(&p.name) {
                return Some(Sym::Proc(id));
            }
            return Some(Sym::Proc(self.external(&p.name, result, p.span)));
        }
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
        let owner = self.scopes.get(scope).proc;
        if let Init::Pointer(e) = p.init {
            self.typing().null_initial(e, true, &p.name)?;
        }
        let storage = self.typing().storage(scope, p, &Shape::Scalar, owner)?;
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
        Some(Sym::Var(self.defs.add_var(var, info)))
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
            let model = self.defs.proc(interface);
            let (params, result, function, kind) = (model.params.clone(), model.result, model.is_function, model.kind);
            let p = self.defs.proc_mut(id);
            (p.params, p.result, p.is_function, p.kind, p.through) = (params, result, function, kind, Some(var));
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
            (true, ty) => Some(ty.clone()),
        };
        let id = self.external(&v.name, result, span);
        self.dummies_of_arguments(id, args, span);
        self.defs.proc_mut(id).through = Some(var);
        self.defs.proc_info_mut(id).unknown_dummies = false;
        Some(id)
    }

    /// Gives a procedure without an interface dummies after the arguments of a call.
    pub(crate) fn dummies_of_arguments(&mut self, id: ProcId, args: &[Argument], span: Span) {
        for (i, arg) in args.iter().enumerate() {
            let (ty, shape, storage) = match &arg.given {
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
            let attrs = Attrs::default();
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
            cooperative: false,
            max_threads: None,
            cluster: None,
            scope: Scope::default(),
            span,
            end: span,
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
