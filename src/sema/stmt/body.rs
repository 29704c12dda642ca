//! The statements of procedures.

use crate::checked::{Block, Expr, ExprKind, ProcBody, ProcId, Stmt, StmtKind, Storage, Type, VarId};
use crate::checker::{Checker, Context};
use crate::decl::side_of;
use ast::{Arg, ArgValue, DeclKind, Declaration, Subprogram};
use source::Span;
use std::collections::BTreeMap;

impl<'a> Checker<'a> {
    /// Checks the statements of all procedures, those of a host before those of its internal procedures.
    pub(crate) fn check_bodies(&mut self) {
        let mut at = 0;
        while at < self.procs.len() {
            self.header(ProcId(at as u32));
            self.check_body(ProcId(at as u32));
            at += 1;
        }
    }

    fn check_body(&mut self, id: ProcId) {
        let at = id.0 as usize;
        if self.procs[at].is_interface || self.is_service(id) {
            return;
        }
        let Some(sub) = self.procs[at].separate.or(self.procs[at].ast) else { return };
        if let Some(what) = self.procs[at].refused.clone() {
            let stmt = Stmt { label: None, kind: StmtKind::Unsupported(what), span: sub.span };
            self.out.procs[at].body = ProcBody::Statements(vec![stmt]);
            return;
        }
        let scope = self.procs[at].scope;
        let side = side_of(self.out.proc(id).kind);
        let outer = std::mem::replace(&mut self.cx, Context::new(scope, Some(id), side));
        if self.procs[at].separate.is_some() {
            self.use_modules(scope, &sub.uses);
            self.declare_procedures(scope, &sub.internal, Some(id), None);
            self.collect_declarations(scope, &sub.decls);
            self.settle_scope(scope);
        }
        self.labels(id, sub);
        let mut body = self.leading_assignments(sub);
        let functions = self.leading_functions(id, sub);
        if let Some(alternate) = self.procs[at].alternate {
            body.push(Self::alternate_set(
                alternate,
                Self::constant(crate::checked::Const::Int(0), Type::Integer(4), sub.span),
            ));
        }
        body.extend(self.block(&sub.body[functions..]));
        let mut first = self.initial_assignments(id);
        first.append(&mut body);
        self.cx = outer;
        self.out.procs[at].body = ProcBody::Statements(first);
    }

    /// `a(i) = x` before any other statement looks like a statement function; with an array `a` it is an assignment.
    fn leading_assignments(&mut self, sub: &'a Subprogram) -> Block {
        let mut out = Vec::new();
        for d in &sub.decls {
            let DeclKind::StatementFunction { name, args, value } = &d.kind else { continue };
            let is_function = matches!(self.find_name(name), Some(crate::scope::Sym::StatementFunction(..)));
            if is_function {
                continue;
            }
            let named = |n: &ast::Name| ast::Expr { kind: ast::ExprKind::Name(n.clone()), span: n.span };
            let args =
                args.iter().map(|n| Arg { keyword: None, value: ArgValue::Expr(named(n)), span: n.span }).collect();
            let target = ast::Expr {
                kind: ast::ExprKind::Apply { base: Box::new(named(name)), args },
                span: Span { end: value.span.start, ..d.span },
            };
            let kind = match self.assignment(&target, value, d.span) {
                Some(kind) => kind,
                None => match self.cx.refused.take() {
                    Some(what) => StmtKind::Unsupported(what),
                    None => continue,
                },
            };
            out.push(Stmt { label: None, kind, span: d.span });
        }
        out
    }

    /// Statement functions whose names nothing declares as such, before all other statements: `f(x) = …` where `f` is no array.
    /// Gives how many statements they are.
    fn leading_functions(&mut self, id: ProcId, sub: &'a Subprogram) -> usize {
        let scope = self.cx.scope;
        for (at, stmt) in sub.body.iter().enumerate() {
            let ast::StmtKind::Assign { target, value } = &stmt.kind else { return at };
            let ast::ExprKind::Apply { base, args } = &target.kind else { return at };
            let ast::ExprKind::Name(name) = &base.kind else { return at };
            let mut names = Vec::with_capacity(args.len());
            for arg in args {
                match (&arg.keyword, &arg.value) {
                    (None, ArgValue::Expr(ast::Expr { kind: ast::ExprKind::Name(n), .. })) => names.push(n.clone()),
                    _ => return at,
                }
            }
            let can_be = match self.find_name(name) {
                None => self.implicit_type(scope, &name.text).is_some(),
                Some(crate::scope::Sym::Var(v)) => {
                    let var = self.out.var(v);
                    var.owner == Some(id)
                        && matches!(var.shape, crate::checked::Shape::Scalar)
                        && !matches!(var.storage, Storage::Dummy(_) | Storage::Result)
                        && self.vars[v.0 as usize].typed_only
                }
                _ => false,
            };
            if stmt.label.is_some() || self.cx.side.on_device() || !can_be {
                return at;
            }
            let data = self.scope(scope);
            let number = data.functions.len();
            data.functions.push(crate::decl::StatementFunction { name, args: names, value });
            let sym = crate::scope::Sym::StatementFunction(scope, number);
            match self.scope(scope).names.get_mut(&name.text) {
                Some(entry) => entry.sym = sym,
                None => self.define(scope, &name.text, sym, name.span),
            }
        }
        sub.body.len()
    }

    /// Sets the number of the label that a call is left by.
    pub(super) fn alternate_set(alternate: VarId, value: Expr) -> Stmt {
        let span = value.span;
        let target = Expr { kind: ExprKind::Var(alternate), ty: Type::Integer(4), rank: 0, span };
        Stmt { label: None, kind: StmtKind::Assign { target, value }, span }
    }

    /// In device code an initial value is assigned anew at each call.
    fn initial_assignments(&mut self, id: ProcId) -> Block {
        let mut out = Vec::new();
        if !self.cx.side.on_device() {
            return out;
        }
        for var in self.out.proc(id).vars.clone() {
            let v = &mut self.out.vars[var.0 as usize];
            if !matches!(v.storage, Storage::Local) {
                continue;
            }
            let Some(value) = v.init.take() else { continue };
            let (ty, rank, span) = (v.ty.clone(), v.shape.rank(), v.span);
            let target = Expr { kind: ExprKind::Var(var), ty: ty.clone(), rank, span };
            let value = Expr { kind: ExprKind::Const(value), ty, rank, span };
            out.push(Stmt { label: None, kind: StmtKind::Assign { target, value }, span });
        }
        out
    }

    /// Collects the labels and formats of a procedure.
    fn labels(&mut self, id: ProcId, sub: &'a Subprogram) {
        let mut seen: BTreeMap<u32, Span> = BTreeMap::new();
        for d in &sub.decls {
            self.format(id, d, &mut seen);
        }
        self.block_labels(id, &sub.body, &mut seen);
    }

    fn format(&mut self, id: ProcId, d: &'a Declaration, seen: &mut BTreeMap<u32, Span>) {
        if let DeclKind::Format { label, text } = &d.kind {
            if Self::one_label(*label, d.span, seen) {
                self.procs[id.0 as usize].formats.insert(*label, text.clone());
            }
        }
    }

    /// Whether a label is new. A second statement with it was reported by the parser.
    fn one_label(label: u32, span: Span, seen: &mut BTreeMap<u32, Span>) -> bool {
        *seen.entry(label).or_insert(span) == span
    }

    fn block_labels(&mut self, id: ProcId, stmts: &'a [ast::Stmt], seen: &mut BTreeMap<u32, Span>) {
        use ast::StmtKind as K;
        for s in stmts {
            if let K::Declaration(d) = &s.kind {
                self.format(id, d, seen);
                continue;
            }
            if let Some(label) = s.label {
                if Self::one_label(label, s.span, seen) {
                    self.procs[id.0 as usize].labels.insert(label);
                    if matches!(s.kind, K::Error) {
                        // It may have been a FORMAT: nothing is said of those who name it.
                        self.procs[id.0 as usize].formats.insert(label, "()".into());
                    }
                }
            }
            match &s.kind {
                K::If { arms, .. } => {
                    for arm in arms {
                        self.block_labels(id, &arm.body, seen);
                    }
                }
                K::Do { body, .. } | K::Block { body, .. } | K::Associate { body, .. } | K::Forall { body, .. } => {
                    self.block_labels(id, body, seen);
                }
                K::Select { arms, .. } => {
                    for arm in arms {
                        self.block_labels(id, &arm.body, seen);
                    }
                }
                K::Where { arms, .. } => {
                    for arm in arms {
                        self.block_labels(id, &arm.body, seen);
                    }
                }
                K::Cuf(kernel) => {
                    if let Some(body) = &kernel.body {
                        self.block_labels(id, std::slice::from_ref(body), seen);
                    }
                }
                _ => {}
            }
        }
    }
}
