//! Collects the declarations of a specification part by name.
//!
//! What several statements say of one name is put together; statements that say a thing twice or contradict each other are
//! reported here.

use crate::checked::TypeId;
use crate::checker::{Checker, DeclaredName, Description, Entry, Init, ScopeId, StatementFunction, Sym, operator_key};
use crate::cuda;
use crate::decl::initial::is_null;
use crate::expr::base_name;
use crate::typing::Typing;
use ast::{Attr, DeclKind, Declaration, Entity, Expr, ExprKind, KindParam, Name, TypeSpec, TypeSpecKind};
use diag::{Code, Diagnostic};
use source::Span;
use std::sync::Arc;

impl<'a> Checker<'a> {
    /// Collects all declarations of a scope.
    pub(crate) fn collect_declarations(&mut self, scope: ScopeId, decls: &'a [Declaration]) {
        self.check_implicit_order(decls);
        for d in decls {
            match &d.kind {
                DeclKind::ImplicitNone(specs) => {
                    let rules = self.scopes.implicit_rules(scope).with_none(specs);
                    self.scopes.get_mut(scope).implicit = Some(rules);
                }
                DeclKind::Derived(def) => self.declare_type(scope, def),
                DeclKind::Error => {
                    let data = self.scopes.get_mut(scope);
                    (data.tainted, data.lost) = (true, true);
                }
                _ => {}
            }
        }
        for d in decls {
            if let DeclKind::Implicit(rules) = &d.kind {
                self.implicit_statement(scope, rules, d.span);
            }
        }
        for d in decls {
            self.collect(scope, d);
        }
        let blocks = || decls.iter().filter_map(|d| if let DeclKind::Interface(b) = &d.kind { Some(b) } else { None });
        let bodies: Vec<_> = blocks().map(|block| self.interface_bodies(scope, block)).collect();
        for (block, bodies) in blocks().zip(bodies) {
            self.interface_block(scope, block, bodies);
        }
        for d in decls {
            if let DeclKind::Attr { attr: attr @ (Attr::Volatile(_) | Attr::Asynchronous(_)), entities } = &d.kind {
                self.access_attribute(scope, attr, entities, decls);
            }
        }
    }

    /// A name that a module gives an access attribute and does not declare is a variable of implicit type.
    pub(crate) fn declare_accessed(&mut self, scope: ScopeId, decls: &'a [Declaration]) {
        let is_lost = self.scopes.is_tainted(scope) || self.scopes.get(scope).refused.is_some();
        for d in decls {
            let DeclKind::Attr { attr: Attr::Private(_) | Attr::Public(_), entities } = &d.kind else { continue };
            for e in entities {
                let name = &e.name;
                let is_name = name.as_str().bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
                let is_known = self.scopes.get(scope).names.get(&name.text).is_some()
                    || crate::intrinsics::lookup(name.as_str()).is_some();
                if is_lost || !is_name || is_known {
                    continue;
                }
                if self.scopes.implicit_type(scope, name.as_str()).is_some() {
                    self.declared_name(scope, name);
                } else {
                    let text = format!("`{}` is given an access attribute and has no declaration", name.as_str());
                    self.reporter.error::<()>(Code::UndeclaredName, name.span, text);
                }
            }
        }
    }

    /// VOLATILE and ASYNCHRONOUS: they may be given to variables of the host or of a module, and make no other variable here
    /// (Fortran 2018, 19.5.1.4).
    fn access_attribute(&mut self, scope: ScopeId, attr: &'a Attr, entities: &'a [Entity], decls: &'a [Declaration]) {
        for e in entities {
            if e.name.as_str().starts_with('/') {
                self.volatile_block(scope, attr, e, decls);
                continue;
            }
            let is_own = self.scopes.get(scope).names.get(&e.name.text).is_some();
            if self.typing().is_used_name(scope, &e.name) || (!is_own && self.typing().is_of_host(scope, &e.name)) {
                continue;
            }
            let Some(at) = self.declared_name(scope, &e.name) else { continue };
            self.entity(scope, at, e);
            self.attribute(scope, at, attr, &e.name);
        }
    }

    /// `volatile /block/`, an extension: all variables of a COMMON block get the attribute.
    fn volatile_block(&mut self, scope: ScopeId, attr: &'a Attr, block: &'a Entity, decls: &'a [Declaration]) {
        let label = block.name.as_str().trim_matches('/');
        self.form_of_compilers(block.name.span, "the name of a `common` block here", "name its variables");
        let mut is_known = false;
        for d in decls {
            let DeclKind::Common(blocks) = &d.kind else { continue };
            for (_, entities) in blocks.iter().filter(|(name, _)| name.as_ref().is_some_and(|n| n.as_str() == label)) {
                is_known = true;
                for e in entities {
                    let Some(at) = self.declared_name(scope, &e.name) else { continue };
                    self.attribute(scope, at, attr, &e.name);
                }
            }
        }
        if !is_known {
            let text = format!("there is no `common` block `/{label}/` here");
            self.reporter.error::<()>(Code::BadCommon, block.name.span, text);
        }
    }

    fn implicit_statement(&mut self, scope: ScopeId, rules: &'a [(TypeSpec, Vec<ast::LetterSpec>)], span: Span) {
        // Letters that are not named have the types that they have around it (Fortran 2018, 8.7).
        let mut table = self.scopes.implicit_rules(scope).clone();
        let mut known = std::mem::take(&mut self.scopes.get_mut(scope).implicit_letters);
        for (spec, letters) in rules {
            let Some(ty) = self.type_spec(spec, None) else { continue };
            let class = self.is_polymorphic(Some(spec));
            for l in letters {
                if let Some(twice) = (l.first..=l.last).find(|letter| !known.insert(*letter)) {
                    let text = format!("the letter `{twice}` has a type already");
                    self.reporter.error::<()>(Code::BadImplicit, span, text);
                }
                if l.first > l.last {
                    let text = format!("letters `{}-{}` run backwards", l.first, l.last);
                    self.reporter.error::<()>(Code::BadImplicit, span, text);
                }
                table.set(l.first, l.last, &ty, class);
            }
        }
        let data = self.scopes.get_mut(scope);
        (data.implicit, data.implicit_letters) = (Some(table), known);
    }

    fn collect(&mut self, scope: ScopeId, d: &'a Declaration) {
        self.typing().check_one_label(d);
        match &d.kind {
            DeclKind::Type { spec, attrs, entities } => {
                for e in entities {
                    if self.typing().names_type_of_procedure(scope, e, attrs) {
                        self.check_type_of_procedure(scope, e, spec);
                        continue;
                    }
                    let Some(at) = self.declared_name(scope, &e.name) else { continue };
                    let p = &mut self.scopes.get_mut(scope).declared[at];
                    if let Some(given) = p.spec {
                        let (name, first, is_result) = (p.name.clone(), p.span, p.result);
                        let unit = self.scopes.get(scope).proc.and_then(|id| self.defs.proc_info(id).ast);
                        let is_dummy = unit.is_some_and(|unit| unit.args.iter().any(|arg| arg.text == name));
                        let is_bare = !(is_result && is_dummy)
                            && attrs.is_empty()
                            && e.shape.is_none()
                            && e.init.is_none()
                            && e.char_len.is_none();
                        if is_bare && are_same(given, spec) {
                            // nvfortran warns, but for a result whose type stands before FUNCTION.
                            if !is_result || self.options.standard {
                                let text = format!("`{name}` is given its type a second time");
                                let d = Diagnostic::new(Code::TypeGivenAgain, e.name.span, text);
                                self.reporter.report(d.secondary(first, "first declared here"));
                            }
                            continue;
                        }
                        self.typing().declared_twice(&name, e.name.span, first);
                        continue;
                    }
                    p.spec = Some(spec);
                    p.span = e.name.span;
                    self.entity(scope, at, e);
                    for attr in attrs {
                        self.attribute(scope, at, attr, &e.name);
                    }
                }
                self.data_of(scope, d);
            }
            DeclKind::Attr { attr: Attr::Private(_) | Attr::Public(_), .. }
                if self.scopes.get(scope).proc.is_some() =>
            {
                let text = "`public` and `private` belong to the specification part of a module";
                self.reporter.error::<()>(Code::BadAccessStatement, d.span, text);
            }
            DeclKind::Attr { attr, entities } if entities.is_empty() => match attr {
                Attr::Private(_) | Attr::Public(_) if self.scopes.get(scope).is_access_given => {
                    // Fortran 2018, 8.6.1.
                    let text = "the access of what has none of its own is given twice";
                    let help = "keep one `private` or `public` without names";
                    self.reporter.error_help::<()>(Code::BadAccessStatement, d.span, text, help);
                }
                Attr::Save(_) => self.scopes.get_mut(scope).save_all = true,
                Attr::Private(_) | Attr::Public(_) => {
                    let scope = self.scopes.get_mut(scope);
                    (scope.private_default, scope.is_access_given) = (matches!(attr, Attr::Private(_)), true);
                }
                _ => {}
            },
            DeclKind::Attr { attr: Attr::Volatile(_) | Attr::Asynchronous(_), .. } => {}
            DeclKind::Attr { attr, entities } => {
                for e in entities {
                    match attr {
                        Attr::Private(_) | Attr::Public(_) => {
                            let private = matches!(attr, Attr::Private(_));
                            let key = access_key(&e.name.text);
                            if self.scopes.get_mut(scope).access.insert(key, private).is_some() {
                                let text = format!("`{}` is given its access a second time", e.name.as_str());
                                let help = "remove one of the two";
                                self.typing().not_standard(Code::FormOfCompilers, e.name.span, text, help);
                            }
                        }
                        // `save /block/` and `bind(c) :: /block/` name a COMMON block: every block is saved.
                        Attr::Bind(label, _) if e.name.as_str().starts_with('/') => {
                            let name: Arc<str> = e.name.as_str().trim_matches('/').into();
                            let label = match label.as_ref().map(|label| &label.kind) {
                                Some(ast::ExprKind::Char { value, .. }) => value.trim().into(),
                                _ => name.clone(),
                            };
                            self.made.bound_commons.insert(name, label);
                        }
                        Attr::Save(_) if e.name.as_str().starts_with('/') => {}
                        _ => {
                            if self.typing().is_used_name(scope, &e.name) {
                                if let Attr::Cuda(..) = attr {
                                    let text = format!(
                                        "`{}` comes from another scope and cannot be given a CUDA attribute here",
                                        e.name.as_str()
                                    );
                                    self.reporter.error_help::<()>(
                                        Code::TwoDataAttributes,
                                        e.name.span,
                                        text,
                                        "put the attribute where it is declared",
                                    );
                                }
                                continue;
                            }
                            let Some(at) = self.declared_name(scope, &e.name) else { continue };
                            self.entity(scope, at, e);
                            self.attribute(scope, at, attr, &e.name);
                        }
                    }
                }
            }
            DeclKind::Parameter { items, is_bare } => {
                for (name, value) in items {
                    let Some(at) = self.declared_name(scope, name) else { continue };
                    let p = &mut self.scopes.get_mut(scope).declared[at];
                    if p.parameter.is_some() {
                        let (text, first) = (p.name.clone(), p.span);
                        self.typing().declared_twice(&text, name.span, first);
                        continue;
                    }
                    if !p.init_is_none() {
                        let text = format!("`{}` has two initial values", p.name);
                        self.reporter.error::<()>(Code::BadInitialisation, name.span, text);
                        continue;
                    }
                    p.parameter = Some(name.span);
                    p.is_typed_by_value = *is_bare;
                    p.init = Init::Value(value);
                }
            }
            DeclKind::Data(_) => self.data_of(scope, d),
            DeclKind::Common(blocks) => {
                for (_, entities) in blocks {
                    for e in entities {
                        let Some(at) = self.declared_name(scope, &e.name) else { continue };
                        self.entity(scope, at, e);
                        self.scopes.get_mut(scope).declared[at].common = Some(e.name.span);
                    }
                }
            }
            DeclKind::Equivalence(sets) => {
                for name in sets.iter().flatten().filter_map(base_name) {
                    let Some(at) = self.declared_name(scope, name) else { continue };
                    self.scopes.get_mut(scope).declared[at].equivalence = Some(name.span);
                }
            }
            DeclKind::CrayPointer(list) => {
                self.form_of_compilers(d.span, "a Cray pointer", "declare a Fortran pointer");
                for (pointer, pointee) in list {
                    if let Some(at) = self.declared_name(scope, pointer) {
                        self.scopes.get_mut(scope).declared[at].is_cray_pointer = true;
                    }
                    if let Some(at) = self.declared_name(scope, &pointee.name) {
                        self.entity(scope, at, pointee);
                        self.scopes.get_mut(scope).declared[at].cray_pointer = Some(pointer.text.clone());
                    }
                }
            }
            DeclKind::Enum(def) => {
                let mut last = None;
                for (name, value) in &def.items {
                    let Some(at) = self.declared_name(scope, name) else { continue };
                    let p = &mut self.scopes.get_mut(scope).declared[at];
                    p.parameter = Some(name.span);
                    p.is_enumerator = true;
                    p.init = value.as_ref().map_or(Init::Next(last.clone()), Init::Value);
                    last = Some(name.text.clone());
                }
            }
            DeclKind::Procedure { interface, attrs, entities } => {
                for e in entities {
                    let Some(at) = self.declared_name(scope, &e.name) else { continue };
                    self.scopes.get_mut(scope).declared[at].procedure = Some(interface.as_ref());
                    self.entity(scope, at, e);
                    for attr in attrs {
                        self.attribute(scope, at, attr, &e.name);
                    }
                }
            }
            DeclKind::IgnoreTkr(list) => {
                for (letters, name) in list {
                    let Some(at) = self.declared_name(scope, name) else { continue };
                    let p = &mut self.scopes.get_mut(scope).declared[at];
                    p.ignore_tkr = if letters.is_empty() { "tkrdma".into() } else { letters.to_lowercase().into() };
                }
            }
            DeclKind::StatementFunction { name, args, value } => {
                // With an array of that name it is an assignment; the header puts it in front of the statements.
                if self.is_array_name(scope, name) {
                    return;
                }
                if let Some(arg) = args.iter().find(|arg| arg.text == name.text) {
                    // Fortran 2018, 15.6.4.
                    self.typing().declared_twice(arg.as_str(), arg.span, name.span);
                }
                let data = self.scopes.get_mut(scope);
                let at = data.functions.len();
                data.functions.push(StatementFunction { name, args: args.clone(), value });
                // Its own type declaration, if any, gives the type of the result and no variable.
                self.scopes.define(scope, &name.text, Sym::StatementFunction(scope, at), name.span);
            }
            DeclKind::Import(list) if list.is_none || !list.names.is_empty() => {
                let is_of_interface = self.cx.proc.is_some_and(|id| self.defs.proc_info(id).is_interface);
                if self.scopes.get(scope).is_block || !is_of_interface {
                    // Fortran 2018, 8.8: it hides names of the host.
                    let _ = self
                        .reporter
                        .refuse::<()>(d.span, "`import` with a list or `none` outside of an interface body");
                }
            }
            DeclKind::Import(_)
            | DeclKind::ImplicitNone(_)
            | DeclKind::Implicit(_)
            | DeclKind::Derived(_)
            | DeclKind::Interface(_)
            | DeclKind::Namelist(_)
            | DeclKind::Error
            | DeclKind::Format { .. } => {}
        }
    }

    /// A type that is declared for a procedure of this scope is that of its result.
    fn check_type_of_procedure(&mut self, scope: ScopeId, e: &'a Entity, spec: &'a TypeSpec) {
        let Some(Entry { sym: Sym::Proc(id), span, .. }) = self.scopes.get(scope).names.get(&e.name.text) else {
            return;
        };
        let (id, first) = (*id, *span);
        if !self.defs.proc(id).is_function {
            self.typing().declared_twice(e.name.as_str(), e.name.span, first);
        } else if let Some(ty) = self.type_spec(spec, e.char_len.as_ref()) {
            self.describe(id, Description::Result(ty), e.name.span);
        }
    }

    /// Whether a name has a shape in this scope or is a variable of an enclosing one.
    pub(crate) fn is_array_name(&mut self, scope: ScopeId, name: &Name) -> bool {
        match self.scopes.get(scope).names.get(&name.text).map(|e| &e.sym) {
            Some(Sym::Unresolved(i)) => {
                let p = &self.scopes.get(scope).declared[*i];
                p.shape.is_some() || p.cray_pointer.is_some()
            }
            Some(Sym::Var(_)) => true,
            Some(_) => false,
            None => {
                let parent = self.scopes.get(scope).parent;
                parent.is_some_and(|p| matches!(self.find_from(p, &name.text), Some(Sym::Var(_))))
            }
        }
    }

    /// The place of a name among the scope's declarations; made when there is none yet.
    pub(crate) fn declared_name(&mut self, scope: ScopeId, name: &Name) -> Option<usize> {
        match self.scopes.get(scope).names.get(&name.text) {
            Some(Entry { sym: Sym::Unresolved(at), .. }) => return Some(*at),
            Some(Entry { module: Some(_), .. }) => {
                self.typing().name_is_taken(scope, &name.text, name.span);
                return None;
            }
            Some(Entry { sym: Sym::Generic { .. }, .. }) | None => {}
            Some(Entry { sym: Sym::Error, .. }) => return None,
            Some(Entry { span, .. }) => {
                let span = *span;
                self.typing().declared_twice(name.as_str(), name.span, span);
                return None;
            }
        }
        if name.as_str().contains('$') {
            self.form_of_compilers(name.span, "`$` in a name", "write letters, digits and `_` only");
        }
        let data = self.scopes.get_mut(scope);
        let at = data.declared.len();
        data.declared.push(DeclaredName {
            name: name.text.clone(),
            span: name.span,
            ignore_tkr: "".into(),
            ..DeclaredName::default()
        });
        self.scopes.define(scope, &name.text, Sym::Unresolved(at), name.span);
        Some(at)
    }

    fn entity(&mut self, scope: ScopeId, at: usize, e: &'a Entity) {
        let p = &mut self.scopes.get_mut(scope).declared[at];
        if e.shape.is_some() {
            if p.shape.is_some() {
                let name = p.name.clone();
                let text = format!("`{name}` is given a shape twice");
                self.reporter.error::<()>(Code::ConflictingDeclaration, e.span, text);
                return;
            }
            p.shape = e.shape.as_ref();
        }
        if e.char_len.is_some() {
            p.char_len = e.char_len.as_ref();
        }
        let value = match (&e.init, &e.pointer_init) {
            // nvfortran takes `= null()` for `=> null()`.
            (Some(value), _) if is_null(value) => Init::Pointer(value),
            (Some(value), _) => Init::Value(value),
            (None, Some(value)) => Init::Pointer(value),
            (None, None) => return,
        };
        if p.init_is_none() {
            p.init = value;
        } else {
            let text = format!("`{}` has two initial values", p.name);
            self.reporter.error::<()>(Code::BadInitialisation, e.span, text);
        }
    }

    fn attribute(&mut self, scope: ScopeId, at: usize, attr: &'a Attr, name: &Name) {
        let is_in_procedure = self.scopes.get(scope).proc.is_some();
        let p = &mut self.scopes.get_mut(scope).declared[at];
        match attr {
            Attr::Cuda(cuda, span) => match p.cuda {
                Some((first, _)) if first != *cuda => {
                    let text = format!("`{}` has both {} and {}", p.name, cuda::spelling(first), cuda::spelling(*cuda));
                    self.reporter.error_help::<()>(
                        Code::TwoDataAttributes,
                        *span,
                        text,
                        "a variable lives in one kind of memory: keep one of them",
                    );
                }
                _ => p.cuda = Some((*cuda, if span.is_none() { name.span } else { *span })),
            },
            Attr::Allocatable(span) => self.once(scope, at, "allocatable", *span, |p| &mut p.allocatable),
            Attr::Pointer(span) => self.once(scope, at, "pointer", *span, |p| &mut p.pointer),
            Attr::Target(span) => self.once(scope, at, "target", *span, |p| &mut p.target),
            Attr::Save(span) => p.save = Some(*span),
            Attr::Automatic(span) => {
                self.form_of_compilers(*span, "`automatic`", "leave it out");
                self.once(scope, at, "automatic", *span, |p| &mut p.automatic);
            }
            Attr::Parameter(span) => p.parameter = Some(*span),
            Attr::Value(span) => self.once(scope, at, "value", *span, |p| &mut p.value),
            Attr::Optional(span) => self.once(scope, at, "optional", *span, |p| &mut p.optional),
            Attr::Contiguous(span) => self.once(scope, at, "contiguous", *span, |p| &mut p.contiguous),
            Attr::Volatile(_) => p.volatile = true,
            Attr::Protected(span) if is_in_procedure => {
                // Fortran 2018, C848.
                let text = format!("`{}` cannot be `protected`: it is no variable of a module", name.as_str());
                let span = if span.is_none() { name.span } else { *span };
                self.reporter.error::<()>(Code::AttributeConflict, span, text);
            }
            Attr::Protected(_) => p.protected = true,
            Attr::Intent(intent, span) => match p.intent {
                Some(_) => self.typing().repeated_attribute(name.as_str(), "intent", *span),
                None => p.intent = Some((*intent, *span)),
            },
            Attr::External(span) => self.once(scope, at, "external", *span, |p| &mut p.external),
            Attr::Intrinsic(span) => self.once(scope, at, "intrinsic", *span, |p| &mut p.intrinsic),
            Attr::Bind(label, span) => match p.bind {
                Some(_) => self.typing().repeated_attribute(name.as_str(), "bind(c)", *span),
                None => p.bind = Some((label.as_ref(), *span)),
            },
            Attr::Dimension(shape) => {
                if p.shape.is_none() {
                    p.shape = Some(shape);
                }
            }
            Attr::Private(span) | Attr::Public(span) if is_in_procedure => {
                let text = "`public` and `private` belong to the specification part of a module";
                let span = if span.is_none() { name.span } else { *span };
                self.reporter.error::<()>(Code::BadAccessStatement, span, text);
            }
            Attr::Private(_) | Attr::Public(_) => {
                let private = matches!(attr, Attr::Private(_));
                self.scopes.get_mut(scope).access.insert(name.text.clone(), private);
            }
            Attr::Kind(span) | Attr::Len(span) => {
                let text = format!("`{}` is no type parameter: it is not declared in a derived type", name.as_str());
                self.reporter.error::<()>(Code::BadTypeParameter, *span, text);
            }
            Attr::Asynchronous(_) => p.asynchronous = true,
            Attr::Binding(_) | Attr::PassArg(_) => {}
        }
    }

    /// Notes an attribute that a name has, once.
    fn once(
        &mut self,
        scope: ScopeId,
        at: usize,
        word: &str,
        span: Span,
        field: impl for<'p> Fn(&'p mut DeclaredName<'a>) -> &'p mut Option<Span>,
    ) {
        let p = &mut self.scopes.get_mut(scope).declared[at];
        let name = p.name.clone();
        match field(p) {
            Some(_) => self.typing().repeated_attribute(&name, word, span),
            empty => *empty = Some(span),
        }
    }

    /// Marks the variables that a declaration initialises as DATA does.
    fn data_of(&mut self, scope: ScopeId, d: &'a Declaration) {
        for (objects, _) in d.kind.data_sets() {
            self.data_names(scope, objects);
        }
    }

    /// Marks the variables that a DATA statement initialises.
    pub(crate) fn data_names(&mut self, scope: ScopeId, objects: &'a [Expr]) {
        for object in objects {
            match &object.kind {
                ExprKind::Array { items, .. } => self.data_items(scope, items),
                _ => {
                    if let Some(name) = base_name(object)
                        && let Some(at) = self.declared_name(scope, name)
                    {
                        self.scopes.get_mut(scope).declared[at].data = true;
                    }
                }
            }
        }
    }

    fn data_items(&mut self, scope: ScopeId, items: &'a [ast::ArrayItem]) {
        for item in items {
            match item {
                ast::ArrayItem::Expr(e) => self.data_names(scope, std::slice::from_ref(e)),
                ast::ArrayItem::Do(d) => self.data_items(scope, &d.items),
                ast::ArrayItem::Range(_) => {}
            }
        }
    }

    fn form_of_compilers(&mut self, span: Span, what: &str, help: &str) {
        let text = format!("{what} is a form that compilers take and the standard does not have");
        self.typing().not_standard(Code::FormOfCompilers, span, text, help);
    }

    fn declare_type(&mut self, scope: ScopeId, def: &'a ast::DerivedType) {
        if def.name.as_str().starts_with("structure ") {
            self.form_of_compilers(def.name.span, "`structure`", "declare a derived type");
        }
        if let Some(Entry { sym, .. }) = self.scopes.get(scope).names.get(&def.name.text) {
            if !matches!(sym, Sym::Generic { .. }) {
                self.typing().name_is_taken(scope, &def.name.text, def.name.span);
                return;
            }
        }
        let id: TypeId = self.add_type(scope, def);
        let sym = match self.scopes.get(scope).names.get(&def.name.text).map(|e| e.sym.clone()) {
            Some(Sym::Generic { procs, .. }) => Sym::Generic { procs, ty: Some(id) },
            _ => Sym::Type(id),
        };
        self.scopes.define(scope, &def.name.text, sym, def.name.span);
        if let Some(access) = &def.access {
            let private = matches!(access, Attr::Private(_));
            self.scopes.get_mut(scope).access.insert(def.name.text.clone(), private);
        }
    }
}

/// The key of a name in a PUBLIC or PRIVATE statement, which may be `operator(…)` or `assignment(=)`.
fn access_key(text: &Arc<str>) -> Arc<str> {
    match text.strip_prefix("operator(").and_then(|t| t.strip_suffix(')')) {
        Some(op) => operator_key(op.trim()),
        None => text.clone(),
    }
}

/// Bytes written as `*8` in a type.
pub(crate) fn star_kind(kind: &KindParam) -> Option<u32> {
    match kind {
        KindParam::Star(bytes) => Some(*bytes),
        KindParam::Expr(_) => None,
    }
}

impl Typing<'_> {
    /// `real :: f` beside an internal or module procedure `f` repeats its result's type; nothing is declared.
    fn names_type_of_procedure(&mut self, scope: ScopeId, e: &Entity, attrs: &[Attr]) -> bool {
        attrs.is_empty()
            && e.shape.is_none()
            && matches!(
                self.scopes.get(scope).names.get(&e.name.text),
                Some(Entry { sym: Sym::Proc(_) | Sym::StatementFunction(..), module: None, .. })
            )
    }

    fn is_used_name(&self, scope: ScopeId, name: &Name) -> bool {
        self.scopes.get(scope).names.get(&name.text).is_some_and(|e| e.module.is_some())
    }

    /// Whether a scope around this one has a name.
    fn is_of_host(&self, scope: ScopeId, name: &Name) -> bool {
        let around = std::iter::successors(self.scopes.get(scope).parent, |&at| self.scopes.get(at).parent);
        around.into_iter().any(|at| self.scopes.get(at).names.get(&name.text).is_some())
    }

    /// Reports a declaration of a name that the scope has, be it from a module.
    pub(crate) fn name_is_taken(&mut self, scope: ScopeId, name: &Arc<str>, span: Span) {
        let Some(entry) = self.scopes.get(scope).names.get(name) else { return };
        let Some(module) = entry.module.clone() else {
            let first = entry.span;
            self.declared_twice(name, span, first);
            return;
        };
        let text = format!("`{name}` comes from module `{module}` and cannot be declared again");
        self.reporter.report(
            Diagnostic::new(Code::DuplicateDeclaration, span, text)
                .help(format!("rename one of them, or use `{module}` with an `only` list")),
        );
    }

    /// Fortran 2018, C808: a binding label is that of one entity.
    fn check_one_label(&mut self, d: &Declaration) {
        let (attrs, entities) = match &d.kind {
            DeclKind::Type { attrs, entities, .. } => (attrs.as_slice(), entities),
            DeclKind::Attr { attr, entities } => (std::slice::from_ref(attr), entities),
            _ => return,
        };
        let label = attrs.iter().find_map(|a| if let Attr::Bind(Some(label), _) = a { Some(label) } else { None });
        if let (Some(label), [_, second, ..]) = (label, entities.as_slice()) {
            let text =
                format!("the binding label is that of one variable, and `{}` is a second one", second.name.as_str());
            self.reporter.error::<()>(Code::NotInteroperable, label.span, text);
        }
    }

    /// Fortran 2018, C815: no attribute is given to a name twice.
    fn repeated_attribute(&mut self, name: &str, word: &str, span: Span) {
        let text = format!("`{name}` is given the attribute `{word}` twice");
        self.reporter.error::<()>(Code::AttributeConflict, span, text);
    }

    pub(crate) fn declared_twice(&mut self, name: &str, span: Span, first: Span) {
        let d = Diagnostic::new(Code::DuplicateDeclaration, span, format!("`{name}` is declared twice"));
        self.reporter.report(d.secondary(first, "first declared here"));
    }
}

/// Whether two intrinsic types are written alike: without a kind, or with the same one.
fn are_same(a: &TypeSpec, b: &TypeSpec) -> bool {
    use TypeSpecKind::{Complex, DoubleComplex, DoublePrecision, Integer, Logical, Real};
    let are_alike = |a: &Option<KindParam>, b: &Option<KindParam>| match (a, b) {
        (None, None) => true,
        (Some(KindParam::Star(m)), Some(KindParam::Star(n))) => m == n,
        (Some(KindParam::Expr(x)), Some(KindParam::Expr(y))) => match (&x.kind, &y.kind) {
            (ExprKind::Int { digits: m, kind: None }, ExprKind::Int { digits: n, kind: None }) => m == n,
            (ExprKind::Name(m), ExprKind::Name(n)) => m.text == n.text,
            _ => false,
        },
        _ => false,
    };
    match (&a.kind, &b.kind) {
        (Integer(x), Integer(y)) | (Real(x), Real(y)) | (Complex(x), Complex(y)) | (Logical(x), Logical(y)) => {
            are_alike(x, y)
        }
        (DoublePrecision, DoublePrecision) | (DoubleComplex, DoubleComplex) => true,
        _ => false,
    }
}
