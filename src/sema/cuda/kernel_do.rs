//! `!$cuf kernel do`: loops that become a kernel (CUDA Fortran guide, 3.5; rules 49 to 51).
//!
//! Host scalars that the body assigns before it reads them are private to an iteration. One whose every use in the body is
//! `s = s op x` (or `s = max(s, x)` …) is a reduction. One that may be read before it is assigned is private *and* captured:
//! each iteration begins with the host's value.
//!
//! Statements between two loops of the nest that assign scalars which are private are statements of each iteration.

use crate::checked::{
    Block, CufDim, CufKernel, CufLoop, Expr, ExprKind, LoopControl, ReduceOp, Shape, Stmt, StmtKind, Storage, Type,
    VarId, visit,
};
use crate::checker::{Checker, CodeSide, Construct, ConstructKind};
use crate::typing::{Typing, shape_name};
use ast::{CufSize, DoControl};
use diag::Code;
use source::Span;

/// The loops of a kernel.
struct Nest<'a> {
    loops: Vec<CufLoop>,
    /// Assignments of scalars between the loops.
    between: Vec<(VarId, &'a ast::Stmt)>,
    /// The statements inside the innermost loop.
    inner: &'a [ast::Stmt],
    /// The names that DO CONCURRENT makes local to an iteration.
    locals: &'a [ast::Name],
}

impl<'a> Checker<'a> {
    pub(crate) fn cuf_kernel(&mut self, k: &'a ast::CufKernel) -> Option<StmtKind> {
        if self.cx.side.on_device() {
            return self.reporter.error(
                Code::StatementNotInDeviceCode,
                k.span,
                "`!$cuf kernel do` stands in host code only",
            );
        }
        let depth = match &k.depth {
            None => 1,
            Some(e) => {
                let n = self.constant_integer(e)?;
                if n < 1 {
                    return self.reporter.error(Code::KernelDoNesting, e.span, "the number of loops must be positive");
                }
                n as usize
            }
        };
        let mut kept = Vec::new();
        let grid = self.cuf_extents(&k.grid, &mut kept);
        let block = self.cuf_extents(&k.block, &mut kept);
        let stream = match &k.stream {
            Some(e) => Some(self.integer_scalar(e, &Type::Integer(8), "the stream")),
            None => None,
        };
        let outer_scope = self.cx.scope;
        let found = self.cuf_loops(k, depth);
        let Some(Nest { loops, between, inner, locals }) = found else {
            self.cx.scope = outer_scope;
            return None;
        };
        let side = std::mem::replace(&mut self.cx.side, CodeSide::CufKernel);
        let first_var = self.cx.cuf_first_var.replace(self.defs.next_var());
        let vars: Vec<VarId> = loops.iter().map(|l| l.var).collect();
        for &var in &vars {
            self.cx.loop_vars.push(var);
        }
        let id = self.cx.new_construct();
        self.cx.constructs.push(Construct { name: None, id, kind: ConstructKind::Parallel });
        let mut body: Block = between.iter().flat_map(|(_, stmt)| self.block(std::slice::from_ref(*stmt))).collect();
        let inner_from = body.len();
        body.extend(self.block(inner));
        self.cx.constructs.pop();
        let depth = self.cx.loop_vars.len() - vars.len();
        self.cx.loop_vars.truncate(depth);
        let own_from = std::mem::replace(&mut self.cx.cuf_first_var, first_var);
        self.cx.side = side;
        let written = self.cuf_reductions(k);
        let locals: Vec<VarId> = locals.iter().filter_map(|name| self.variable_of(name)).collect();
        self.cx.scope = outer_scope;
        let uses = self.typing().classify(&body, &vars, &locals, own_from, written?);
        self.refuse_shared_memory(&uses)?;
        for &(var, stmt) in &between {
            if !uses.private.contains(&var) || uses.captured.contains(&var) {
                let name = self.defs.var(var).name.clone();
                let text = format!("`{name}` is assigned between the loops and is not private to an iteration");
                let help = "assign it in the innermost loop, or give a smaller number of loops";
                return self.reporter.error_help(Code::KernelDoNesting, stmt.span, text, help);
            }
        }
        let assigned: Vec<(VarId, Span)> = between.iter().map(|(var, stmt)| (*var, stmt.span)).collect();
        self.typing().note_carried(&body[inner_from..], &assigned, own_from);
        let is_made = |v: VarId| matches!(self.defs.var(v).ty, Type::Derived(id) if self.defs.ty(id).is_made);
        if let Some(v) = uses.private.iter().copied().find(|&v| is_made(v)) {
            let var = self.defs.var(v);
            let text = format!("assignment to host object `{}` with run-time lengths in a `!$cuf` loop", var.name);
            return self.reporter.refuse(var.span, text);
        }
        let stream = match stream {
            Some(stream) => Some(stream?),
            None => None,
        };
        let kernel = StmtKind::Cuf(Box::new(CufKernel {
            loops,
            body,
            grid: grid?,
            block: block?,
            stream,
            reductions: uses.reductions,
            private: uses.private,
            captured: uses.captured,
        }));
        if kept.is_empty() {
            return Some(kernel);
        }
        let vars = kept.iter().map(|(var, _)| *var).collect();
        let mut body: Block = kept.into_iter().map(|(_, stmt)| stmt).collect();
        body.push(Stmt { label: None, kind: kernel, span: k.span });
        Some(StmtKind::Block { id: self.cx.new_construct(), vars, body })
    }

    /// The extents in the brackets. A `dim3` that is no designator is kept in a variable: it has one value for its three parts.
    fn cuf_extents(&mut self, list: &'a [CufSize], kept: &mut Vec<(VarId, Stmt)>) -> Option<Vec<CufDim>> {
        let mut out = Vec::with_capacity(list.len());
        for size in list {
            match size {
                CufSize::Star => out.push(CufDim::Star),
                CufSize::Expr(e) => {
                    let value = self.expr(e)?;
                    let is_dim3 = matches!(value.ty, Type::Derived(id) if &*self.defs.ty(id).name == "dim3");
                    if is_dim3 && value.rank == 0 {
                        let value = if visit::has_calls(&value) { self.kept_value(value, kept) } else { value };
                        for axis in 0..3 {
                            let base = Box::new(value.clone());
                            let kind = ExprKind::Field { base, field: axis };
                            out.push(CufDim::Expr(Expr { kind, ty: Type::Integer(4), rank: 0, span: value.span }));
                        }
                        continue;
                    }
                    if !matches!(value.ty, Type::Integer(_)) || value.rank != 0 {
                        let text = format!(
                            "an extent must be an integer, not {}",
                            shape_name(&self.defs, &value.ty, value.rank)
                        );
                        return self.reporter.error(Code::BadLaunchParameter, e.span, text);
                    }
                    out.push(CufDim::Expr(self.typing().convert(value, &Type::Integer(4))?));
                }
            }
        }
        Some(out)
    }

    /// A variable that gets the value before the kernel begins.
    fn kept_value(&mut self, value: Expr, kept: &mut Vec<(VarId, Stmt)>) -> Expr {
        let (ty, span) = (value.ty.clone(), value.span);
        let name = format!("extents.{}", kept.len() + 1).into();
        let var = self.construct_variable(&name, ty.clone(), Shape::Scalar, Storage::Local, span);
        let target = Expr { kind: ExprKind::Var(var), ty, rank: 0, span };
        let kind = StmtKind::Assign { target: target.clone(), value };
        kept.push((var, Stmt { label: None, kind, span }));
        target
    }

    /// The loops of the nest, and the statements between and inside of them.
    fn cuf_loops(&mut self, k: &'a ast::CufKernel, depth: usize) -> Option<Nest<'a>> {
        let nested = |c: &mut Self, span: Span| {
            let text = format!(
                "`!$cuf kernel do` needs {depth} tightly nested counted loop{}",
                if depth == 1 { "" } else { "s" }
            );
            c.reporter.error_help::<Nest<'a>>(
                Code::KernelDoNesting,
                span,
                text,
                "write the loops directly inside each other, or give a smaller number",
            )
        };
        let Some(mut stmt) = k.body.as_deref() else { return nested(self, k.span) };
        let (mut loops, mut between) = (Vec::with_capacity(depth), Vec::new());
        loop {
            let ast::StmtKind::Do { control, body, .. } = &stmt.kind else { return nested(self, stmt.span) };
            match control {
                DoControl::Concurrent { header, locals, .. } if header.mask.is_none() && loops.is_empty() => {
                    if header.vars.len() < depth {
                        return nested(self, stmt.span);
                    }
                    for (var, first, last, step) in self.index_ranges(header)? {
                        loops.push(CufLoop { var, first, last, step });
                    }
                    // The first index counts fastest: it is the innermost loop.
                    loops.reverse();
                    return Some(Nest { loops, between, inner: body, locals });
                }
                DoControl::Count { var, first, last, step } => {
                    let LoopControl::Count { var, first, last, step } =
                        self.count(var, first, last, step.as_ref(), stmt.span)?
                    else {
                        return None;
                    };
                    let ExprKind::Var(id) = var.kind else {
                        return self.reporter.error(
                            Code::BadDoVariable,
                            var.span,
                            "the loop variable must be a scalar variable",
                        );
                    };
                    if !matches!(var.ty, Type::Integer(_)) {
                        return self.reporter.error(
                            Code::BadDoVariable,
                            var.span,
                            "the loop variable must be an integer",
                        );
                    }
                    let assigned = between.iter().map(|(var, _)| (*var, "which is assigned between the loops"));
                    let counted = loops.iter().map(|l: &CufLoop| (l.var, "the loop around it"));
                    let outer: Vec<(VarId, &str)> = counted.chain(assigned).collect();
                    for bound in [Some(&first), Some(&last), step.as_ref()].into_iter().flatten() {
                        self.typing().check_rectangular(bound, &outer)?;
                    }
                    loops.push(CufLoop { var: id, first, last, step });
                }
                _ => return nested(self, stmt.span),
            }
            if loops.len() == depth {
                return Some(Nest { loops, between, inner: body, locals: &[] });
            }
            let mut rest: Vec<&ast::Stmt> =
                body.iter().filter(|s| !matches!(s.kind, ast::StmtKind::Continue)).collect();
            let Some(last) = rest.pop() else { return nested(self, stmt.span) };
            for assignment in rest {
                let Some(var) = self.assigned_scalar(assignment) else { return nested(self, stmt.span) };
                between.push((var, assignment));
            }
            stmt = last;
        }
    }

    /// The scalar that a statement assigns, if it does only that.
    fn assigned_scalar(&mut self, stmt: &'a ast::Stmt) -> Option<VarId> {
        let ast::StmtKind::Assign { target, .. } = &stmt.kind else { return None };
        let ast::ExprKind::Name(name) = &target.kind else { return None };
        let var = self.variable_of(name)?;
        (self.defs.var(var).shape.rank() == 0).then_some(var)
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
                    let text = format!("`{other}` is not a reduction operation");
                    return self.reporter.error(Code::KernelDoReduction, k.span, text);
                }
            };
            for name in &clause.vars {
                let id = self.variable_of(name)?;
                let ty = self.defs.var(id).ty.clone();
                if !op_fits(op, &ty) || self.defs.var(id).shape.rank() != 0 {
                    let text = format!(
                        "`{}` cannot reduce `{}`, which is {}",
                        clause.op,
                        name.as_str(),
                        shape_name(&self.defs, &ty, self.defs.var(id).shape.rank())
                    );
                    return self.reporter.error(Code::KernelDoReduction, name.span, text);
                }
                out.push((id, op));
            }
        }
        Some(out)
    }
}

/// Whether an operation reduces values of a type.
pub(super) fn op_fits(op: ReduceOp, ty: &Type) -> bool {
    match op {
        ReduceOp::Add | ReduceOp::Mul => matches!(ty, Type::Integer(_) | Type::Real(_) | Type::Complex(_)),
        ReduceOp::Max | ReduceOp::Min => matches!(ty, Type::Integer(_) | Type::Real(_)),
        ReduceOp::Iand | ReduceOp::Ior | ReduceOp::Ieor => matches!(ty, Type::Integer(_)),
        ReduceOp::And | ReduceOp::Or | ReduceOp::Eqv | ReduceOp::Neqv => matches!(ty, Type::Logical(_)),
    }
}

impl Typing<'_> {
    /// The loops of a nest are counted before any of them runs: no bound may depend on the loops around it.
    fn check_rectangular(&mut self, bound: &Expr, outer: &[(VarId, &str)]) -> Option<()> {
        let mut used = None;
        visit::descend(bound, &mut |e| {
            if let ExprKind::Var(v) = e.kind
                && let Some(known) = outer.iter().find(|(var, _)| *var == v)
            {
                used = Some(*known);
            }
            true
        });
        let Some((v, what)) = used else { return Some(()) };
        let name = self.defs.var(v).name.clone();
        let text = format!("a bound of this loop depends on `{name}`, {what}");
        let help = "give a smaller number of loops, or loop over all and test inside";
        self.reporter.error_help(Code::KernelDoNesting, bound.span, text, help)
    }
}
