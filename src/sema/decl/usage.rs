//! Dummy arguments that only their use shows to be procedures: `call f(…)` and `f(x)` of a dummy without a shape, as programs
//! older than EXTERNAL in every habit write it.

use ast::{
    Arg, ArgValue, ArrayItem, Block, CaseRange, CharLen, ConcurrentHeader, CufSize, DoControl, Expr, ExprKind, IoItem,
    SelectArm, Stmt, StmtKind, TypeSpec, TypeSpecKind,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The names that statements call or apply, of those wanted.
pub(super) fn applied_names(body: &Block, wanted: &BTreeSet<Arc<str>>) -> BTreeSet<Arc<str>> {
    let mut scan = Scan { wanted, found: BTreeSet::new() };
    if !wanted.is_empty() {
        scan.block(body);
    }
    scan.found
}

struct Scan<'w> {
    wanted: &'w BTreeSet<Arc<str>>,
    found: BTreeSet<Arc<str>>,
}

impl Scan<'_> {
    fn note(&mut self, e: &Expr) {
        if let ExprKind::Name(name) = &e.kind
            && self.wanted.contains(&name.text)
        {
            self.found.insert(name.text.clone());
        }
    }

    fn block(&mut self, body: &Block) {
        for s in body {
            self.stmt(s);
        }
    }

    fn some(&mut self, e: Option<&Expr>) {
        if let Some(e) = e {
            self.expr(e);
        }
    }

    fn args(&mut self, args: &[Arg]) {
        for arg in args {
            match &arg.value {
                ArgValue::Expr(e) => self.expr(e),
                ArgValue::Range { lo, hi, step } => {
                    for e in [lo, hi, step].into_iter().flatten() {
                        self.expr(e);
                    }
                }
                ArgValue::AltReturn(_) => {}
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Apply { base, args } => {
                // A range would make it a substring.
                if args.iter().all(|a| matches!(a.value, ArgValue::Expr(_))) {
                    self.note(base);
                }
                self.expr(base);
                self.args(args);
            }
            ExprKind::Member { base, .. } => self.expr(base),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Binary { left, right, .. } | ExprKind::Complex(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Array { spec, items } => {
                spec.iter().for_each(|spec| self.spec(spec));
                self.items(items);
            }
            ExprKind::Int { .. }
            | ExprKind::Real { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Char { .. }
            | ExprKind::Hollerith(_)
            | ExprKind::Boz { .. }
            | ExprKind::Name(_)
            | ExprKind::Unsupported(_)
            | ExprKind::Error => {}
        }
    }

    /// A designator of what is defined or allocated: its name is no reference, its subscripts and bounds are.
    fn object(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Apply { base, args } => {
                self.object(base);
                self.args(args);
            }
            ExprKind::Member { base, .. } => self.object(base),
            _ => self.expr(e),
        }
    }

    /// The lengths and other type parameters of a type.
    fn spec(&mut self, spec: &TypeSpec) {
        let lengths: Vec<&CharLen> = match &spec.kind {
            TypeSpecKind::Character { len, .. } => len.iter().collect(),
            TypeSpecKind::Type(derived) | TypeSpecKind::Class(derived) => {
                derived.params.iter().map(|(_, value)| value).collect()
            }
            _ => Vec::new(),
        };
        for length in lengths {
            if let CharLen::Expr(e) = length {
                self.expr(e);
            }
        }
    }

    fn items(&mut self, items: &[ArrayItem]) {
        for item in items {
            match item {
                ArrayItem::Expr(e) => self.expr(e),
                ArrayItem::Do(d) => {
                    self.limits(&d.first, &d.last, d.step.as_ref());
                    self.items(&d.items);
                }
                ArrayItem::Range(r) => self.limits(&r.first, &r.last, r.step.as_ref()),
            }
        }
    }

    fn io_items(&mut self, items: &[IoItem]) {
        for item in items {
            match item {
                IoItem::Expr(e) => self.expr(e),
                IoItem::Do(d) => {
                    self.limits(&d.first, &d.last, d.step.as_ref());
                    self.io_items(&d.items);
                }
            }
        }
    }

    fn limits(&mut self, first: &Expr, last: &Expr, step: Option<&Expr>) {
        self.expr(first);
        self.expr(last);
        self.some(step);
    }

    fn header(&mut self, header: &ConcurrentHeader) {
        for index in &header.vars {
            self.limits(&index.first, &index.last, index.step.as_ref());
        }
        self.some(header.mask.as_ref());
    }

    fn arms(&mut self, arms: &[SelectArm]) {
        for arm in arms {
            for range in arm.ranges.iter().flatten() {
                match range {
                    CaseRange::Value(e) => self.expr(e),
                    CaseRange::Range(lo, hi) => [lo, hi].into_iter().flatten().for_each(|e| self.expr(e)),
                }
            }
            self.block(&arm.body);
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Assign { target, value } | StmtKind::PointerAssign { target, value } => {
                self.object(target);
                self.expr(value);
            }
            StmtKind::Call { callee, launch, args } => {
                self.note(callee);
                self.object(callee);
                if let Some(launch) = launch {
                    self.expr(&launch.block);
                    let others = [&launch.grid, &launch.bytes, &launch.stream];
                    others.into_iter().for_each(|e| self.some(e.as_ref()));
                }
                self.args(args);
            }
            StmtKind::If { arms, .. } => {
                for arm in arms {
                    self.some(arm.condition.as_ref());
                    self.block(&arm.body);
                }
            }
            StmtKind::ArithmeticIf { value, .. } | StmtKind::ComputedGoto(_, value) => self.expr(value),
            StmtKind::Do { control, body, .. } => {
                match control {
                    DoControl::While(e) => self.expr(e),
                    DoControl::Count { first, last, step, .. } => self.limits(first, last, step.as_ref()),
                    DoControl::Concurrent { header, .. } => self.header(header),
                    DoControl::Forever => {}
                }
                self.block(body);
            }
            StmtKind::Select { value, arms, .. } | StmtKind::SelectRank { value, arms, .. } => {
                self.expr(value);
                self.arms(arms);
            }
            StmtKind::SelectType { value, arms, .. } => {
                self.expr(value);
                for (_, body, _) in arms {
                    self.block(body);
                }
            }
            StmtKind::Where { arms, .. } => {
                for arm in arms {
                    self.some(arm.mask.as_ref());
                    self.block(&arm.body);
                }
            }
            StmtKind::Forall { header, body, .. } => {
                self.header(header);
                self.block(body);
            }
            StmtKind::Block { body, .. } => self.block(body),
            StmtKind::Associate { items, body, .. } => {
                items.iter().for_each(|(_, selector)| self.expr(selector));
                self.block(body);
            }
            StmtKind::Cuf(kernel) => {
                for size in kernel.grid.iter().chain(&kernel.block) {
                    if let CufSize::Expr(e) = size {
                        self.expr(e);
                    }
                }
                [&kernel.bytes, &kernel.stream].into_iter().for_each(|e| self.some(e.as_ref()));
                if let Some(body) = &kernel.body {
                    self.stmt(body);
                }
            }
            StmtKind::Return(code) | StmtKind::Pause { code, .. } => self.some(code.as_ref()),
            StmtKind::Stop { code, quiet, .. } => {
                self.some(code.as_ref());
                self.some(quiet.as_ref());
            }
            StmtKind::Allocate(list) | StmtKind::Deallocate(list) => {
                list.spec.iter().for_each(|spec| self.spec(spec));
                list.objects.iter().for_each(|e| self.object(e));
                list.options.iter().for_each(|(_, value)| self.expr(value));
            }
            StmtKind::Nullify(objects) => objects.iter().for_each(|e| self.object(e)),
            StmtKind::Io { control, items, .. } => {
                control.iter().for_each(|c| self.some(c.value.as_ref()));
                self.io_items(items);
            }
            // Declarations of a BLOCK refer to pure procedures only, which need an interface.
            StmtKind::Declaration(_)
            | StmtKind::Cycle(_)
            | StmtKind::Exit(_)
            | StmtKind::Goto(_)
            | StmtKind::AssignedGoto(..)
            | StmtKind::LabelAssign(..)
            | StmtKind::Continue
            | StmtKind::Entry { .. }
            | StmtKind::Unsupported(_)
            | StmtKind::Error => {}
        }
    }
}
