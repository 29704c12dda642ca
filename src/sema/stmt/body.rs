//! The statements of procedures.

use crate::checked::{Block, Expr, ExprKind, Intrinsic, ProcBody, ProcId, Stmt, StmtKind, Storage, Type, VarId, visit};
use crate::checker::{Checker, CodeSide, Context, StatementFunction, Sym};
use crate::typing::constant;
use ast::{Arg, ArgValue, DeclKind, Declaration, Name, Subprogram};
use source::Span;
use std::collections::BTreeMap;

impl<'a> Checker<'a> {
    /// Checks the statements of all procedures, those of a host before those of its internal procedures.
    pub(crate) fn check_bodies(&mut self) {
        let mut at = 0;
        while let Some(id) = self.defs.proc_at(at) {
            self.resolve_interface(id);
            self.check_body(id);
            at += 1;
        }
    }

    fn check_body(&mut self, id: ProcId) {
        if self.defs.proc_info(id).is_interface || self.defs.is_service(id) {
            return;
        }
        let Some(sub) = self.defs.proc_info(id).separate.or(self.defs.proc_info(id).ast) else { return };
        if let Some(what) = self.defs.proc_info(id).refused.clone() {
            let stmt = Stmt { label: None, kind: StmtKind::Unsupported(what), span: sub.span };
            self.defs.proc_mut(id).body = ProcBody::Statements(vec![stmt]);
            return;
        }
        let scope = self.defs.proc_info(id).scope;
        let side = CodeSide::of(self.defs.proc(id).kind);
        let outer = self.enter_context(Context::new(scope, Some(id), side));
        if self.defs.proc_info(id).separate.is_some() {
            self.leave_interface(id, scope);
            self.use_modules(scope, &sub.uses);
            self.declare_procedures(scope, &sub.internal, Some(id), (None, &[]));
            self.collect_declarations(scope, &sub.decls);
            self.resolve_scope(scope);
        }
        self.labels(id, sub);
        let mut body = self.leading_assignments(sub);
        let declared = self.scopes.get(scope).functions.len();
        let functions = self.leading_functions(id, sub);
        if let Some(alternate) = self.defs.proc_info(id).alternate {
            body.push(alternate_set(alternate, constant(crate::checked::Const::Int(0), Type::Integer(8), sub.span)));
        }
        let (leading, rest) = sub.body.split_at(functions);
        for stmt in leading.iter().filter(|stmt| !matches!(stmt.kind, ast::StmtKind::Assign { .. })) {
            body.extend(self.block(std::slice::from_ref(stmt)));
        }
        body.extend(self.block(rest));
        self.check_leading_functions(declared);
        // Those of a BLOCK get their values there.
        let mut vars = self.defs.proc(id).vars.clone();
        visit::statements(&body, &mut |s| {
            if let StmtKind::Block { vars: own, .. } = &s.kind {
                vars.retain(|v| !own.contains(v));
            }
        });
        let mut first = self.initial_assignments(&vars);
        first.append(&mut body);
        self.leave_context(outer);
        self.defs.proc_mut(id).body = ProcBody::Statements(first);
    }

    /// `a(i) = x` before any other statement looks like a statement function; with an array `a` it is an assignment.
    fn leading_assignments(&mut self, sub: &'a Subprogram) -> Block {
        let mut out = Vec::new();
        for d in &sub.decls {
            let DeclKind::StatementFunction { name, args, value } = &d.kind else { continue };
            let is_function = matches!(self.find_name(name), Some(Sym::StatementFunction(..)));
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
                None => match self.reporter.take_refusal() {
                    Some(what) => StmtKind::Unsupported(what),
                    None => continue,
                },
            };
            out.push(Stmt { label: None, kind, span: d.span });
        }
        out
    }

    /// Statement functions whose names nothing declares as such, before all other statements: `f(x) = …` where `f` is no array.
    /// ENTRY, DATA and FORMAT statements may stand between them (Fortran 2018, 5.3.2). Gives how many statements all are.
    fn leading_functions(&mut self, id: ProcId, sub: &'a Subprogram) -> usize {
        let scope = self.cx.scope;
        for (at, stmt) in sub.body.iter().enumerate() {
            if matches!(stmt.kind, ast::StmtKind::Entry { .. } | ast::StmtKind::Declaration(_)) {
                continue;
            }
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
                None => self.scopes.implicit_type(scope, &name.text).is_some(),
                Some(Sym::Var(v)) => {
                    let var = self.defs.var(v);
                    var.owner == Some(id)
                        && matches!(var.shape, crate::checked::Shape::Scalar)
                        && !matches!(var.storage, Storage::Dummy(_) | Storage::Result)
                        && self.defs.var_info(v).typed_only
                }
                _ => false,
            };
            if stmt.label.is_some() || !can_be {
                return at;
            }
            let data = self.scopes.get_mut(scope);
            let number = data.functions.len();
            data.functions.push(StatementFunction { name, args: names, value });
            let sym = Sym::StatementFunction(scope, number);
            match self.scopes.get_mut(scope).names.get_mut(&name.text) {
                Some(entry) => entry.sym = sym,
                None => self.scopes.define(scope, &name.text, sym, name.span),
            }
        }
        sub.body.len()
    }

    /// In device code, `a(i) = …` where nothing refers to a function `a` was to assign an array that is not declared.
    fn check_leading_functions(&mut self, first: usize) {
        let scope = self.cx.scope;
        let names: Vec<&Name> = self.scopes.get(scope).functions.iter().map(|f| f.name).collect();
        for (at, name) in names.into_iter().enumerate().skip(first) {
            if self.cx.side.on_device() && !self.made.expanded.contains(&(scope, at)) {
                let _ = self.typing().no_such_array::<()>(name, None);
            }
        }
    }

    /// In device code an initial value is assigned anew at each call, or each time that a BLOCK is executed.
    pub(super) fn initial_assignments(&mut self, vars: &[VarId]) -> Block {
        let mut out = Vec::new();
        if !self.cx.side.on_device() {
            return out;
        }
        for &var in vars {
            let v = self.defs.var_mut(var);
            let value = match v.storage {
                Storage::Local => v.init.take(),
                // The variable of the host's code keeps it.
                Storage::Static if self.cx.side == CodeSide::Both => v.init.clone(),
                _ => None,
            };
            let Some(value) = value else { continue };
            let (ty, rank, span) = (v.ty.clone(), v.shape.rank(), v.span);
            let target = Expr { kind: ExprKind::Var(var), ty: ty.clone(), rank, span };
            let value = Expr { kind: ExprKind::Const(value), ty, rank, span };
            out.push(Stmt { label: None, kind: StmtKind::Assign { target, value }, span });
        }
        let Some(span) = out.first().map(|s| s.span).filter(|_| self.cx.side == CodeSide::Both) else { return out };
        let kind = ExprKind::Intrinsic { id: Intrinsic::OnDevice, args: Vec::new() };
        let on_device = Expr { kind, ty: Type::Logical(4), rank: 0, span };
        vec![Stmt { label: None, kind: StmtKind::If(vec![(Some(on_device), out, span)]), span }]
    }

    /// Collects the labels and formats of a procedure.
    fn labels(&mut self, id: ProcId, sub: &'a Subprogram) {
        let mut seen: BTreeMap<u32, Span> = BTreeMap::new();
        for d in &sub.decls {
            self.format(id, d, &mut seen);
        }
        self.block_labels(id, &sub.body, &mut seen);
        self.check_branches(&sub.body);
    }

    fn format(&mut self, id: ProcId, d: &'a Declaration, seen: &mut BTreeMap<u32, Span>) {
        if let DeclKind::Format { label, text } = &d.kind {
            if one_label(*label, d.span, seen) {
                self.defs.proc_info_mut(id).formats.insert(*label, text.clone());
                let bytes = self.options.characters(text);
                self.typing().check_format(&bytes, d.span);
            }
        }
    }

    fn block_labels(&mut self, id: ProcId, stmts: &'a [ast::Stmt], seen: &mut BTreeMap<u32, Span>) {
        use ast::StmtKind as K;
        for s in stmts {
            if let K::Declaration(d) = &s.kind {
                self.format(id, d, seen);
                continue;
            }
            if let Some(label) = s.label {
                if one_label(label, s.span, seen) {
                    self.defs.proc_info_mut(id).labels.insert(label);
                    if matches!(s.kind, K::Error) {
                        // It may have been a FORMAT: nothing is said of those who name it.
                        self.defs.proc_info_mut(id).formats.insert(label, "()".into());
                    }
                }
            }
            match &s.kind {
                K::LabelAssign(label, _) => {
                    self.defs.proc_info_mut(id).assigned.insert(*label);
                }
                K::If { arms, .. } => {
                    for arm in arms {
                        self.block_labels(id, &arm.body, seen);
                    }
                }
                K::Do { body, .. } | K::Block { body, .. } | K::Associate { body, .. } | K::Forall { body, .. } => {
                    self.block_labels(id, body, seen);
                }
                K::Select { arms, .. } | K::SelectRank { arms, .. } => {
                    for arm in arms {
                        self.block_labels(id, &arm.body, seen);
                    }
                }
                K::SelectType { arms, .. } => {
                    for (_, body, _) in arms {
                        self.block_labels(id, body, seen);
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

/// Sets the number of the label that a call is left by.
pub(super) fn alternate_set(alternate: VarId, value: Expr) -> Stmt {
    let span = value.span;
    let target = Expr { kind: ExprKind::Var(alternate), ty: Type::Integer(8), rank: 0, span };
    Stmt { label: None, kind: StmtKind::Assign { target, value }, span }
}

/// Whether a label is new. A second statement with it was reported by the parser.
fn one_label(label: u32, span: Span, seen: &mut BTreeMap<u32, Span>) -> bool {
    *seen.entry(label).or_insert(span) == span
}
