//! `!$cuf kernel do`: loops that become a kernel (CUDA Fortran guide, 3.5; rules 49 to 51).
//!
//! Host scalars that the body assigns before it reads them are private to an iteration. One whose every use in the body is
//! `s = s op x` (or `s = max(s, x)` …) is a reduction. One that may be read before it is assigned is private *and* captured:
//! each iteration begins with the host's value.

use super::{Construct, ConstructKind, inner_blocks, own_exprs};
use crate::checked::{
    BinaryOp, Block, CufDim, CufKernel, CufLoop, Expr, ExprKind, LogicOp, LoopControl, ReduceOp, Stmt, StmtKind,
    Storage, Type, VarId,
};
use crate::checker::{Checker, Side};
use crate::expr::{for_each, root};
use crate::intrinsic::Intrinsic;
use ast::{CufSize, DoControl};
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};

impl<'a> Checker<'a> {
    pub(super) fn cuf_kernel(&mut self, k: &'a ast::CufKernel) -> Option<StmtKind> {
        if self.cx.side.on_device() {
            return self.error(Code::StatementNotInDeviceCode, k.span, "`!$cuf kernel do` stands in host code only");
        }
        let depth = match &k.depth {
            None => 1,
            Some(e) => {
                let n = self.constant_integer(e)?;
                if n < 1 {
                    return self.error(Code::KernelDoNesting, e.span, "the number of loops must be positive");
                }
                n as usize
            }
        };
        let grid = self.cuf_extents(&k.grid);
        let block = self.cuf_extents(&k.block);
        let stream = match &k.stream {
            Some(e) => Some(self.integer_scalar(e, &Type::Integer(8), "the stream")),
            None => None,
        };
        let outer_scope = self.cx.scope;
        let found = self.cuf_loops(k, depth);
        let Some((loops, inner)) = found else {
            self.cx.scope = outer_scope;
            return None;
        };
        let side = std::mem::replace(&mut self.cx.side, Side::CufKernel);
        let first_var = self.cuf_first_var.replace(self.out.vars.len() as u32);
        let vars: Vec<VarId> = loops.iter().map(|l| l.var).collect();
        for &var in &vars {
            self.cx.loop_vars.push(var);
        }
        let id = self.new_construct();
        self.cx.constructs.push(Construct { name: None, id, kind: ConstructKind::Parallel });
        let body = self.block(inner);
        self.cx.constructs.pop();
        let depth = self.cx.loop_vars.len() - vars.len();
        self.cx.loop_vars.truncate(depth);
        let own_from = std::mem::replace(&mut self.cuf_first_var, first_var);
        self.cx.side = side;
        let written = self.cuf_reductions(k);
        self.cx.scope = outer_scope;
        let uses = self.classify(&body, &vars, own_from, written?);
        let stream = match stream {
            Some(stream) => Some(stream?),
            None => None,
        };
        Some(StmtKind::Cuf(Box::new(CufKernel {
            loops,
            body,
            grid: grid?,
            block: block?,
            stream,
            reductions: uses.reductions,
            private: uses.private,
            captured: uses.captured,
        })))
    }

    fn cuf_extents(&mut self, list: &'a [CufSize]) -> Option<Vec<CufDim>> {
        let mut out = Vec::with_capacity(list.len());
        for size in list {
            match size {
                CufSize::Star => out.push(CufDim::Star),
                CufSize::Expr(e) => {
                    let value = self.expr(e)?;
                    let is_dim3 = matches!(value.ty, Type::Derived(id) if &*self.out.ty(id).name == "dim3");
                    if is_dim3 && value.rank == 0 {
                        for axis in 0..3 {
                            let base = Box::new(value.clone());
                            let kind = ExprKind::Field { base, field: axis };
                            out.push(CufDim::Expr(Expr { kind, ty: Type::Integer(4), rank: 0, span: value.span }));
                        }
                        continue;
                    }
                    if !matches!(value.ty, Type::Integer(_)) || value.rank != 0 {
                        let text =
                            format!("an extent must be an integer, not {}", self.shape_name(&value.ty, value.rank));
                        return self.error(Code::BadLaunchParameter, e.span, text);
                    }
                    out.push(CufDim::Expr(self.convert(value, &Type::Integer(4))?));
                }
            }
        }
        Some(out)
    }

    /// The loops of the nest, and the statements inside the innermost one.
    fn cuf_loops(&mut self, k: &'a ast::CufKernel, depth: usize) -> Option<(Vec<CufLoop>, &'a [ast::Stmt])> {
        let nested = |c: &mut Self, span: Span| {
            let text = format!(
                "`!$cuf kernel do` needs {depth} tightly nested counted loop{}",
                if depth == 1 { "" } else { "s" }
            );
            c.error_help::<(Vec<CufLoop>, &'a [ast::Stmt])>(
                Code::KernelDoNesting,
                span,
                text,
                "write the loops directly inside each other, or give a smaller number",
            )
        };
        let Some(mut stmt) = k.body.as_deref() else { return nested(self, k.span) };
        let mut loops = Vec::with_capacity(depth);
        loop {
            let ast::StmtKind::Do { control, body, .. } = &stmt.kind else { return nested(self, stmt.span) };
            match control {
                DoControl::Concurrent { spec, vars, mask: None, .. } if loops.is_empty() => {
                    if vars.len() < depth {
                        return nested(self, stmt.span);
                    }
                    for (var, first, last, step) in self.index_ranges(spec.as_ref(), vars)? {
                        loops.push(CufLoop { var, first, last, step });
                    }
                    // The first index counts fastest: it is the innermost loop.
                    loops.reverse();
                    return Some((loops, body));
                }
                DoControl::Count { var, first, last, step } => {
                    let LoopControl::Count { var, first, last, step } =
                        self.count(var, first, last, step.as_ref(), stmt.span)?
                    else {
                        return None;
                    };
                    let ExprKind::Var(id) = var.kind else {
                        return self.error(
                            Code::BadDoVariable,
                            var.span,
                            "the loop variable must be a scalar variable",
                        );
                    };
                    if !matches!(var.ty, Type::Integer(_)) {
                        return self.error(Code::BadDoVariable, var.span, "the loop variable must be an integer");
                    }
                    loops.push(CufLoop { var: id, first, last, step });
                }
                _ => return nested(self, stmt.span),
            }
            if loops.len() == depth {
                return Some((loops, body));
            }
            let mut rest = body.iter().filter(|s| !matches!(s.kind, ast::StmtKind::Continue));
            match (rest.next(), rest.next()) {
                (Some(only), None) => stmt = only,
                _ => return nested(self, stmt.span),
            }
        }
    }

    /// Reductions that are written.
    fn cuf_reductions(&mut self, k: &'a ast::CufKernel) -> Option<Vec<(VarId, ReduceOp)>> {
        let mut out = Vec::new();
        for clause in &k.reduce {
            let op = match &*clause.op {
                "+" => ReduceOp::Add,
                "*" => ReduceOp::Mul,
                "max" => ReduceOp::Max,
                "min" => ReduceOp::Min,
                "iand" => ReduceOp::Iand,
                "ior" => ReduceOp::Ior,
                "ieor" => ReduceOp::Ieor,
                ".and." => ReduceOp::And,
                ".or." => ReduceOp::Or,
                ".eqv." => ReduceOp::Eqv,
                ".neqv." => ReduceOp::Neqv,
                other => {
                    let text = format!("`{other}` is no reduction operation");
                    return self.error(Code::KernelDoReduction, k.span, text);
                }
            };
            for name in &clause.vars {
                let id = self.variable_of(name)?;
                let ty = self.out.var(id).ty.clone();
                if !op_fits(op, &ty) || self.out.var(id).shape.rank() != 0 {
                    let text = format!(
                        "`{}` cannot reduce `{}`, which is {}",
                        clause.op,
                        name.as_str(),
                        self.shape_name(&ty, self.out.var(id).shape.rank())
                    );
                    return self.error(Code::KernelDoReduction, name.span, text);
                }
                out.push((id, op));
            }
        }
        Some(out)
    }

    fn classify(
        &mut self,
        body: &Block,
        loops: &[VarId],
        own_from: Option<u32>,
        written: Vec<(VarId, ReduceOp)>,
    ) -> Uses {
        let mut scan = Scan {
            checker: self,
            own_from: own_from.unwrap_or(u32::MAX),
            state: BTreeMap::new(),
            order: Vec::new(),
            in_condition: 0,
        };
        scan.block(body);
        let Scan { state, order, .. } = scan;
        let mut uses = Uses { reductions: written, private: Vec::new(), captured: Vec::new() };
        for id in order {
            let Some(s) = state.get(&id) else { continue };
            if loops.contains(&id) || uses.reductions.iter().any(|r| r.0 == id) {
                continue;
            }
            if !s.is_host_scalar {
                uses.captured.push(id);
                continue;
            }
            match (&s.reduction, s.plain_reads, s.plain_writes) {
                (Some(Ok(op)), false, false) => {
                    uses.reductions.push((id, *op));
                    continue;
                }
                (Some(_), ..) => {
                    // A private sum is first set, then added to; without the setting it is no reduction either.
                    if s.read_first {
                        let var = self.out.var(id);
                        let text = format!("`{}` is accumulated over the iterations and used otherwise, too", var.name);
                        let d = Diagnostic::new(Code::KernelDoReduction, s.span, text);
                        self.report(d.help("a reduction variable has only statements like `s = s + x`"));
                        continue;
                    }
                }
                (None, ..) => {}
            }
            if s.plain_writes || s.reduction.is_some() {
                uses.private.push(id);
            }
            if s.read_first || !(s.plain_writes || s.reduction.is_some()) {
                uses.captured.push(id);
            }
        }
        uses
    }
}

/// What became of the variables of a body.
struct Uses {
    reductions: Vec<(VarId, ReduceOp)>,
    private: Vec<VarId>,
    captured: Vec<VarId>,
}

/// What is known of one variable.
struct VarUse {
    is_host_scalar: bool,
    /// Whether an iteration may read it before it has assigned it.
    read_first: bool,
    assigned: bool,
    plain_reads: bool,
    plain_writes: bool,
    /// The operation of all its accumulations; an error when they differ.
    reduction: Option<Result<ReduceOp, ()>>,
    span: Span,
}

struct Scan<'c, 'a> {
    checker: &'c Checker<'a>,
    own_from: u32,
    state: BTreeMap<VarId, VarUse>,
    order: Vec<VarId>,
    in_condition: u32,
}

impl Scan<'_, '_> {
    fn entry(&mut self, id: VarId, span: Span) -> Option<&mut VarUse> {
        if id.0 >= self.own_from {
            return None;
        }
        let var = self.checker.out.var(id);
        if matches!(var.storage, Storage::Procedure) {
            return None;
        }
        if !self.state.contains_key(&id) {
            self.order.push(id);
        }
        let is_host_scalar = var.shape.rank() == 0
            && matches!(var.attrs.cuda, None | Some(ast::CudaAttr::Pinned))
            && !matches!(var.storage, Storage::Parameter);
        Some(self.state.entry(id).or_insert(VarUse {
            is_host_scalar,
            read_first: false,
            assigned: false,
            plain_reads: false,
            plain_writes: false,
            reduction: None,
            span,
        }))
    }

    fn read(&mut self, id: VarId, span: Span) {
        if let Storage::Alias(target) = &self.checker.out.var(id).storage {
            let target = target.clone();
            self.reads(&target);
            return;
        }
        if let Some(s) = self.entry(id, span) {
            s.plain_reads = true;
            s.read_first |= !s.assigned;
        }
    }

    fn reads(&mut self, e: &Expr) {
        let mut found = Vec::new();
        for_each(e, &mut |node| {
            if let ExprKind::Var(id) = node.kind {
                found.push((id, node.span));
            }
            true
        });
        for (id, span) in found {
            self.read(id, span);
        }
    }

    fn write(&mut self, target: &Expr) {
        // The subscripts are read.
        let mut found = Vec::new();
        for_each(target, &mut |node| {
            if let ExprKind::Var(id) = node.kind {
                found.push((id, node.span));
            }
            true
        });
        let base = root(target);
        let mut skipped = false;
        for (id, span) in found {
            if !skipped && Some(id) == base {
                skipped = true;
                continue;
            }
            self.read(id, span);
        }
        let Some(id) = base else { return };
        if let Storage::Alias(aliased) = &self.checker.out.var(id).storage {
            let aliased = aliased.clone();
            self.write(&aliased);
            return;
        }
        let whole = matches!(target.kind, ExprKind::Var(_));
        let unconditional = self.in_condition == 0;
        if let Some(s) = self.entry(id, target.span) {
            s.plain_writes = true;
            s.assigned |= whole && unconditional;
            s.read_first |= !whole && !s.assigned;
        }
    }

    fn block(&mut self, body: &Block) {
        for s in body {
            self.stmt(s);
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        if let StmtKind::Assign { target, value } = &s.kind
            && let ExprKind::Var(id) = target.kind
            && let Some((op, others)) = accumulation(id, value)
        {
            for e in others {
                self.reads(e);
            }
            let fits = op_fits(op, &target.ty);
            if let Some(state) = self.entry(id, target.span).filter(|st| st.is_host_scalar) {
                state.reduction = Some(match state.reduction {
                    None if fits => Ok(op),
                    Some(Ok(old)) if old == op => Ok(op),
                    _ => Err(()),
                });
                state.read_first |= !state.assigned;
                return;
            }
        }
        let mut targets = Vec::new();
        own_exprs(s, &mut |e, assigned| {
            if assigned {
                targets.push(e);
            } else {
                self.reads(e);
            }
        });
        for target in targets {
            self.write(target);
        }
        let conditional = !matches!(s.kind, StmtKind::Block { .. });
        self.in_condition += u32::from(conditional);
        for inner in inner_blocks(s) {
            // What one arm sets is not set in the next, nor after the construct.
            let before: BTreeSet<VarId> = self.state.iter().filter(|(_, u)| u.assigned).map(|(id, _)| *id).collect();
            let depth = std::mem::take(&mut self.in_condition);
            self.block(inner);
            self.in_condition = depth;
            if conditional {
                for (id, state) in &mut self.state {
                    state.assigned = before.contains(id);
                }
            }
        }
        self.in_condition -= u32::from(conditional);
        // A counted inner loop sets its variable even when it does not run.
        if let StmtKind::Loop { control, .. } = &s.kind
            && let Some(var) = Checker::loop_variable(control)
            && let Some(state) = self.state.get_mut(&var)
        {
            state.assigned = true;
        }
    }
}

/// Whether `value` accumulates into a variable: the operation and the other operands.
fn accumulation(id: VarId, value: &Expr) -> Option<(ReduceOp, Vec<&Expr>)> {
    let is_it = |e: &Expr| matches!(bare(e).kind, ExprKind::Var(v) if v == id);
    let uses = |e: &Expr| {
        let mut found = false;
        for_each(e, &mut |n| {
            found |= matches!(n.kind, ExprKind::Var(v) if v == id);
            !found
        });
        found
    };
    let pair = |op: ReduceOp, a: &'_ Expr, b: &'_ Expr| -> Option<(ReduceOp, bool)> {
        if is_it(a) && !uses(b) {
            Some((op, true))
        } else if is_it(b) && !uses(a) {
            Some((op, false))
        } else {
            None
        }
    };
    match &bare(value).kind {
        ExprKind::Binary { op: BinaryOp::Sub, left, right } if is_it(left) && !uses(right) => {
            Some((ReduceOp::Add, vec![right]))
        }
        ExprKind::Binary { op, left, right } => {
            let reduce = match op {
                BinaryOp::Add => ReduceOp::Add,
                BinaryOp::Mul => ReduceOp::Mul,
                _ => return None,
            };
            if let Some((op, first)) = pair(reduce, left, right) {
                return Some((op, vec![if first { right } else { left }]));
            }
            // `s + a + b` is `(s + a) + b`.
            if !uses(right)
                && let Some((inner, mut others)) = accumulation(id, left)
                && inner == reduce
            {
                others.push(right);
                return Some((reduce, others));
            }
            None
        }
        ExprKind::Logic { op, left, right } => {
            let reduce = match op {
                LogicOp::And => ReduceOp::And,
                LogicOp::Or => ReduceOp::Or,
                LogicOp::Eqv => ReduceOp::Eqv,
                LogicOp::Neqv => ReduceOp::Neqv,
            };
            pair(reduce, left, right).map(|(op, first)| (op, vec![if first { &**right } else { &**left }]))
        }
        ExprKind::Intrinsic { id: name, args } => {
            let reduce = match name {
                Intrinsic::Max => ReduceOp::Max,
                Intrinsic::Min => ReduceOp::Min,
                Intrinsic::Iand => ReduceOp::Iand,
                Intrinsic::Ior => ReduceOp::Ior,
                Intrinsic::Ieor => ReduceOp::Ieor,
                _ => return None,
            };
            let args: Vec<&Expr> = args.iter().flatten().collect();
            let own = args.iter().filter(|e| is_it(e)).count();
            let others: Vec<&Expr> = args.into_iter().filter(|e| !is_it(e)).collect();
            (own == 1 && !others.iter().any(|e| uses(e))).then_some((reduce, others))
        }
        _ => None,
    }
}

fn bare(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Paren(inner) | ExprKind::Convert(inner) => bare(inner),
        _ => e,
    }
}

fn op_fits(op: ReduceOp, ty: &Type) -> bool {
    match op {
        ReduceOp::Add | ReduceOp::Mul => matches!(ty, Type::Integer(_) | Type::Real(_) | Type::Complex(_)),
        ReduceOp::Max | ReduceOp::Min => matches!(ty, Type::Integer(_) | Type::Real(_)),
        ReduceOp::Iand | ReduceOp::Ior | ReduceOp::Ieor => matches!(ty, Type::Integer(_)),
        ReduceOp::And | ReduceOp::Or | ReduceOp::Eqv | ReduceOp::Neqv => matches!(ty, Type::Logical(_)),
    }
}
