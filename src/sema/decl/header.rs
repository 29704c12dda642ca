//! Procedures: their prefixes, dummies and results, settled on demand.

use super::ALTERNATE;
use super::{Pending, ProcInfo};
use crate::checked::{Attrs, ProcBody, ProcId, ProcKind, Procedure, Scope, Shape, Storage, Type, Variable};
use crate::checker::{Checker, Context, Side, VarInfo};
use crate::scope::{Entry, ScopeData, ScopeId, State, Sym};
use ast::{DeclKind, Name, Prefix, ProcedureAttr, StmtKind, Subprogram, SubprogramKind};
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Where the statements of a procedure of that kind run.
pub(crate) fn side_of(kind: ProcKind) -> Side {
    match kind {
        ProcKind::Host => Side::Host,
        ProcKind::Kernel | ProcKind::Device => Side::Device,
        ProcKind::HostDevice => Side::Both,
    }
}

impl<'a> Checker<'a> {
    /// Makes a procedure of a definition; its interface is settled on demand.
    pub(crate) fn add_procedure(
        &mut self,
        sub: &'a Subprogram,
        parent_scope: Option<ScopeId>,
        parent: Option<ProcId>,
        module: Option<Arc<str>>,
    ) -> ProcId {
        let id = ProcId(self.out.procs.len() as u32);
        let scope = self.add_scope(ScopeData {
            parent: parent_scope,
            proc: Some(id),
            module: module.clone(),
            ..ScopeData::default()
        });
        let host = parent.map(|p| self.out.proc(p).qualified.clone()).or(module);
        let qualified: Arc<str> = match host {
            Some(host) => format!("{host}.{}", sub.name.as_str()).into(),
            None => sub.name.text.clone(),
        };
        self.out.procs.push(Procedure {
            name: sub.name.text.clone(),
            qualified,
            kind: ProcKind::Host,
            is_function: sub.kind == SubprogramKind::Function,
            params: Vec::new(),
            result: None,
            vars: Vec::new(),
            body: ProcBody::Missing,
            parent,
            elemental: false,
            pure: false,
            recursive: false,
            cooperative: false,
            max_threads: None,
            cluster: None,
            scope: Scope::default(),
            span: sub.span,
            end: sub.end,
            through: None,
        });
        self.procs.push(ProcInfo {
            ast: Some(sub),
            separate: None,
            scope,
            state: State::Untouched,
            is_interface: false,
            embedded: self.options.embedded.contains(&sub.span.file),
            unknown_dummies: false,
            bind: None,
            refused: None,
            is_broken: false,
            calls: Vec::new(),
            formats: BTreeMap::new(),
            labels: BTreeSet::new(),
            reported_missing: false,
            ignored: Vec::new(),
            alternate: None,
        });
        self.prefixes(id, sub);
        id
    }

    /// Makes the procedures that a module or procedure contains, and names them in its scope.
    pub(crate) fn declare_procedures(
        &mut self,
        scope: ScopeId,
        subs: &'a [Subprogram],
        parent: Option<ProcId>,
        module: Option<Arc<str>>,
    ) {
        for sub in subs {
            if is_separate(sub) {
                continue;
            }
            if let Some(Entry { span, module: None, .. }) = self.scopes[scope.0 as usize].names.get(&sub.name.text) {
                let first = *span;
                self.declared_twice(sub.name.as_str(), sub.name.span, first);
                continue;
            }
            let id = self.add_procedure(sub, Some(scope), parent, module.clone());
            self.define(scope, &sub.name.text, Sym::Proc(id), sub.name.span);
            for name in entries(sub) {
                let what = refused_entry(name.as_str());
                if self.out.proc(id).kind == ProcKind::Host {
                    self.report(
                        Diagnostic::new(Code::UnsupportedIfReached, name.span, format!("{what} is not supported"))
                            .note("the program stops with an error if execution comes to a call of it"),
                    );
                }
                self.define(scope, &name.text, Sym::Refused(what), name.span);
            }
        }
    }

    /// Joins separate module procedures to their interfaces, once the interface blocks of the scope are known.
    pub(crate) fn join_procedures(&mut self, scope: ScopeId, subs: &'a [Subprogram]) {
        for sub in subs.iter().filter(|s| is_separate(s)) {
            self.separate_procedure(scope, sub);
        }
    }

    /// The body of a procedure whose interface the module or an ancestor declares.
    fn separate_procedure(&mut self, scope: ScopeId, sub: &'a Subprogram) {
        let declared = self.find_from(scope, &sub.name.text);
        let parent = self.scopes[scope.0 as usize].parent;
        if declared.is_none() && parent.is_none() && sub.kind != SubprogramKind::ModuleProcedure {
            // Without an interface it is a module procedure like any other.
            let module = self.scopes[scope.0 as usize].module.clone();
            let id = self.add_procedure(sub, Some(scope), None, module);
            self.define(scope, &sub.name.text, Sym::Proc(id), sub.name.span);
            return;
        }
        if parent.is_some_and(|p| self.is_tainted(p)) && declared.is_none() {
            return;
        }
        let declared = match declared {
            Some(Sym::Generic { procs, .. }) => {
                procs.into_iter().find(|p| self.out.proc(*p).name == sub.name.text).map(Sym::Proc)
            }
            other => other,
        };
        let Some(Sym::Proc(id)) =
            declared.filter(|s| matches!(s, Sym::Proc(id) if self.procs[id.0 as usize].is_interface))
        else {
            let text = format!("no ancestor module declares an interface of `{}`", sub.name.as_str());
            self.error::<()>(Code::BadSubmodule, sub.name.span, text);
            return;
        };
        let at = id.0 as usize;
        self.procs[at].is_interface = false;
        let own = self.procs[at].scope;
        self.scope(own).parent = Some(scope);
        if sub.kind != SubprogramKind::ModuleProcedure && self.procs[at].state == State::Untouched {
            self.procs[at].ast = Some(sub);
        } else {
            // The dummies are those of the interface; only the statements come from here.
            self.procs[at].separate = Some(sub);
        }
        self.out.procs[at].span = sub.span;
        self.out.procs[at].end = sub.end;
    }

    /// Settles what the prefixes say.
    fn prefixes(&mut self, id: ProcId, sub: &'a Subprogram) {
        let mut attrs: Vec<(ProcedureAttr, Span)> = Vec::new();
        let (mut elemental, mut pure, mut impure, mut recursive) = (None, None, false, None);
        for prefix in &sub.prefixes {
            match prefix {
                Prefix::Attributes(list, _) => {
                    for &(attr, span) in list {
                        if attrs.iter().any(|a| a.0 == attr) {
                            let text = format!("`attributes({})` is given twice", attr_name(attr));
                            self.report(Diagnostic::new(Code::RepeatedSubprogramAttribute, span, text));
                        } else {
                            attrs.push((attr, span));
                        }
                    }
                }
                Prefix::LaunchBounds(..) | Prefix::ClusterDims(..) => {}
                Prefix::Elemental(span) => elemental = Some(*span),
                Prefix::Pure(span) => pure = Some(*span),
                Prefix::Recursive(span) => recursive = Some(*span),
                Prefix::Impure(_) => impure = true,
                Prefix::Type(_) | Prefix::Module(_) | Prefix::NonRecursive(_) => {}
            }
        }
        let has = |a: ProcedureAttr| attrs.iter().find(|x| x.0 == a).map(|x| x.1);
        let kernel = has(ProcedureAttr::Global).or(has(ProcedureAttr::GridGlobal));
        if attrs.len() > 1 && kernel.is_some() {
            let (first, last) = (attrs[0], attrs[attrs.len() - 1]);
            let text = format!(
                "`attributes({})` and `attributes({})` exclude each other",
                attr_name(first.0),
                attr_name(last.0)
            );
            self.error_help::<()>(
                Code::ConflictingSubprogramAttributes,
                last.1,
                text,
                "a kernel is nothing else beside",
            );
        }
        if let (Some(span), SubprogramKind::Function) = (kernel, sub.kind) {
            self.error_help::<()>(
                Code::GlobalFunction,
                span,
                format!("function `{}` cannot be a kernel", sub.name.as_str()),
                "make it a subroutine that stores its result in device memory",
            );
        }
        if let (Some(_), Some((word, span))) = (
            kernel,
            [("recursive", recursive), ("pure", pure), ("elemental", elemental)]
                .iter()
                .find_map(|(w, s)| s.map(|s| (*w, s))),
        ) {
            // Programs do write `attributes(global) pure`, and nvfortran takes it; only these two change nothing.
            if word == "pure" {
                let text =
                    format!("kernel `{}` is declared `pure`, which means nothing for a kernel", sub.name.as_str());
                self.report(Diagnostic::warning(Code::KernelPrefix, span, text));
            } else {
                let text = format!("kernel `{}` cannot be `{word}`", sub.name.as_str());
                self.error::<()>(Code::KernelPrefix, span, text);
            }
        }
        let parent = self.out.proc(id).parent;
        let device = has(ProcedureAttr::Device).or(kernel);
        if let (Some(span), Some(_)) = (device, parent) {
            let text = format!("`{}` is an internal procedure and cannot be device code", sub.name.as_str());
            self.error_help::<()>(Code::InternalDeviceProcedure, span, text, "put it into a module, beside its caller");
        } else if parent.is_some_and(|p| self.out.proc(p).kind != ProcKind::Host) {
            let text = format!("`{}` is an internal procedure of device code, which has none", sub.name.as_str());
            self.error_help::<()>(
                Code::InternalDeviceProcedure,
                sub.name.span,
                text,
                "put it beside its caller with `attributes(device)`",
            );
        }
        let p = &mut self.out.procs[id.0 as usize];
        p.kind = match (kernel, has(ProcedureAttr::Device), has(ProcedureAttr::Host)) {
            (Some(_), ..) => ProcKind::Kernel,
            (None, Some(_), Some(_)) => ProcKind::HostDevice,
            (None, Some(_), None) => ProcKind::Device,
            (None, None, _) => ProcKind::Host,
        };
        p.cooperative = has(ProcedureAttr::GridGlobal).is_some();
        p.elemental = elemental.is_some() && p.kind != ProcKind::Kernel;
        p.pure = pure.is_some() || (elemental.is_some() && !impure);
        p.recursive = recursive.is_some();
    }

    /// Settles `launch_bounds` and `cluster_dims`, whose operands may be named constants that the procedure sees.
    fn launch_bounds(&mut self, id: ProcId, sub: &'a Subprogram) {
        let bounds = sub.prefixes.iter().filter_map(|prefix| match prefix {
            Prefix::LaunchBounds(list, span) => Some((true, list, *span)),
            Prefix::ClusterDims(list, span) => Some((false, list, *span)),
            _ => None,
        });
        let bounds: Vec<_> = bounds.collect();
        for (i, &(is_bounds, list, span)) in bounds.iter().enumerate() {
            let word = if is_bounds { "launch_bounds" } else { "cluster_dims" };
            if self.out.proc(id).kind != ProcKind::Kernel {
                let text = format!("`{word}` belongs to kernels, and `{}` is none", sub.name.as_str());
                self.error::<()>(Code::BadLaunchBounds, span, text);
                continue;
            }
            if bounds[..i].iter().any(|b| b.0 == is_bounds) {
                self.error::<()>(Code::BadLaunchBounds, span, format!("`{word}` is given twice"));
                continue;
            }
            let count_fits = if is_bounds { (1..=3).contains(&list.len()) } else { list.len() == 3 };
            let mut values = Vec::new();
            let scope = self.procs[id.0 as usize].scope;
            let cx = Context::new(scope, Some(id), Side::Host);
            self.within(cx, |c| {
                for e in list {
                    values.push(c.constant_integer(e));
                }
            });
            if !count_fits || values.iter().any(|v| v.is_none_or(|v| v < 1)) {
                let wanted = if is_bounds { "one to three" } else { "three" };
                let text = format!("`{word}` takes {wanted} positive integer constants");
                self.error::<()>(Code::BadLaunchBounds, span, text);
                continue;
            }
            let mut values = values.into_iter().flatten().map(|v| v.min(1 << 20) as u32);
            let p = &mut self.out.procs[id.0 as usize];
            if is_bounds {
                p.max_threads = values.next();
            } else {
                p.cluster = Some(std::array::from_fn(|_| values.next().unwrap_or(1)));
            }
        }
    }

    /// Settles the interfaces of all procedures.
    pub(crate) fn settle_headers(&mut self) {
        let mut at = 0;
        while at < self.procs.len() {
            self.header(ProcId(at as u32));
            at += 1;
        }
    }

    /// Settles the interface of a procedure.
    pub(crate) fn header(&mut self, id: ProcId) {
        let at = id.0 as usize;
        if self.procs[at].state != State::Untouched {
            return;
        }
        let Some(sub) = self.procs[at].ast else {
            self.procs[at].state = State::Done;
            return;
        };
        if !self.settle_deeper(sub.name.span) {
            self.procs[at].state = State::Done;
            return;
        }
        self.procs[at].state = State::Busy;
        let scope = self.procs[at].scope;
        let side = side_of(self.out.proc(id).kind);
        let outer = std::mem::replace(&mut self.cx, Context::new(scope, Some(id), side));
        self.use_modules(scope, &sub.uses);
        self.declare_procedures(scope, &sub.internal, Some(id), None);
        self.dummies(id, scope, sub);
        self.collect_declarations(scope, &sub.decls);
        for stmt in &sub.body {
            if let ast::StmtKind::Declaration(d) = &stmt.kind
                && let DeclKind::Data(sets) = &d.kind
            {
                for (objects, _) in sets {
                    self.data_names(scope, objects);
                }
            }
        }
        self.procedure_dummies(scope, sub);
        self.bind_name(id, sub);
        self.own_name(id, scope, sub);
        self.launch_bounds(id, sub);
        let mut alternates = false;
        for i in 0..sub.args.len() {
            let name = &sub.args[i];
            if name.as_str() == "*" {
                if side.on_device() {
                    self.refuse::<()>(name.span, "an alternate return in device code");
                }
                alternates = true;
                continue;
            }
            match self.own(scope, &name.text) {
                Some(Sym::Var(var)) => self.out.procs[at].params.push(var),
                Some(Sym::Refused(what)) => self.refuse_again::<()>(&what).unwrap_or(()),
                _ => self.procs[at].is_broken = true,
            }
        }
        if alternates {
            self.add_alternate(id, sub.name.span);
        }
        for (i, letters) in std::mem::take(&mut self.procs[at].ignored) {
            if let Some(&var) = self.out.procs[at].params.get(i) {
                self.out.vars[var.0 as usize].attrs.ignore_tkr = letters;
            }
        }
        self.result(id, scope, sub);
        self.check_cuda_dummies(id);
        let refused = self.cx.refused.take();
        self.settle_scope(scope);
        self.late_declarations(scope, &sub.decls);
        self.cx = outer;
        self.procs[at].refused = refused;
        self.procs[at].state = State::Done;
        self.settled();
    }

    fn dummies(&mut self, id: ProcId, scope: ScopeId, sub: &'a Subprogram) {
        for (i, name) in sub.args.iter().enumerate() {
            if name.as_str() == "*" {
                continue;
            }
            if sub.args[..i].iter().any(|n| n.text == name.text) {
                let text = format!("dummy argument `{}` is named twice", name.as_str());
                self.error::<()>(Code::DuplicateDeclaration, name.span, text);
                continue;
            }
            // A dummy hides what a module brings in under its name.
            self.scope(scope).names.remove(&name.text);
            if let Some(at) = self.pending(scope, name) {
                self.scope(scope).pending[at].dummy = Some(i as u32);
            }
        }
        if sub.kind == SubprogramKind::Function {
            let name = sub.result.as_ref().unwrap_or(&sub.name);
            self.scope(scope).names.remove(&name.text);
            if let Some(at) = self.pending(scope, name) {
                let spec = sub.prefixes.iter().find_map(|p| if let Prefix::Type(t) = p { Some(t) } else { None });
                let p: &mut Pending<'a> = &mut self.scope(scope).pending[at];
                p.result = true;
                if let Some(spec) = spec {
                    p.spec = Some(spec);
                }
            }
        }
        let _ = id;
    }

    /// Dummies without a shape that are called or applied are procedures.
    fn procedure_dummies(&mut self, scope: ScopeId, sub: &'a Subprogram) {
        let data = &self.scopes[scope.0 as usize];
        // A lost declaration may have given a shape to those without a type.
        let lost = data.lost;
        let wanted: BTreeSet<Arc<str>> = data
            .pending
            .iter()
            .filter(|p| p.dummy.is_some() && p.has_type_only() && p.external.is_none() && !(lost && p.spec.is_none()))
            .map(|p| p.name.clone())
            .collect();
        for name in super::usage::applied_names(&sub.body, &wanted) {
            if let Some(p) = self.scope(scope).pending.iter_mut().find(|p| p.name == name) {
                p.external = Some(p.span);
            }
        }
    }

    /// Within an external procedure its own name is known, so that it can call itself.
    fn own_name(&mut self, id: ProcId, scope: ScopeId, sub: &'a Subprogram) {
        if !self.scopes[scope.0 as usize].names.contains_key(&sub.name.text)
            && self.scopes[scope.0 as usize].parent.is_none()
            && sub.kind != SubprogramKind::Main
        {
            self.define(scope, &sub.name.text, Sym::Proc(id), sub.name.span);
        }
    }

    fn result(&mut self, id: ProcId, scope: ScopeId, sub: &'a Subprogram) {
        if sub.kind != SubprogramKind::Function {
            return;
        }
        let name = sub.result.as_ref().unwrap_or(&sub.name);
        match self.own(scope, &name.text) {
            Some(Sym::Var(var)) => {
                if matches!(self.out.var(var).storage, Storage::Result) {
                    self.out.procs[id.0 as usize].result = Some(var);
                } else if matches!(self.out.var(var).storage, Storage::Procedure) {
                    self.refuse::<()>(name.span, "a function whose result is a procedure pointer");
                } else {
                    let text = format!("result `{}` is a dummy argument too", name.as_str());
                    self.error::<()>(Code::BadResult, name.span, text);
                }
            }
            Some(Sym::Refused(what)) => self.refuse_again::<()>(&what).unwrap_or(()),
            _ => self.procs[id.0 as usize].is_broken = true,
        }
    }

    /// The hidden argument of a procedure with alternate returns.
    fn add_alternate(&mut self, id: ProcId, span: Span) {
        let at = self.out.proc(id).params.len() as u32;
        let var = Variable {
            name: ALTERNATE.into(),
            ty: Type::Integer(4),
            shape: Shape::Scalar,
            storage: Storage::Dummy(at),
            attrs: Attrs { ignore_tkr: "".into(), ..Attrs::default() },
            init: None,
            owner: Some(id),
            module: None,
            span,
        };
        let var = self.add_var(var, VarInfo::default());
        self.out.procs[id.0 as usize].params.push(var);
        self.procs[id.0 as usize].alternate = Some(var);
    }

    fn bind_name(&mut self, id: ProcId, sub: &'a Subprogram) {
        let Some(bind) = &sub.bind else { return };
        let name: Arc<str> = match bind {
            None => sub.name.text.clone(),
            Some(e) => match &e.kind {
                ast::ExprKind::Char { value, .. } => value.trim().into(),
                _ => {
                    self.error::<()>(Code::ConstantRequired, e.span, "the name must be a character literal");
                    return;
                }
            },
        };
        let at = id.0 as usize;
        if self.procs[at].embedded
            && let Some(mnemonic) = name.strip_prefix("rt:")
        {
            self.out.procs[at].body = ProcBody::Service(mnemonic.into());
        }
        self.procs[at].bind = Some(name);
    }

    /// Whether a procedure is a service of the run time.
    pub(crate) fn is_service(&self, id: ProcId) -> bool {
        matches!(self.out.proc(id).body, ProcBody::Service(_))
    }
}

/// The names that the ENTRY statements of a procedure give.
pub(crate) fn entries(sub: &Subprogram) -> impl Iterator<Item = &Name> {
    sub.body.iter().filter_map(|stmt| if let StmtKind::Entry { name, .. } = &stmt.kind { Some(name) } else { None })
}

/// What is refused where the name of an ENTRY statement stands.
pub(crate) fn refused_entry(name: &str) -> Arc<str> {
    format!("`entry {name}`").into()
}

/// Whether a procedure is the body of a separate module procedure.
fn is_separate(sub: &Subprogram) -> bool {
    sub.kind == SubprogramKind::ModuleProcedure || sub.prefixes.iter().any(|p| matches!(p, Prefix::Module(_)))
}

fn attr_name(attr: ProcedureAttr) -> &'static str {
    match attr {
        ProcedureAttr::Host => "host",
        ProcedureAttr::Global => "global",
        ProcedureAttr::GridGlobal => "grid_global",
        ProcedureAttr::Device => "device",
    }
}
