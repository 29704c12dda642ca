//! WHERE and FORALL.

use crate::checked::{Block, StmtKind, Type};
use crate::checker::Checker;
use crate::stmt::assign::TARGET_OF_FUNCTION;
use crate::typing::{Typing, shape_name};
use ast::{ConcurrentHeader, WhereArm};
use diag::Code;

impl<'a> Checker<'a> {
    pub(super) fn where_construct(&mut self, arms: &'a [WhereArm]) -> Option<StmtKind> {
        let mut rank = None;
        let mut out = Vec::with_capacity(arms.len());
        let mut complete = true;
        let mut first: Option<crate::checked::Expr> = None;
        for (i, arm) in arms.iter().enumerate() {
            if arms[..i].last().is_some_and(|before| before.mask.is_none()) {
                let text = "this arm follows an `elsewhere` without a mask, which takes all that is left";
                self.reporter.error::<()>(Code::BadMaskedAssignment, arm.span, text);
            }
            let mask = match &arm.mask {
                None => None,
                Some(e) => match self.mask(e, &mut rank) {
                    Some(mask) => {
                        if let Some(first) = &first {
                            let what = "masks of one `where`";
                            self.typing().check_conform(what, first, &mask, Code::BadMaskedAssignment, e.span);
                        }
                        first.get_or_insert_with(|| mask.clone());
                        Some(mask)
                    }
                    None => {
                        complete = false;
                        None
                    }
                },
            };
            let body = self.block(&arm.body);
            if let Some(first) = &first {
                self.typing().masked_body(&body, first);
            }
            out.push((mask, body, arm.span));
        }
        complete.then_some(StmtKind::Where(out))
    }

    fn mask(&mut self, e: &ast::Expr, rank: &mut Option<u8>) -> Option<crate::checked::Expr> {
        let mask = self.expr(e)?;
        if !matches!(mask.ty, Type::Logical(_)) || mask.rank == 0 {
            let text = format!("a mask must be a logical array, not {}", shape_name(&self.defs, &mask.ty, mask.rank));
            return self.reporter.error(Code::BadMaskedAssignment, e.span, text);
        }
        if rank.is_some_and(|r| r != mask.rank) {
            let text = format!("masks of one `where` have ranks {} and {}", rank.unwrap_or(0), mask.rank);
            return self.reporter.error(Code::BadMaskedAssignment, e.span, text);
        }
        *rank = Some(mask.rank);
        self.typing().check_host_value(&mask);
        self.typing().convert(mask, &Type::Logical(4))
    }

    pub(super) fn forall(&mut self, header: &'a ConcurrentHeader, body: &'a [ast::Stmt]) -> Option<StmtKind> {
        let outer = self.cx.scope;
        for v in &header.vars {
            if self.made.forall_indices.contains(&v.name.text) {
                // Fortran 2018, 10.2.4.2.4.
                let text = format!("`{}` is an index of the `forall` around this one", v.name.as_str());
                self.reporter.error::<()>(Code::BadDoVariable, v.name.span, text);
            }
        }
        let known = self.made.forall_indices.len();
        self.made.forall_indices.extend(header.vars.iter().map(|v| v.name.text.clone()));
        let vars = self.index_ranges(header);
        let mask = match &header.mask {
            Some(e) => Some(self.condition(e)),
            None => None,
        };
        let body = self.block(body);
        self.cx.scope = outer;
        self.made.forall_indices.truncate(known);
        for s in &body {
            let allowed = matches!(
                s.kind,
                StmtKind::Assign { .. }
                    | StmtKind::PointerAssign { .. }
                    | StmtKind::Forall { .. }
                    | StmtKind::Where(_)
                    | StmtKind::Call { .. }
                    | StmtKind::Nothing
                    | StmtKind::Unsupported(_)
            );
            if !allowed {
                self.reporter.error::<()>(
                    Code::BadMaskedAssignment,
                    s.span,
                    "only assignments, `where` and `forall` may stand here",
                );
            }
        }
        let mask = match mask {
            Some(mask) => Some(mask?),
            None => None,
        };
        Some(StmtKind::Forall { vars: vars?, mask, body })
    }
}

impl Typing<'_> {
    fn masked_body(&mut self, body: &Block, mask: &crate::checked::Expr) {
        let rank = mask.rank;
        for s in body {
            match &s.kind {
                StmtKind::Block { vars, body, .. } if matches!(vars[..], [v] if *self.defs.var(v).name == *TARGET_OF_FUNCTION) =>
                {
                    self.masked_body(body, mask);
                }
                StmtKind::Assign { target, .. } if target.rank != rank => {
                    let text = format!("the mask has rank {rank}, and the assigned variable has rank {}", target.rank);
                    self.reporter.error::<()>(Code::BadMaskedAssignment, s.span, text);
                }
                StmtKind::Assign { target, .. } => {
                    let what = "the mask and the assigned variable";
                    self.check_conform(what, mask, target, Code::BadMaskedAssignment, s.span);
                }
                StmtKind::Call { proc, .. } if !self.defs.proc(*proc).elemental => {
                    // Fortran 2018, C1032.
                    let text = format!("`{}` defines the assignment and is not elemental", self.defs.proc(*proc).name);
                    self.reporter.error::<()>(Code::BadMaskedAssignment, s.span, text);
                }
                StmtKind::Where(_) | StmtKind::Call { .. } | StmtKind::Nothing | StmtKind::Unsupported(_) => {}
                _ => {
                    self.reporter.error::<()>(
                        Code::BadMaskedAssignment,
                        s.span,
                        "only assignments and `where` may stand here",
                    );
                }
            }
        }
    }
}
