//! Executable statements, and those that begin or part constructs.

use super::{Builder, error_expr};
use crate::grammar::{Pair, Rule};
use crate::statement::Statement;
use ast::{Allocate, CaseRange, ConcurrentHeader, DoControl, Expr, LoopVar, Name, StmtKind};
use diag::{Code, Diagnostic};

impl Builder<'_> {
    /// `assignment` and `pointer_assignment`
    pub(crate) fn assignment(&mut self, pair: Pair<'_>) -> StmtKind {
        let pointer = pair.as_rule() == Rule::pointer_assignment;
        let mut inner = pair.into_inner();
        let target = self.next_expr(&mut inner);
        let value = self.next_expr(&mut inner);
        if pointer { StmtKind::PointerAssign { target, value } } else { StmtKind::Assign { target, value } }
    }

    /// `call_stmt`
    pub(crate) fn call(&mut self, pair: Pair<'_>) -> StmtKind {
        let mut inner = pair.into_inner();
        let launched = inner.clone().nth(1).is_some_and(|p| p.as_rule() == Rule::launch);
        if !launched {
            let (callee, args) = self.split_call(&mut inner);
            return StmtKind::Call { callee, launch: None, args };
        }
        let callee = self.next_expr(&mut inner);
        let launch = inner.next().map(|p| self.launch(p));
        let args = inner.next().filter(|p| p.as_rule() == Rule::args).map_or_else(Vec::new, |p| self.arg_list(p));
        StmtKind::Call { callee, launch, args }
    }

    /// The first expression of a pair.
    pub(crate) fn first_expr(&mut self, pair: Pair<'_>) -> Expr {
        let span = self.span(&pair);
        let first = pair.into_inner().find(|p| p.as_rule() == Rule::expr);
        first.map_or_else(|| error_expr(span), |p| self.expr(p))
    }

    /// The expression of a pair, if there is one.
    pub(crate) fn optional_expr(&mut self, pair: Pair<'_>) -> Option<Expr> {
        pair.into_inner().find(|p| p.as_rule() == Rule::expr).map(|p| self.expr(p))
    }

    /// `stop_stmt`, `error_stop`
    pub(crate) fn stop(&mut self, pair: Pair<'_>, error: bool) -> StmtKind {
        let (mut code, mut quiet) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::expr => code = Some(self.expr(part)),
                Rule::quiet => quiet = self.optional_expr(part),
                _ => {}
            }
        }
        StmtKind::Stop { error, code, quiet }
    }

    /// The name at the end of a pair, if there is one.
    pub(crate) fn optional_name(&mut self, pair: Pair<'_>) -> Option<Name> {
        pair.into_inner().filter(|p| p.as_rule() == Rule::name).last().map(|p| self.name(&p))
    }

    /// The value of a `label`.
    pub(crate) fn label(&mut self, pair: &Pair<'_>) -> u32 {
        if let Ok(label @ 1..=99_999) = pair.as_str().parse() {
            return label;
        }
        let span = self.span(pair);
        self.report(Diagnostic::new(Code::BadLabel, span, "a label must be from 1 to 99999"));
        0
    }

    fn labels(&mut self, pair: &Pair<'_>) -> Vec<u32> {
        let inner = pair.clone().into_inner();
        let lists =
            inner.flat_map(|p| if p.as_rule() == Rule::label_list { p.into_inner().collect() } else { vec![p] });
        lists.filter(|p| p.as_rule() == Rule::label).map(|p| self.label(&p)).collect()
    }

    /// `if_arithmetic`
    pub(crate) fn if_arithmetic(&mut self, pair: Pair<'_>) -> StmtKind {
        let labels = self.labels(&pair);
        let label = |i: usize| labels.get(i).copied().unwrap_or(0);
        let span = self.span(&pair);
        // With two labels the second one is for zero (classic flang, semant3.c, ARITH_IF1).
        let positive = if let [negative, _] = labels[..] {
            self.form_of_compilers(span, "an arithmetic IF with two labels", "give it three");
            negative
        } else {
            label(2)
        };
        StmtKind::ArithmeticIf { labels: [label(0), label(1), positive], value: self.first_expr(pair) }
    }

    /// `goto_stmt`
    pub(crate) fn goto(&mut self, pair: Pair<'_>) -> StmtKind {
        let labels = self.labels(&pair);
        if let Some(name) = self.optional_name(pair.clone()) {
            return StmtKind::AssignedGoto(name, labels);
        }
        match self.optional_expr(pair) {
            Some(index) => StmtKind::ComputedGoto(labels, index),
            None => StmtKind::Goto(labels.first().copied().unwrap_or(0)),
        }
    }

    /// `assign_stmt`
    pub(crate) fn label_assignment(&mut self, pair: Pair<'_>) -> StmtKind {
        let mut inner = pair.into_inner();
        let label = inner.next().map_or(0, |p| self.label(&p));
        StmtKind::LabelAssign(label, self.next_name(&mut inner))
    }

    /// `pause_stmt`
    pub(crate) fn pause(&mut self, pair: Pair<'_>) -> StmtKind {
        let library = self.name_of("cufemu_pause", self.span(&pair));
        StmtKind::Pause { code: self.optional_expr(pair), library }
    }

    /// `do_stmt`
    pub(crate) fn do_stmt(&mut self, pair: Pair<'_>) -> Statement {
        let (mut label, mut control) = (None, DoControl::Forever);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::label => label = Some(self.label(&part)),
                Rule::do_while => control = DoControl::While(self.first_expr(part)),
                Rule::do_count => {
                    let mut inner = part.into_inner();
                    control = DoControl::Count {
                        var: self.next_expr(&mut inner),
                        first: self.next_expr(&mut inner),
                        last: self.next_expr(&mut inner),
                        step: inner.next().map(|p| self.expr(p)),
                    };
                }
                Rule::do_concurrent => control = self.concurrent(part),
                _ => {}
            }
        }
        Statement::Do(control, label)
    }

    fn concurrent(&mut self, pair: Pair<'_>) -> DoControl {
        let mut header = ConcurrentHeader::default();
        let (mut locals, mut inits, mut reduce) = (Vec::new(), Vec::new(), Vec::new());
        let (mut shared, mut none) = (Vec::new(), false);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::concurrent_header => header = self.concurrent_header(part),
                Rule::locality => match part.clone().into_inner().next() {
                    None => none |= part.as_str().starts_with("default"),
                    Some(p) if p.as_rule() == Rule::shared_names => shared.extend(self.names_in(p.into_inner())),
                    Some(p) if p.as_rule() == Rule::local_names => {
                        let is_init = p.as_str().starts_with("local_init");
                        let names = self.names_in(p.into_inner());
                        if is_init {
                            inits.extend(names.iter().cloned());
                        }
                        locals.extend(names);
                    }
                    Some(p) if p.as_rule() == Rule::cuf_reduce => reduce.push(self.cuf_reduce(p)),
                    _ => {}
                },
                _ => {}
            }
        }
        DoControl::Concurrent { header, locals, inits, shared, none, reduce }
    }

    fn loop_var(&mut self, pair: Pair<'_>) -> LoopVar {
        let mut inner = pair.into_inner();
        LoopVar {
            name: self.next_name(&mut inner),
            first: self.next_expr(&mut inner),
            last: self.next_expr(&mut inner),
            step: inner.next().map(|p| self.expr(p)),
        }
    }

    /// `forall_head`
    pub(crate) fn forall_head(&mut self, pair: Pair<'_>) -> ConcurrentHeader {
        pair.into_inner().next().map_or_else(ConcurrentHeader::default, |header| self.concurrent_header(header))
    }

    fn concurrent_header(&mut self, pair: Pair<'_>) -> ConcurrentHeader {
        let mut header = ConcurrentHeader::default();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::item_type => header.spec = self.item_type(part),
                Rule::loop_var => header.vars.push(self.loop_var(part)),
                _ => header.mask = Some(self.expr(part)),
            }
        }
        header
    }

    /// `case_stmt` and `rank_stmt`
    pub(crate) fn case(&mut self, pair: Pair<'_>) -> Statement {
        let mut ranges = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::case_default => return Statement::Case(None),
                Rule::case_range => ranges.push(self.case_range(part)),
                Rule::expr => ranges.push(CaseRange::Value(self.expr(part))),
                _ => {}
            }
        }
        Statement::Case(Some(ranges))
    }

    fn case_range(&mut self, pair: Pair<'_>) -> CaseRange {
        let span = self.span(&pair);
        let (mut lower, mut colon) = (None, false);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::case_upper => return CaseRange::Range(None, Some(self.first_expr(part))),
                Rule::colon => colon = true,
                _ if colon => return CaseRange::Range(lower, Some(self.expr(part))),
                _ => lower = Some(self.expr(part)),
            }
        }
        if colon {
            return CaseRange::Range(lower, None);
        }
        CaseRange::Value(lower.unwrap_or_else(|| error_expr(span)))
    }

    /// `select_type`
    pub(crate) fn select_type(&mut self, pair: Pair<'_>) -> Statement {
        let bind = pair.clone().into_inner().find(|p| p.as_rule() == Rule::name).map(|p| self.name(&p));
        Statement::SelectType(bind, self.first_expr(pair))
    }

    /// `select_rank`
    pub(crate) fn select_rank(&mut self, pair: Pair<'_>) -> Statement {
        let bind = pair.clone().into_inner().find(|p| p.as_rule() == Rule::name).map(|p| self.name(&p));
        Statement::SelectRank(bind, self.first_expr(pair))
    }

    /// `type_guard`
    pub(crate) fn type_guard(&mut self, pair: Pair<'_>) -> Statement {
        let Some(guard) = pair.into_inner().next() else { return Statement::TypeGuard(None) };
        let is_type = match guard.as_rule() {
            Rule::guard_type => true,
            Rule::guard_class => false,
            _ => return Statement::TypeGuard(None),
        };
        Statement::TypeGuard(self.first_type(guard).map(|spec| (is_type, spec)))
    }

    /// `associate_stmt`
    pub(crate) fn associate(&mut self, pair: Pair<'_>) -> Statement {
        let items = pair.into_inner().filter(|p| p.as_rule() == Rule::association);
        Statement::Associate(
            items
                .map(|item| {
                    let name = self.inner_name(&item);
                    (name, self.first_expr(item))
                })
                .collect(),
        )
    }

    /// `allocate_stmt` and `deallocate_stmt`
    pub(crate) fn allocate(&mut self, pair: Pair<'_>) -> Allocate {
        let mut stmt = Allocate { spec: None, objects: Vec::new(), options: Vec::new() };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::item_type => stmt.spec = self.item_type(part),
                Rule::allocate_item => {
                    let mut inner = part.into_inner();
                    let Some(first) = inner.next() else { continue };
                    if first.as_rule() == Rule::keyword {
                        let keyword = self.name(&first);
                        stmt.options.push((keyword, self.next_expr(&mut inner)));
                    } else {
                        stmt.objects.push(self.expr(first));
                    }
                }
                _ => {}
            }
        }
        stmt
    }

    /// The designators of `nullify_stmt`.
    pub(crate) fn designators(&mut self, pair: Pair<'_>) -> Vec<Expr> {
        let items = pair.into_inner().filter(|p| p.as_rule() == Rule::designator);
        items.map(|p| self.designator(p)).collect()
    }
}
