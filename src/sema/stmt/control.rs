//! IF, DO, SELECT CASE.

use super::cases_seen::CasesSeen;
use crate::checked::{
    Block, CaseRange, Const, Expr, ExprKind, Intrinsic, LoopControl, LoopId, Stmt, StmtKind, Type, visit,
};
use crate::checker::{Checker, ConstructKind};
use crate::typing::{Typing, computed, shape_name, type_name};
use ast::{DoControl, IfArm, Name, SelectArm};
use diag::{Code, Diagnostic};
use source::Span;

impl<'a> Checker<'a> {
    pub(super) fn if_construct(&mut self, name: Option<&'a Name>, arms: &'a [IfArm]) -> Option<StmtKind> {
        let Some(name) = name else { return self.if_arms(arms) };
        // A name matters for EXIT only: the construct becomes a block that can be left.
        let span = arms.first().map_or(name.span, |a| a.span);
        self.inside(Some(name), ConstructKind::Other, |c, id| {
            let kind = c.if_arms(arms)?;
            Some(StmtKind::Block { id, vars: Vec::new(), body: vec![Stmt { label: None, kind, span }] })
        })
    }

    fn if_arms(&mut self, arms: &'a [IfArm]) -> Option<StmtKind> {
        let mut out = Vec::with_capacity(arms.len());
        let mut complete = true;
        let guarded = self.cx.guarded;
        for arm in arms {
            let condition = match &arm.condition {
                None => None,
                Some(e) => match self.condition(e) {
                    Some(value) => {
                        self.typing().check_host_value(&value);
                        self.cx.guarded |= asks_for_side(&value);
                        Some(value)
                    }
                    None => {
                        complete = false;
                        None
                    }
                },
            };
            let body = self.block(&arm.body);
            out.push((condition, body, arm.span));
        }
        self.cx.guarded = guarded;
        complete.then_some(StmtKind::If(out))
    }

    pub(super) fn arithmetic_if(&mut self, value: &ast::Expr, labels: [u32; 3], span: Span) -> Option<StmtKind> {
        let mut value = self.expr(value)?;
        if let (Type::Logical(kind), true) = (&value.ty, labels[0] == labels[2]) {
            // With two labels the first one is for a true condition.
            let ty = Type::Integer(*kind);
            value = self.typing().convert(value, &ty)?;
        }
        if !matches!(value.ty, Type::Integer(_) | Type::Real(_)) || value.rank != 0 {
            let text = format!(
                "an arithmetic `if` needs an integer or real scalar, not {}",
                shape_name(&self.defs, &value.ty, value.rank)
            );
            return self.reporter.error(Code::TypeMismatch, value.span, text);
        }
        for label in labels {
            self.typing().check_label(label, span)?;
        }
        let ty = computed(value.ty.clone());
        let value = self.typing().convert(value, &ty)?;
        Some(StmtKind::ArithmeticIf(value, labels))
    }

    pub(super) fn do_construct(
        &mut self,
        name: Option<&'a Name>,
        control: &'a DoControl,
        body: &'a [ast::Stmt],
        end: Span,
        span: Span,
    ) -> Option<StmtKind> {
        if let DoControl::Concurrent { .. } = control {
            return self.do_concurrent(name, control, body, end);
        }
        let mut var = None;
        let typed = match control {
            DoControl::Forever => Some(LoopControl::Forever),
            DoControl::While(e) => self.condition(e).map(|e| {
                self.typing().check_host_value(&e);
                LoopControl::While(e)
            }),
            DoControl::Count { var: v, first, last, step } => {
                let counted = self.count(v, first, last, step.as_ref(), span);
                if let Some(LoopControl::Count { var: Expr { kind: ExprKind::Var(id), .. }, .. }) = &counted {
                    var = Some(*id);
                }
                counted
            }
            DoControl::Concurrent { .. } => None,
        };
        if let Some(id) = var {
            self.cx.loop_vars.push(id);
        }
        let (id, body) = self.inside(name, ConstructKind::Loop, |c, id| (id, c.block(body)));
        if var.is_some() {
            self.cx.loop_vars.pop();
        }
        Some(StmtKind::Loop { id, control: typed?, body, end })
    }

    /// `var = first, last, step`
    pub(crate) fn count(
        &mut self,
        var: &ast::Expr,
        first: &ast::Expr,
        last: &ast::Expr,
        step: Option<&ast::Expr>,
        span: Span,
    ) -> Option<LoopControl> {
        let var = self.designator(var);
        if let Some(v) = &var {
            if v.rank != 0 || !matches!(v.ty, Type::Integer(_) | Type::Real(4 | 8)) {
                let text =
                    format!("a loop variable must be an integer scalar, not {}", shape_name(&self.defs, &v.ty, v.rank));
                return self.reporter.error(Code::BadDoVariable, v.span, text);
            }
            self.typing().check_assigned(v)?;
        }
        let ty = var.as_ref().map_or(Type::Integer(4), |v| v.ty.clone());
        let (first, last) = (self.loop_bound(first, &ty), self.loop_bound(last, &ty));
        let step = match step {
            Some(e) => Some(self.loop_bound(e, &ty)?),
            None => None,
        };
        let (var, first, last) = (var?, first?, last?);
        self.typing().check_trips(&first, &last, step.as_ref(), span)?;
        Some(LoopControl::Count { var, first, last, step })
    }

    pub(super) fn loop_bound(&mut self, e: &ast::Expr, ty: &Type) -> Option<Expr> {
        let value = self.expr(e)?;
        if !matches!(value.ty, Type::Integer(_) | Type::Real(_)) || value.rank != 0 {
            let text = format!(
                "a loop bound must be an integer scalar, not {}",
                shape_name(&self.defs, &value.ty, value.rank)
            );
            return self.reporter.error(Code::IntegerRequired, e.span, text);
        }
        if matches!((ty, &value.ty), (Type::Integer(_), Type::Real(_))) {
            let text = format!("a loop bound is {}", shape_name(&self.defs, &value.ty, 0));
            self.reporter.report(
                Diagnostic::new(Code::RealLoopBound, e.span, text).help("convert it with `int(…)` or `nint(…)`"),
            );
        }
        self.typing().check_host_value(&value);
        self.typing().convert(value, ty)
    }

    pub(super) fn select(
        &mut self,
        name: Option<&'a Name>,
        value: &'a ast::Expr,
        arms: &'a [SelectArm],
    ) -> Option<StmtKind> {
        let value = self.expr(value);
        if let Some(v) = &value {
            self.typing().check_host_value(v);
            if v.rank != 0 || !matches!(v.ty, Type::Integer(_) | Type::Logical(_) | Type::Character(_)) {
                let text = format!(
                    "`select case` needs an integer, logical or character scalar, not {}",
                    shape_name(&self.defs, &v.ty, v.rank)
                );
                self.reporter.error::<()>(Code::BadCase, v.span, text);
            }
        }
        let ty = value
            .as_ref()
            .map(|v| v.ty.clone())
            .filter(|t| matches!(t, Type::Integer(_) | Type::Logical(_) | Type::Character(_)));
        let (id, arms) = self.inside(name, ConstructKind::Other, |c, id| (id, c.cases(arms, ty.as_ref())));
        let (mut value, mut arms) = (value?, arms?);
        // Cases may be integers of any kind (Fortran 2018, C1147): where the selector's cannot hold one, all are wide.
        let mut ends = Vec::new();
        for range in arms.iter_mut().filter_map(|arm| arm.0.as_mut()).flatten() {
            match range {
                CaseRange::Value(e) => ends.push(e),
                CaseRange::Range(lo, hi) => ends.extend([lo, hi].into_iter().flatten()),
            }
        }
        if matches!(value.ty, Type::Integer(_)) && ends.iter().any(|e| matches!(e.ty, Type::Integer(8))) {
            for e in ends {
                e.ty = Type::Integer(8);
            }
            value = self.typing().convert(value, &Type::Integer(8))?;
        }
        Some(StmtKind::Select { id, value, arms })
    }

    #[allow(clippy::type_complexity)]
    fn cases(
        &mut self,
        arms: &'a [SelectArm],
        ty: Option<&Type>,
    ) -> Option<Vec<(Option<Vec<CaseRange>>, Block, Span)>> {
        let mut seen = CasesSeen::default();
        let mut default: Option<Span> = None;
        let mut out = Vec::with_capacity(arms.len());
        let mut complete = true;
        for arm in arms {
            let ranges = match &arm.ranges {
                None => {
                    if let Some(first) = default {
                        let d = Diagnostic::new(Code::BadCase, arm.span, "there is a second `case default`");
                        self.reporter.report(d.secondary(first, "the first one is here"));
                    }
                    default = Some(arm.span);
                    None
                }
                Some(ranges) => {
                    let mut typed = Vec::with_capacity(ranges.len());
                    for range in ranges {
                        match self.case_range(range, ty, &mut seen, arm.span) {
                            Some(range) => typed.push(range),
                            None => complete = false,
                        }
                    }
                    Some(typed)
                }
            };
            let body = self.block(&arm.body);
            out.push((ranges, body, arm.span));
        }
        complete.then_some(out)
    }

    fn case_range(
        &mut self,
        range: &'a ast::CaseRange,
        ty: Option<&Type>,
        seen: &mut CasesSeen,
        arm: Span,
    ) -> Option<CaseRange> {
        let (typed, lo, hi) = match range {
            ast::CaseRange::Value(e) => {
                let value = self.expr(e)?;
                if let Some(case) = self.logical_case(&value, ty) {
                    return Some(CaseRange::Value(case));
                }
                let value = self.case_value(value, ty)?;
                let c = self.typing().evaluate(&value);
                (CaseRange::Value(value), c.clone(), c)
            }
            ast::CaseRange::Range(lo, hi) => {
                if matches!(ty, Some(Type::Logical(_))) {
                    return self.reporter.error(Code::BadCase, arm, "a logical `case` has no ranges");
                }
                let lo = match lo {
                    Some(e) => Some(self.case_end(e, ty)?),
                    None => None,
                };
                let hi = match hi {
                    Some(e) => Some(self.case_end(e, ty)?),
                    None => None,
                };
                let ends = (
                    lo.as_ref().and_then(|e| self.typing().evaluate(e)),
                    hi.as_ref().and_then(|e| self.typing().evaluate(e)),
                );
                (CaseRange::Range(lo, hi), ends.0, ends.1)
            }
        };
        let span = match &typed {
            CaseRange::Value(e) | CaseRange::Range(Some(e), _) | CaseRange::Range(None, Some(e)) => e.span,
            CaseRange::Range(None, None) => arm,
        };
        if let Some(other) = seen.add(lo, hi, span) {
            let d = Diagnostic::new(Code::BadCase, span, "this case overlaps another one");
            self.reporter.report(d.secondary(other, "the other one is here"));
        }
        Some(typed)
    }

    /// The logical value that an integer stands for in a case of a logical selector. nvfortran looks at the lowest bit, as in any
    /// logical, and does not mind that several integers stand for one value.
    fn logical_case(&mut self, value: &Expr, ty: Option<&Type>) -> Option<Expr> {
        let (Some(ty @ Type::Logical(_)), Type::Integer(_), 0) = (ty, &value.ty, value.rank) else { return None };
        let Const::Int(n) = self.typing().evaluate(value)? else { return None };
        let text = "an integer is a case of a logical selector: an odd one stands for true, an even one for false";
        let d = Diagnostic::new(Code::LogicalCase, value.span, text);
        self.reporter.report(d.help("write `case (.true.)` and `case (.false.)`"));
        Some(Expr { kind: ExprKind::Const(Const::Logical(n & 1 != 0)), ty: ty.clone(), ..value.clone() })
    }

    fn case_end(&mut self, e: &ast::Expr, ty: Option<&Type>) -> Option<Expr> {
        let value = self.expr(e)?;
        self.case_value(value, ty)
    }

    fn case_value(&mut self, value: Expr, ty: Option<&Type>) -> Option<Expr> {
        let ty = ty?;
        let fits = matches!(
            (ty, &value.ty),
            (Type::Integer(_), Type::Integer(_))
                | (Type::Logical(_), Type::Logical(_))
                | (Type::Character(_), Type::Character(_))
        );
        if !fits || value.rank != 0 {
            let text = format!(
                "a case is {}, and the selector is `{}`",
                shape_name(&self.defs, &value.ty, value.rank),
                type_name(&self.defs, ty)
            );
            return self.reporter.error(Code::BadCase, value.span, text);
        }
        let constant = self.typing().evaluate(&value)?;
        if let (Const::Int(n), Type::Integer(kind)) = (&constant, ty) {
            let (lowest, highest) = crate::fold::int_range(*kind);
            let ty = if (lowest..=highest).contains(n) { ty.clone() } else { Type::Integer(8) };
            return Some(Expr { kind: ExprKind::Const(constant), ty, ..value });
        }
        let value = Expr { kind: ExprKind::Const(constant), ..value };
        self.typing().convert(value, ty)
    }
}

/// Whether a condition depends on `on_device()`.
pub(super) fn asks_for_side(e: &Expr) -> bool {
    let mut found = false;
    visit::descend(e, &mut |node| {
        found |= matches!(node.kind, ExprKind::Intrinsic { id: Intrinsic::OnDevice, .. });
        !found
    });
    found
}

/// Whether a statement ends the run of one side of a procedure compiled for both: what follows is guarded then.
pub(super) fn ends_one_side(s: &Stmt) -> bool {
    ends_side_inside(s, &mut Vec::new())
}

/// The same inside of BLOCK and ASSOCIATE constructs, of which EXIT only leaves the construct.
fn ends_side_inside(s: &Stmt, constructs: &mut Vec<LoopId>) -> bool {
    match &s.kind {
        StmtKind::If(arms) => {
            let first = arms.first().and_then(|a| a.0.as_ref());
            first.is_some_and(asks_for_side) && arms.iter().any(|a| ends(&a.1, constructs))
        }
        StmtKind::Block { id, body, .. } => {
            constructs.push(*id);
            let does = body.iter().any(|s| ends_side_inside(s, constructs));
            constructs.pop();
            does
        }
        _ => false,
    }
}

/// Whether nothing behind the constructs comes after a list of statements.
fn ends(body: &Block, constructs: &mut Vec<LoopId>) -> bool {
    body.iter().any(|s| match &s.kind {
        StmtKind::Return | StmtKind::Stop { .. } | StmtKind::Cycle(_) | StmtKind::Goto(_) => true,
        StmtKind::Exit(id) => !constructs.contains(id),
        StmtKind::Block { id, body, .. } => {
            constructs.push(*id);
            let does = ends(body, constructs);
            constructs.pop();
            does
        }
        _ => false,
    })
}

impl Typing<'_> {
    fn check_trips(&mut self, first: &Expr, last: &Expr, step: Option<&Expr>, span: Span) -> Option<()> {
        let number = |e: &Expr| match e.kind {
            ExprKind::Const(Const::Int(v)) => Some(v),
            _ => None,
        };
        let stride = step.map_or(Some(1), number);
        if stride == Some(0) {
            return self.reporter.error(
                Code::ZeroStride,
                step.map_or(span, |s| s.span),
                "a loop's step cannot be zero",
            );
        }
        if let (Some(a), Some(b), Some(s)) = (number(first), number(last), stride)
            && ((s > 0 && a > b) || (s < 0 && a < b))
            && !matches!((a, b), (1, 0))
        {
            let text = format!("the loop from {a} to {b} never runs");
            self.reporter.report(Diagnostic::new(Code::EmptyLoop, first.span.to(last.span), text));
        }
        Some(())
    }
}
