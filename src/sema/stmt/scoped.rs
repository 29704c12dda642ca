//! BLOCK and ASSOCIATE: constructs with names of their own.

use crate::checked::{Attrs, Expr, ExprKind, Shape, StmtKind, Storage, VarId, Variable, is_designator};
use crate::checker::{Checker, CodeSide, ConstructKind, ScopeData, Sym, VarInfo};
use crate::typing::{is_class, space_of};
use ast::{DeclKind, Declaration, Name, UseStmt};
use diag::Code;

impl<'a> Checker<'a> {
    pub(super) fn block_construct(
        &mut self,
        name: Option<&'a Name>,
        uses: &'a [UseStmt],
        decls: &'a [Declaration],
        body: &'a [ast::Stmt],
    ) -> Option<StmtKind> {
        let outer = self.cx.scope;
        let data = ScopeData { parent: Some(outer), proc: self.cx.proc, is_block: true, ..ScopeData::default() };
        let scope = self.scopes.add(data);
        self.cx.scope = scope;
        self.use_modules(scope, uses);
        self.check_block_declarations(decls);
        self.collect_declarations(scope, decls);
        self.resolve_scope(scope);
        self.late_declarations(scope, decls);
        let names: Vec<_> = self.scopes.get(scope).declared.iter().map(|p| p.name.clone()).collect();
        let mut vars = Vec::new();
        for name in names {
            let Some(Sym::Var(id)) = self.own(scope, &name) else { continue };
            let is_local = match self.defs.var(id).storage {
                Storage::Local => true,
                // Saved in the host's code, and not in the device's.
                Storage::Static => self.cx.side == CodeSide::Both,
                _ => false,
            };
            if is_local {
                vars.push(id);
            }
        }
        let mut statements = self.initial_assignments(&vars);
        let (id, body) = self.inside(name, ConstructKind::Other, |c, id| (id, c.block(body)));
        statements.extend(body);
        self.cx.scope = outer;
        Some(StmtKind::Block { id, vars, body: statements })
    }

    /// What stands in no BLOCK (Fortran 2018, C1107, R1109).
    fn check_block_declarations(&mut self, decls: &[Declaration]) {
        for d in decls {
            let word = match d.kind {
                DeclKind::Common(_) => "common",
                DeclKind::Equivalence(_) => "equivalence",
                DeclKind::Namelist(_) => "namelist",
                DeclKind::Implicit(_) | DeclKind::ImplicitNone(_) => "implicit",
                _ => continue,
            };
            let text = format!("a `block` construct has no `{word}`");
            let help = "put it among the declarations of the procedure";
            self.reporter.error_help::<()>(Code::StatementOutOfPlace, d.span, text, help);
        }
    }

    pub(super) fn associate(
        &mut self,
        name: Option<&'a Name>,
        items: &'a [(Name, ast::Expr)],
        body: &'a [ast::Stmt],
    ) -> Option<StmtKind> {
        let mut typed = Vec::with_capacity(items.len());
        for (name, e) in items {
            let value = match self.expr(e) {
                Some(Expr { kind: ExprKind::Null, span, .. }) => {
                    self.reporter.error(Code::MisplacedNull, span, "`null()` is no object and has no value")
                }
                other => other,
            };
            typed.push((name, value));
        }
        let outer = self.enter_block();
        let mut vars: Vec<VarId> = Vec::new();
        for (name, value) in typed {
            match value {
                Some(value) => vars.push(self.alias(name, value)),
                None => {
                    let scope = self.cx.scope;
                    let sym = match self.reporter.refusal() {
                        Some(what) => Sym::Refused(what.clone()),
                        None => Sym::Error,
                    };
                    self.scopes.define(scope, &name.text, sym, name.span);
                }
            }
        }
        let refused = self.reporter.take_refusal();
        let (id, body) = self.inside(name, ConstructKind::Other, |c, id| (id, c.block(body)));
        self.cx.scope = outer;
        self.reporter.restore_refusal(refused);
        Some(StmtKind::Block { id, vars, body })
    }

    /// The variable of an ASSOCIATE name.
    pub(super) fn alias(&mut self, name: &Name, value: Expr) -> VarId {
        let shape = match (&value.kind, value.rank) {
            (_, 0) => Shape::Scalar,
            (ExprKind::Var(id), _) if matches!(self.defs.var(*id).shape, Shape::Explicit(_)) => {
                self.defs.var(*id).shape.clone()
            }
            (_, rank) => Shape::Deferred(rank),
        };
        let attrs = Attrs {
            cuda: if is_designator(&value) { space_of(&self.defs, &value) } else { None },
            class: is_class(&self.defs, &value),
            ignore_tkr: "".into(),
            ..Attrs::default()
        };
        let var = Variable {
            name: name.text.clone(),
            ty: value.ty.clone(),
            shape,
            storage: Storage::Alias(Box::new(value)),
            attrs,
            init: None,
            owner: self.cx.proc,
            module: None,
            span: name.span,
        };
        let id = self.defs.add_var(var, VarInfo::default());
        let scope = self.cx.scope;
        self.scopes.define(scope, &name.text, Sym::Var(id), name.span);
        id
    }
}
