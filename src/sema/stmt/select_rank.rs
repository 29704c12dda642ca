//! SELECT RANK (Fortran 2018, 11.1.10).
//!
//! In each arm the associate name stands for the assumed-rank dummy, with the rank that the arm names. Which arm runs is known
//! where code is made: a procedure is made once for each rank of the arguments that it gets.

use crate::checked::{Attrs, Dim, Expr, ExprKind, RankCase, Shape, Stmt, StmtKind, Storage, VarId};
use crate::checker::{Checker, ConstructKind, Sym};
use crate::typing::one;
use ast::{CaseRange, Name, SelectArm};
use diag::{Code, Diagnostic};
use source::Span;

/// The highest rank of an array.
const HIGHEST: i64 = 15;

impl<'a> Checker<'a> {
    pub(super) fn select_rank(
        &mut self,
        name: Option<&'a Name>,
        bind: Option<&'a Name>,
        value: &'a ast::Expr,
        arms: &'a [SelectArm],
    ) -> Option<StmtKind> {
        let selector = match &value.kind {
            ast::ExprKind::Name(name) => Some(name),
            _ => None,
        };
        let object = match selector.map(|name| self.find_name(name)) {
            Some(Some(Sym::Var(id))) if matches!(self.defs.var(id).shape, Shape::AssumedRank) => id,
            Some(Some(Sym::Error)) => return None,
            Some(Some(Sym::Refused(what))) => return self.reporter.refuse_again(&what),
            _ => {
                let text = "the selector of `select rank` must be an assumed-rank dummy argument";
                let help = "declare it with `dimension(..)`";
                return self.reporter.error_help(Code::AssumedRankUse, value.span, text, help);
            }
        };
        let bind = bind.or(selector)?;
        let (id, arms) = self.inside(name, ConstructKind::Other, |c, id| (id, c.rank_arms(bind, object, arms)));
        Some(StmtKind::SelectRank { id, object, arms: arms? })
    }

    fn rank_arms(
        &mut self,
        bind: &'a Name,
        object: VarId,
        arms: &'a [SelectArm],
    ) -> Option<Vec<(RankCase, Vec<Stmt>, Span)>> {
        let mut seen: Vec<(RankCase, Span)> = Vec::new();
        let mut complete = true;
        let mut out = Vec::with_capacity(arms.len());
        for arm in arms {
            let case = self.rank_case(arm.ranges.as_deref(), arm.span);
            let attrs = &self.defs.var(object).attrs;
            if case == Some(RankCase::AssumedSize) && (attrs.allocatable || attrs.pointer) {
                // Fortran 2018, 11.1.10.
                let text = "`rank (*)` is for arrays of assumed size, and the selector is allocatable or a pointer";
                self.reporter.error::<()>(Code::BadCase, arm.span, text);
            }
            if let Some(case) = case {
                if let Some((_, first)) = seen.iter().find(|(other, _)| *other == case) {
                    let d = Diagnostic::new(Code::BadCase, arm.span, "the same rank stands twice in one `select rank`");
                    self.reporter.report(d.secondary(*first, "the first one is here"));
                }
                seen.push((case, arm.span));
            }
            let outer = self.enter_block();
            let var = self.ranked(bind, object, case.unwrap_or(RankCase::Default));
            let (id, body) = self.inside(None, ConstructKind::Other, |c, id| (id, c.block(&arm.body)));
            self.cx.scope = outer;
            let block = StmtKind::Block { id, vars: vec![var], body };
            let block = Stmt { label: None, kind: block, span: arm.span };
            match case {
                Some(case) => out.push((case, vec![block], arm.span)),
                None => complete = false,
            }
        }
        complete.then_some(out)
    }

    fn rank_case(&mut self, ranges: Option<&'a [CaseRange]>, span: Span) -> Option<RankCase> {
        match ranges {
            None => Some(RankCase::Default),
            Some([]) => Some(RankCase::AssumedSize),
            Some([CaseRange::Value(e)]) => match self.constant_integer(e)? {
                rank @ 0..=HIGHEST => Some(RankCase::Rank(rank as u8)),
                rank => {
                    let text = format!("there is no rank {rank}");
                    self.reporter.error_help(Code::BadCase, e.span, text, "a rank is a constant from 0 to 15")
                }
            },
            Some(_) => self.reporter.error(Code::BadCase, span, "a `rank` statement has one rank"),
        }
    }

    /// The associate name in an arm.
    fn ranked(&mut self, bind: &Name, object: VarId, case: RankCase) -> VarId {
        let span = bind.span;
        let dummy = self.defs.var(object).clone();
        let is_described = dummy.attrs.allocatable || dummy.attrs.pointer;
        let shape = match case {
            RankCase::Rank(0) => Shape::Scalar,
            RankCase::Rank(rank) if is_described => Shape::Deferred(rank),
            RankCase::Rank(rank) => Shape::AssumedShape((0..rank).map(|_| one(span)).collect()),
            RankCase::AssumedSize => Shape::AssumedSize(Vec::<Dim>::new(), Box::new(one(span))),
            RankCase::Default => Shape::AssumedRank,
        };
        let object = Expr { kind: ExprKind::Var(object), ty: dummy.ty.clone(), rank: shape.rank(), span };
        let storage = Storage::Alias(Box::new(object));
        let var = self.construct_variable(&bind.text, dummy.ty, shape, storage, span);
        self.defs.var_mut(var).attrs = Attrs { optional: false, value: false, ..dummy.attrs };
        var
    }
}
