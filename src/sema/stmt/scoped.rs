//! BLOCK and ASSOCIATE: constructs with names of their own.

use super::ConstructKind;
use crate::checked::{Attrs, Expr, ExprKind, Shape, StmtKind, Storage, VarId, Variable};
use crate::checker::{Checker, VarInfo};
use crate::expr::is_designator;
use crate::scope::{ScopeData, Sym};
use ast::{Declaration, Name, UseStmt};

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
        let scope = self.add_scope(data);
        self.cx.scope = scope;
        self.use_modules(scope, uses);
        self.collect_declarations(scope, decls);
        self.settle_scope(scope);
        self.late_declarations(scope, decls);
        let names: Vec<_> = self.scopes[scope.0 as usize].pending.iter().map(|p| p.name.clone()).collect();
        let mut vars = Vec::new();
        for name in names {
            if let Some(Sym::Var(id)) = self.own(scope, &name)
                && matches!(self.out.var(id).storage, Storage::Local)
            {
                vars.push(id);
            }
        }
        let (id, body) = self.inside(name, ConstructKind::Other, |c, id| (id, c.block(body)));
        self.cx.scope = outer;
        Some(StmtKind::Block { id, vars, body })
    }

    pub(super) fn associate(
        &mut self,
        name: Option<&'a Name>,
        items: &'a [(Name, ast::Expr)],
        body: &'a [ast::Stmt],
    ) -> Option<StmtKind> {
        let mut typed = Vec::with_capacity(items.len());
        for (name, e) in items {
            typed.push((name, self.expr(e)));
        }
        let outer = self.enter_block();
        let mut vars: Vec<VarId> = Vec::new();
        for (name, value) in typed {
            match value {
                Some(value) => vars.push(self.alias(name, value)),
                None => {
                    let scope = self.cx.scope;
                    let sym = match &self.cx.refused {
                        Some(what) => Sym::Refused(what.clone()),
                        None => Sym::Error,
                    };
                    self.define(scope, &name.text, sym, name.span);
                }
            }
        }
        let refused = self.cx.refused.take();
        let (id, body) = self.inside(name, ConstructKind::Other, |c, id| (id, c.block(body)));
        self.cx.scope = outer;
        self.cx.refused = refused;
        Some(StmtKind::Block { id, vars, body })
    }

    /// The variable of an ASSOCIATE name.
    pub(super) fn alias(&mut self, name: &Name, value: Expr) -> VarId {
        let shape = match (&value.kind, value.rank) {
            (_, 0) => Shape::Scalar,
            (ExprKind::Var(id), _) if matches!(self.out.var(*id).shape, Shape::Explicit(_)) => {
                self.out.var(*id).shape.clone()
            }
            (_, rank) => Shape::Deferred(rank),
        };
        let attrs = Attrs {
            cuda: if is_designator(&value) { self.space_of(&value) } else { None },
            class: self.is_class(&value),
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
        let id = self.add_var(var, VarInfo::default());
        let scope = self.cx.scope;
        self.define(scope, &name.text, Sym::Var(id), name.span);
        id
    }
}
