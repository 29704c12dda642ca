//! Where `null()` may stand (Fortran 2018, 16.9.144).
//!
//! Not here: structure constructors (`expr::construct`) and arguments of the program's procedures (`expr::fit`).

use crate::checked::{Class, Expr, ExprKind, Intrinsic, ProcBody, Stmt, StmtKind, Type, visit};
use crate::typing::Typing;
use diag::Code;
use source::Span;

impl Typing<'_> {
    /// Looks at all references to `null` in statements.
    pub(crate) fn check_nulls(&mut self) {
        let defs = self.defs;
        for id in defs.proc_ids() {
            if defs.proc_info(id).embedded {
                continue;
            }
            if let ProcBody::Statements(body) = &defs.proc(id).body {
                visit::statements(body, &mut |s| self.check_nulls_of(s));
            }
        }
    }

    fn check_nulls_of(&mut self, s: &Stmt) {
        let mut wrong: Vec<Span> = Vec::new();
        match &s.kind {
            StmtKind::PointerAssign { bounds, value, .. } if matches!(value.kind, ExprKind::Null) => {
                if bounds.iter().any(|b| b.1.is_some()) {
                    let text = "a pointer that is given bounds needs a target with elements";
                    self.reporter.error::<()>(Code::MisplacedNull, value.span, text);
                }
            }
            StmtKind::Call { .. } | StmtKind::Launch { .. } => {
                visit::statement_exprs(s, &mut |e, _| below(e, &mut wrong));
            }
            _ => visit::evaluated_by(self.defs, s, &mut |e| within(e, &mut wrong)),
        }
        for span in wrong {
            self.reporter.error::<()>(Code::MisplacedNull, span, "`null()` stands where a value is needed");
        }
    }
}

/// References to `null` in an expression whose value is used.
fn within(e: &Expr, wrong: &mut Vec<Span>) {
    match &e.kind {
        ExprKind::Null => wrong.push(e.span),
        _ => below(e, wrong),
    }
}

/// References to `null` in the parts of an expression.
fn below(e: &Expr, wrong: &mut Vec<Span>) {
    match &e.kind {
        // What components and dummies take was checked.
        ExprKind::Construct { .. } | ExprKind::Call { .. } => visit::parts(e, &mut |part| below(part, wrong)),
        // An inquiry about a mold needs no object.
        ExprKind::Intrinsic { id, .. } if *id == Intrinsic::Associated || id.class() == Class::Inquiry => {
            visit::parts(e, &mut |part| match part.kind {
                ExprKind::Null if *id != Intrinsic::Associated && matches!(part.ty, Type::Any) => wrong.push(part.span),
                _ => below(part, wrong),
            });
        }
        ExprKind::Null => {}
        _ => visit::parts(e, &mut |part| within(part, wrong)),
    }
}
