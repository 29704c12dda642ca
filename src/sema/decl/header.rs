//! Procedures: their prefixes, dummies and results, resolved on demand.

use super::separate::{has_interface, is_separate};
use crate::checked::{
    ALTERNATE, Attrs, CharLen, ProcBody, ProcId, ProcKind, Procedure, Scope, Shape, Storage, Type, VarId, Variable,
};
use crate::checker::{
    Checker, CodeSide, Context, DeclaredName, Entry, ProcInfo, Resolution, ScopeData, ScopeId, Sym, VarInfo,
};
use crate::typing::{Typing, same_characteristics};
use ast::{Name, Prefix, ProcedureAttr, Subprogram, SubprogramKind};
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

impl<'a> Checker<'a> {
    /// Makes a procedure of a definition; its interface is resolved on demand.
    pub(crate) fn add_procedure(
        &mut self,
        sub: &'a Subprogram,
        parent_scope: Option<ScopeId>,
        parent: Option<ProcId>,
        module: Option<Arc<str>>,
    ) -> ProcId {
        if sub.name.as_str().starts_with('_') {
            let text = format!("the name `{}` begins with `_`", sub.name.as_str());
            let help = "begin names with a letter";
            self.typing().not_standard(Code::FormOfCompilers, sub.name.span, text, help);
        }
        let id = self.defs.next_proc();
        let scope = self.scopes.add(ScopeData {
            parent: parent_scope,
            proc: Some(id),
            module: module.clone(),
            ..ScopeData::default()
        });
        let host = parent.map(|p| self.defs.proc(p).qualified.clone()).or(module);
        let qualified: Arc<str> = match host {
            Some(host) => format!("{host}.{}", sub.name.as_str()).into(),
            None => sub.name.text.clone(),
        };
        let proc = Procedure {
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
            is_bound: false,
            cooperative: false,
            max_threads: None,
            cluster: None,
            scope: Scope::default(),
            span: sub.span,
            end: sub.end,
            entry_of: None,
            through: None,
        };
        let info = ProcInfo {
            ast: Some(sub),
            scope,
            state: Resolution::Untouched,
            embedded: self.options.embedded.contains(&sub.span.file),
            ..ProcInfo::unknown()
        };
        self.defs.add_proc(proc, info);
        self.prefixes(id, sub);
        if matches!(sub.kind, SubprogramKind::Subroutine | SubprogramKind::Function)
            && parent.is_none()
            && self.defs.proc(id).kind == ProcKind::Host
        {
            self.add_entries(id, sub);
        }
        id
    }

    /// Makes the procedures that the ENTRY statements of a subprogram define.
    fn add_entries(&mut self, of: ProcId, sub: &'a Subprogram) {
        for stmt in &sub.body {
            let ast::StmtKind::Entry { name, bind, .. } = &stmt.kind else { continue };
            self.typing().check_entry_label(of, name, bind.is_some());
            if let Some(inner) = sub.internal.iter().find(|inner| inner.name.text == name.text) {
                self.typing().declared_twice(name.as_str(), inner.name.span, name.span);
            }
            let id = self.defs.next_proc();
            let host = self.defs.proc(of);
            let qualified = match host.qualified.rsplit_once('.') {
                Some((module, _)) => format!("{module}.{}", name.as_str()).into(),
                None => name.text.clone(),
            };
            let proc =
                Procedure { name: name.text.clone(), qualified, entry_of: Some(of), span: stmt.span, ..host.clone() };
            let from = self.defs.proc_info(of);
            let info = ProcInfo {
                scope: from.scope,
                state: Resolution::Untouched,
                embedded: from.embedded,
                ..ProcInfo::unknown()
            };
            self.defs.add_proc(proc, info);
            self.bind_name(id, name, bind.as_ref());
            self.defs.proc_info_mut(of).entries.push((id, stmt));
        }
    }

    /// Makes the procedures that a module or procedure contains, and names them in its scope.
    pub(crate) fn declare_procedures(
        &mut self,
        scope: ScopeId,
        subs: &'a [Subprogram],
        parent: Option<ProcId>,
        (module, decls): (Option<Arc<str>>, &[ast::Declaration]),
    ) {
        let is_submodule = self.scopes.get(scope).parent.is_some();
        for sub in subs {
            // One with MODULE and without an interface is a module procedure like any other.
            let is_announced = is_submodule || sub.kind == SubprogramKind::ModuleProcedure || has_interface(decls, sub);
            if is_separate(sub) && is_announced {
                continue;
            }
            if let Some(Entry { span, module: None, .. }) = self.scopes.get(scope).names.get(&sub.name.text) {
                let first = *span;
                self.typing().declared_twice(sub.name.as_str(), sub.name.span, first);
                continue;
            }
            if parent.is_none()
                && let Some(Entry { sym: Sym::Proc(used), module: Some(_), .. }) =
                    self.scopes.get(scope).names.get(&sub.name.text)
                && !self.defs.proc_info(*used).embedded
            {
                self.typing().name_is_taken(scope, &sub.name.text, sub.name.span);
                continue;
            }
            let id = self.add_procedure(sub, Some(scope), parent, module.clone());
            self.scopes.define(scope, &sub.name.text, Sym::Proc(id), sub.name.span);
            for (entry, name) in self.entry_names(id) {
                if self.scopes.get(scope).names.get(&name.text).is_some() {
                    self.typing().name_is_taken(scope, &name.text, name.span);
                    continue;
                }
                self.scopes.define(scope, &name.text, Sym::Proc(entry), name.span);
            }
        }
    }

    /// The procedures that the ENTRY statements of a procedure define, and their names.
    pub(crate) fn entry_names(&self, id: ProcId) -> Vec<(ProcId, &'a Name)> {
        let name =
            |stmt: &'a ast::Stmt| if let ast::StmtKind::Entry { name, .. } = &stmt.kind { Some(name) } else { None };
        self.defs.proc_info(id).entries.iter().filter_map(|&(entry, stmt)| Some((entry, name(stmt)?))).collect()
    }

    /// Resolves what the prefixes say.
    fn prefixes(&mut self, id: ProcId, sub: &'a Subprogram) {
        let mut attrs: Vec<(ProcedureAttr, Span)> = Vec::new();
        let (mut elemental, mut pure, mut impure, mut recursive) = (None, None, false, None);
        for prefix in &sub.prefixes {
            match prefix {
                Prefix::Attributes(list, _) => {
                    for &(attr, span) in list {
                        if attrs.iter().any(|a| a.0 == attr) {
                            let text = format!("`attributes({})` is given twice", attr_name(attr));
                            self.reporter.report(Diagnostic::new(Code::RepeatedSubprogramAttribute, span, text));
                        } else {
                            attrs.push((attr, span));
                        }
                    }
                }
                Prefix::LaunchBounds(..) | Prefix::ClusterDims(..) => {}
                Prefix::Elemental(span) => self.typing().prefix("elemental", &mut elemental, *span),
                Prefix::Pure(span) => self.typing().prefix("pure", &mut pure, *span),
                Prefix::Recursive(span) => self.typing().prefix("recursive", &mut recursive, *span),
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
            self.reporter.error_help::<()>(
                Code::ConflictingSubprogramAttributes,
                last.1,
                text,
                "a kernel is nothing else beside",
            );
        }
        if let (Some(span), SubprogramKind::Function) = (kernel, sub.kind) {
            self.reporter.error_help::<()>(
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
                // Where one kernel is declared so, all of them tend to be.
                if !std::mem::replace(&mut self.made.told_of_pure, true) {
                    let note = "this is said of the first such kernel only";
                    self.reporter.report(Diagnostic::new(Code::PureKernel, span, text).note(note));
                }
            } else {
                let text = format!("kernel `{}` cannot be `{word}`", sub.name.as_str());
                self.reporter.error::<()>(Code::KernelPrefix, span, text);
            }
        }
        let parent = self.defs.proc(id).parent;
        let device = has(ProcedureAttr::Device).or(kernel);
        if let (Some(span), Some(_)) = (device, parent) {
            let text = format!("`{}` is an internal procedure and cannot be device code", sub.name.as_str());
            self.reporter.error_help::<()>(
                Code::InternalDeviceProcedure,
                span,
                text,
                "put it into a module, beside its caller",
            );
        } else if parent.is_some_and(|p| self.defs.proc(p).kind != ProcKind::Host) {
            let text = format!("`{}` is an internal procedure of device code, which has none", sub.name.as_str());
            self.reporter.error_help::<()>(
                Code::InternalDeviceProcedure,
                sub.name.span,
                text,
                "put it beside its caller with `attributes(device)`",
            );
        }
        let p = self.defs.proc_mut(id);
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

    /// Resolves `launch_bounds` and `cluster_dims`, whose operands may be named constants that the procedure sees.
    fn launch_bounds(&mut self, id: ProcId, sub: &'a Subprogram) {
        let bounds = sub.prefixes.iter().filter_map(|prefix| match prefix {
            Prefix::LaunchBounds(list, span) => Some((true, list, *span)),
            Prefix::ClusterDims(list, span) => Some((false, list, *span)),
            _ => None,
        });
        let bounds: Vec<_> = bounds.collect();
        for (i, &(is_bounds, list, span)) in bounds.iter().enumerate() {
            let word = if is_bounds { "launch_bounds" } else { "cluster_dims" };
            if self.defs.proc(id).kind != ProcKind::Kernel {
                let text = format!("`{word}` applies to kernels only, and `{}` is not a kernel", sub.name.as_str());
                self.reporter.error::<()>(Code::BadLaunchBounds, span, text);
                continue;
            }
            if bounds[..i].iter().any(|b| b.0 == is_bounds) {
                self.reporter.error::<()>(Code::BadLaunchBounds, span, format!("`{word}` is given twice"));
                continue;
            }
            let count_fits = if is_bounds { (1..=3).contains(&list.len()) } else { list.len() == 3 };
            let mut values = Vec::new();
            let scope = self.defs.proc_info(id).scope;
            let cx = Context::new(scope, Some(id), CodeSide::Host);
            self.within(cx, |c| {
                for e in list {
                    values.push(c.constant_integer(e));
                }
            });
            if !count_fits || values.iter().any(|v| v.is_none_or(|v| v < 1)) {
                let wanted = if is_bounds { "one to three" } else { "three" };
                let text = format!("`{word}` takes {wanted} positive integer constants");
                self.reporter.error::<()>(Code::BadLaunchBounds, span, text);
                continue;
            }
            let mut values = values.into_iter().flatten().map(|v| v.min(1 << 20) as u32);
            let p = self.defs.proc_mut(id);
            if is_bounds {
                p.max_threads = values.next();
            } else {
                p.cluster = Some(std::array::from_fn(|_| values.next().unwrap_or(1)));
            }
        }
    }

    /// Resolves the interfaces of all procedures.
    pub(crate) fn resolve_interfaces(&mut self) {
        let mut at = 0;
        while let Some(id) = self.defs.proc_at(at) {
            self.resolve_interface(id);
            at += 1;
        }
    }

    /// Resolves the interface of a procedure.
    pub(crate) fn resolve_interface(&mut self, id: ProcId) {
        if self.defs.proc_info(id).state != Resolution::Untouched {
            return;
        }
        if let Some(like) = self.defs.proc_info(id).like {
            return self.copy_interface(id, like);
        }
        if let Some(of) = self.defs.proc(id).entry_of {
            return self.resolve_interface(of);
        }
        let Some(sub) = self.defs.proc_info(id).ast else {
            self.defs.proc_info_mut(id).state = Resolution::Done;
            return;
        };
        if !self.enter_dependency(sub.name.span) {
            self.defs.proc_info_mut(id).state = Resolution::Done;
            return;
        }
        self.defs.proc_info_mut(id).state = Resolution::InProgress;
        let scope = self.defs.proc_info(id).scope;
        let side = CodeSide::of(self.defs.proc(id).kind);
        let outer = self.enter_context(Context::new(scope, Some(id), side));
        self.use_modules(scope, &sub.uses);
        self.declare_procedures(scope, &sub.internal, Some(id), (None, &[]));
        self.dummies(id, scope, sub);
        self.dummies_of_entries(id, scope);
        self.collect_declarations(scope, &sub.decls);
        for stmt in &sub.body {
            if let ast::StmtKind::Declaration(d) = &stmt.kind {
                for (objects, _) in d.kind.data_sets() {
                    self.data_names(scope, objects);
                }
            }
        }
        self.procedure_dummies(scope, sub);
        self.bind_name(id, &sub.name, sub.bind.as_ref());
        self.own_name(id, scope, sub);
        self.launch_bounds(id, sub);
        self.parameters(id, id, scope, &sub.args);
        for (i, letters) in std::mem::take(&mut self.defs.proc_info_mut(id).ignored) {
            if let Some(&var) = self.defs.proc(id).params.get(i) {
                self.defs.var_mut(var).attrs.ignore_tkr = letters;
            }
        }
        if sub.kind == SubprogramKind::Function {
            self.result(id, scope, sub.result.as_ref().unwrap_or(&sub.name));
        }
        self.interfaces_of_entries(id, scope);
        self.typing().check_cuda_dummies(id);
        let refused = self.reporter.take_refusal();
        self.resolve_scope(scope);
        self.late_declarations(scope, &sub.decls);
        self.leave_context(outer);
        self.finish_interface(id, refused);
        self.leave_dependency();
    }

    /// Notes that the interface of a procedure and those of its entries are known.
    fn finish_interface(&mut self, id: ProcId, refused: Option<Arc<str>>) {
        for (entry, _) in self.entry_names(id) {
            self.finish_interface(entry, refused.clone());
        }
        let info = self.defs.proc_info_mut(id);
        (info.refused, info.state) = (refused, Resolution::Done);
    }

    /// The dummies of a procedure or of an entry of it, whose names are declared in the procedure `of`.
    fn parameters(&mut self, id: ProcId, of: ProcId, scope: ScopeId, args: &'a [Name]) {
        let mut alternates = None;
        for name in args {
            if name.as_str() == "*" {
                if self.cx.side.on_device() {
                    self.reporter.refuse::<()>(name.span, "an alternate return in device code");
                }
                alternates = Some(name.span);
                continue;
            }
            match self.own(scope, &name.text) {
                Some(Sym::Var(var)) => self.defs.proc_mut(id).params.push(var),
                Some(Sym::Refused(what)) => self.reporter.refuse_again::<()>(&what).unwrap_or(()),
                _ => self.defs.proc_info_mut(id).is_broken = true,
            }
        }
        if let Some(span) = alternates {
            self.add_alternate(id, of, span);
        }
    }

    /// The dummies and results of ENTRY statements are variables of the procedure.
    fn dummies_of_entries(&mut self, id: ProcId, scope: ScopeId) {
        let is_function = self.defs.proc(id).is_function;
        if let Some(sub) = self.defs.proc_info(id).ast {
            self.check_intrinsic_entries(id, sub);
        }
        for at in 0..self.defs.proc_info(id).entries.len() {
            let ast::StmtKind::Entry { name, args, result, .. } = &self.defs.proc_info(id).entries[at].1.kind else {
                continue;
            };
            for (i, arg) in args.iter().enumerate().filter(|(_, arg)| arg.as_str() != "*") {
                if args[..i].iter().any(|n| n.text == arg.text) {
                    let text = format!("dummy argument `{}` is named twice", arg.as_str());
                    self.reporter.error::<()>(Code::DuplicateDeclaration, arg.span, text);
                } else if let Some(at) = self.own_declared_name(scope, arg) {
                    self.scopes.get_mut(scope).declared[at].dummy.get_or_insert(i as u32);
                }
            }
            if is_function && let Some(at) = self.own_declared_name(scope, result.as_ref().unwrap_or(name)) {
                self.scopes.get_mut(scope).declared[at].result = true;
            }
        }
    }

    /// An entry is no intrinsic procedure (Fortran 2018, 8.5.11).
    fn check_intrinsic_entries(&mut self, id: ProcId, sub: &'a Subprogram) {
        for (_, name) in self.entry_names(id) {
            for d in &sub.decls {
                let ast::DeclKind::Attr { attr: ast::Attr::Intrinsic(_), entities } = &d.kind else { continue };
                if let Some(e) = entities.iter().find(|e| e.name.text == name.text) {
                    let text = format!("`{}` is an entry of this procedure and cannot be `intrinsic`", name.as_str());
                    let d = Diagnostic::new(Code::AttributeConflict, e.name.span, text);
                    self.reporter.report(d.secondary(name.span, "the entry is here"));
                }
            }
        }
    }

    /// The declaration of a dummy or result of an entry, which hides what a module or an internal procedure brings in under its name.
    fn own_declared_name(&mut self, scope: ScopeId, name: &'a Name) -> Option<usize> {
        let data = self.scopes.get_mut(scope);
        let is_declared = data.names.get(&name.text).is_some_and(|known| matches!(known.sym, Sym::Unresolved(_)));
        if !is_declared {
            data.names.remove(&name.text);
        }
        self.declared_name(scope, name)
    }

    /// Resolves dummies and results of entries. Results of one type are one variable (Fortran 2018, 15.6.2.6).
    fn interfaces_of_entries(&mut self, id: ProcId, scope: ScopeId) {
        let mut results: Vec<VarId> = self.defs.proc(id).result.into_iter().collect();
        for at in 0..self.defs.proc_info(id).entries.len() {
            let (entry, stmt) = self.defs.proc_info(id).entries[at];
            let ast::StmtKind::Entry { name, args, result, .. } = &stmt.kind else { continue };
            self.parameters(entry, id, scope, args);
            if !self.defs.proc(id).is_function {
                continue;
            }
            let name = result.as_ref().unwrap_or(name);
            self.result(entry, scope, name);
            let Some(own) = self.defs.proc(entry).result else { continue };
            let same =
                results.iter().copied().find(|&other| same_characteristics(self.defs.var(own), self.defs.var(other)));
            match same {
                Some(other) => {
                    self.defs.proc_mut(entry).result = Some(other);
                    if let Some(known) = self.scopes.get_mut(scope).names.get_mut(&name.text) {
                        known.sym = Sym::Var(other);
                    }
                }
                None => {
                    self.check_result_of_entry(own, &results, stmt.span);
                    results.push(own);
                }
            }
        }
    }

    /// Results of different characteristics share their storage: they are scalars that are no pointers and not allocatable
    /// (Fortran 2018, 15.6.2.6).
    fn check_result_of_entry(&mut self, own: VarId, others: &[VarId], span: Span) {
        let Some(&first) = others.first() else { return };
        let (a, b) = (self.defs.var(own), self.defs.var(first));
        let differs = a.attrs.pointer != b.attrs.pointer
            || a.attrs.allocatable != b.attrs.allocatable
            || a.shape.rank() != b.shape.rank()
            || matches!(a.ty, Type::Character(_)) != matches!(b.ty, Type::Character(_));
        if differs {
            let text = format!("results `{}` and `{}` of one function cannot share their storage", b.name, a.name);
            self.reporter.error::<()>(Code::BadResult, span, text);
        }
    }

    fn dummies(&mut self, id: ProcId, scope: ScopeId, sub: &'a Subprogram) {
        for (i, name) in sub.args.iter().enumerate() {
            if name.as_str() == "*" {
                continue;
            }
            if sub.args[..i].iter().any(|n| n.text == name.text) {
                let text = format!("dummy argument `{}` is named twice", name.as_str());
                self.reporter.error::<()>(Code::DuplicateDeclaration, name.span, text);
                continue;
            }
            // A dummy hides what a module brings in under its name.
            self.scopes.get_mut(scope).names.remove(&name.text);
            if let Some(at) = self.declared_name(scope, name) {
                self.scopes.get_mut(scope).declared[at].dummy = Some(i as u32);
            }
        }
        if sub.kind == SubprogramKind::Function {
            let name = sub.result.as_ref().unwrap_or(&sub.name);
            if sub.result.as_ref().is_some_and(|result| result.text == sub.name.text) {
                // Fortran 2018, C1561; nvfortran takes it.
                let text = format!("the result has the name of the function, `{}`", name.as_str());
                self.typing().not_standard(Code::FormOfCompilers, name.span, text, "leave out `result(…)`");
            }
            self.scopes.get_mut(scope).names.remove(&name.text);
            if let Some(at) = self.declared_name(scope, name) {
                let spec = sub.prefixes.iter().find_map(|p| if let Prefix::Type(t) = p { Some(t) } else { None });
                let p: &mut DeclaredName<'a> = &mut self.scopes.get_mut(scope).declared[at];
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
        let data = &self.scopes.get(scope);
        // A lost declaration may have given a shape to those without a type.
        let lost = data.lost;
        let wanted: BTreeSet<Arc<str>> = data
            .declared
            .iter()
            .filter(|p| p.dummy.is_some() && p.has_type_only() && p.external.is_none() && !(lost && p.spec.is_none()))
            .map(|p| p.name.clone())
            .collect();
        for name in super::usage::applied_names(&sub.body, &wanted) {
            if let Some(p) = self.scopes.get_mut(scope).declared.iter_mut().find(|p| p.name == name) {
                p.external = Some(p.span);
            }
        }
    }

    /// Within an external procedure its own name is known, so that it can call itself.
    fn own_name(&mut self, id: ProcId, scope: ScopeId, sub: &'a Subprogram) {
        if !self.scopes.get(scope).names.contains_key(&sub.name.text)
            && self.scopes.get(scope).parent.is_none()
            && sub.kind != SubprogramKind::Main
        {
            self.scopes.define(scope, &sub.name.text, Sym::Proc(id), sub.name.span);
        }
    }

    fn result(&mut self, id: ProcId, scope: ScopeId, name: &Name) {
        match self.own(scope, &name.text) {
            Some(Sym::Var(var)) => {
                if matches!(self.defs.var(var).storage, Storage::Result) {
                    self.check_assumed_result(id, var);
                    self.defs.proc_mut(id).result = Some(var);
                } else if matches!(self.defs.var(var).storage, Storage::Procedure) {
                    self.reporter.refuse::<()>(name.span, "a function whose result is a procedure pointer");
                } else {
                    let text = format!("result `{}` is a dummy argument too", name.as_str());
                    self.reporter.error::<()>(Code::BadResult, name.span, text);
                }
            }
            Some(Sym::Refused(what)) => self.reporter.refuse_again::<()>(&what).unwrap_or(()),
            _ => self.defs.proc_info_mut(id).is_broken = true,
        }
    }

    /// Fortran 2018, C722: only an external function takes the length of its result from where it is called.
    fn check_assumed_result(&mut self, id: ProcId, result: VarId) {
        let (p, var) = (self.defs.proc(id), self.defs.var(result));
        let is_external = p.parent.is_none() && self.scopes.get(self.defs.proc_info(id).scope).module.is_none();
        let info = self.defs.proc_info(id);
        if !matches!(var.ty, Type::Character(CharLen::Assumed)) || info.embedded {
            return;
        }
        let what = if (!is_external && !info.is_interface) || info.is_abstract {
            "is no external function"
        } else if var.shape.rank() > 0 {
            "gives an array"
        } else if var.attrs.pointer || var.attrs.allocatable {
            "gives a pointer or an allocatable object"
        } else if p.pure || p.recursive {
            "is pure or recursive"
        } else {
            return;
        };
        let text = format!("function `{}` {what} and cannot have a result of assumed length", p.name);
        self.reporter.error_help::<()>(Code::BadCharacterLength, var.span, text, "give the length");
    }

    /// The hidden argument of a procedure with alternate returns, or of an entry of the procedure `of`.
    fn add_alternate(&mut self, id: ProcId, of: ProcId, span: Span) {
        if let Some(var) = self.defs.proc_info(of).alternate {
            self.defs.proc_mut(id).params.push(var);
            self.defs.proc_info_mut(id).alternate = Some(var);
            return;
        }
        let at = self.defs.proc(id).params.len() as u32;
        let var = Variable {
            name: ALTERNATE.into(),
            ty: Type::Integer(8),
            shape: Shape::Scalar,
            storage: Storage::Dummy(at),
            attrs: Attrs { ignore_tkr: "".into(), ..Attrs::default() },
            init: None,
            owner: Some(of),
            module: None,
            span,
        };
        let var = self.defs.add_var(var, VarInfo::default());
        self.defs.proc_mut(id).params.push(var);
        self.defs.proc_info_mut(id).alternate = Some(var);
        self.defs.proc_info_mut(of).alternate = Some(var);
    }

    fn bind_name(&mut self, id: ProcId, name: &Name, bind: Option<&'a Option<ast::Expr>>) {
        let Some(bind) = bind else { return };
        let name: Arc<str> = match bind {
            None => name.text.clone(),
            Some(e) => match &e.kind {
                ast::ExprKind::Char { value, .. } => value.trim().into(),
                _ => {
                    self.reporter.error::<()>(Code::ConstantRequired, e.span, "the name must be a character literal");
                    return;
                }
            },
        };
        if self.defs.proc_info(id).embedded
            && let Some(mnemonic) = name.strip_prefix("rt:")
        {
            self.defs.proc_mut(id).body = ProcBody::Service(mnemonic.into());
        }
        self.defs.proc_info_mut(id).bind = Some(name);
        self.defs.proc_mut(id).is_bound = true;
    }
}

impl Typing<'_> {
    /// Notes a prefix, which is given once (Fortran 2018, C1543).
    fn prefix(&mut self, word: &str, known: &mut Option<Span>, span: Span) {
        if known.replace(span).is_some() {
            self.reporter.error::<()>(Code::AttributeConflict, span, format!("the prefix `{word}` is given twice"));
        }
    }

    /// Entries of elemental procedures have no binding label (Fortran 2018, 15.6.2.6).
    fn check_entry_label(&mut self, of: ProcId, name: &Name, is_bound: bool) {
        if is_bound && self.defs.proc(of).elemental {
            let text = format!("`{}` is an entry of an elemental procedure and cannot be `bind(c)`", name.as_str());
            self.reporter.error::<()>(Code::NotInteroperable, name.span, text);
        }
    }
}

fn attr_name(attr: ProcedureAttr) -> &'static str {
    match attr {
        ProcedureAttr::Host => "host",
        ProcedureAttr::Global => "global",
        ProcedureAttr::GridGlobal => "grid_global",
        ProcedureAttr::Device => "device",
    }
}
