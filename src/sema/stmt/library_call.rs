//! Calls of those intrinsic subroutines that are procedures of the run-time library: their integers and logical values may have any
//! kind (Fortran 2018, 16.9.83 and 16.9.155), the procedures have one.

use crate::checked::{Expr, ExprKind, ProcId, Shape, Stmt, StmtKind, Storage, Type, is_designator, root};
use crate::checker::Checker;
use crate::typing::{Argument, Given};
use ast::{Arg, Intent, Name};
use source::Span;
use std::sync::Arc;

/// A variable in the place of an argument of another kind, and what is assigned before and behind the call.
struct InPlace {
    variable: Expr,
    of: Expr,
    is_read: bool,
}

impl Checker<'_> {
    /// A call of such a subroutine.
    pub(super) fn library_intrinsic(&mut self, id: ProcId, name: &Name, args: &[Arg], span: Span) -> Option<StmtKind> {
        let mut arguments = self.arguments(args)?;
        self.linked(id, name)?;
        let mut in_place = Vec::new();
        for (at, arg) in arguments.iter_mut().enumerate() {
            in_place.extend(self.give_kind_of_dummy(id, at, arg)?);
        }
        let call = match self.fit(id, &arguments, span) {
            Ok(fit) => self.subroutine_call(&fit, arguments, span)?,
            Err(wrong) => return self.reporter.report_all(wrong),
        };
        if in_place.is_empty() {
            return Some(call);
        }
        let stmt = |kind| Stmt { label: None, kind, span };
        let (mut vars, mut body) = (Vec::new(), Vec::new());
        for InPlace { variable, of, is_read } in &in_place {
            vars.extend(root(variable));
            if *is_read {
                let value = self.typing().convert(of.clone(), &variable.ty)?;
                body.push(stmt(StmtKind::Assign { target: variable.clone(), value }));
            }
        }
        body.push(stmt(call));
        for InPlace { variable, of, .. } in in_place {
            let value = self.typing().convert(variable, &of.ty)?;
            body.push(stmt(StmtKind::Assign { target: of, value }));
        }
        Some(StmtKind::Block { id: self.cx.new_construct(), vars, body })
    }

    /// Gives an argument the kind of its dummy: a value is converted, a variable gets another one in its place.
    #[allow(clippy::option_option)]
    fn give_kind_of_dummy(&mut self, id: ProcId, at: usize, arg: &mut Argument) -> Option<Option<InPlace>> {
        let params = &self.defs.proc(id).params;
        let param = match &arg.keyword {
            Some(keyword) => params.iter().find(|&&v| self.defs.var(v).name == keyword.text),
            None => params.get(at),
        };
        let (Some(&param), Given::Expr(e)) = (param, &arg.given) else { return Some(None) };
        let (ty, intent) = (self.defs.var(param).ty.clone(), self.defs.var(param).attrs.intent);
        let is_of_kind = matches!(
            (&ty, &e.ty),
            (Type::Integer(m), Type::Integer(n)) | (Type::Logical(m), Type::Logical(n)) if m != n
        );
        if !is_of_kind || e.rank != 0 {
            return Some(None);
        }
        if matches!(e.kind, ExprKind::Var(v) if self.defs.var(v).attrs.optional) {
            let text =
                format!("an optional dummy argument of this kind as an argument of `{}`", self.defs.proc(id).name);
            return self.reporter.refuse(arg.span, text);
        }
        let e = e.clone();
        if intent == Some(Intent::In) {
            arg.given = Given::Expr(self.typing().convert(e, &ty)?);
            return Some(None);
        }
        if !is_designator(&e) || self.typing().definable(&e).is_err() {
            return Some(None);
        }
        let span = arg.span;
        let outer = self.enter_block();
        let name: Arc<str> = format!("argument {}", at + 1).into();
        let var = self.construct_variable(&name, ty.clone(), Shape::Scalar, Storage::Local, span);
        self.cx.scope = outer;
        let variable = Expr { kind: ExprKind::Var(var), ty, rank: 0, span };
        arg.given = Given::Expr(variable.clone());
        Some(Some(InPlace { variable, of: e, is_read: intent != Some(Intent::Out) }))
    }
}
