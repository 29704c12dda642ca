//! Walks over typed statements.

use crate::checked::{
    Actual, Block, CufDim, Expr, IoForm, IoItem, IoStmt, IoUnit, LaunchGrid, LaunchSpec, LoopControl, Stmt, StmtKind,
};

/// Calls `f` for the expressions of one statement, not of the statements inside it; `true` when the expression is assigned.
pub(crate) fn own_exprs<'s>(s: &'s Stmt, f: &mut dyn FnMut(&'s Expr, bool)) {
    match &s.kind {
        StmtKind::Assign { target, value } => {
            f(value, false);
            f(target, true);
        }
        StmtKind::PointerAssign { target, bounds, value } => {
            f(value, false);
            for (lo, hi) in bounds {
                f(lo, false);
                if let Some(hi) = hi {
                    f(hi, false);
                }
            }
            f(target, true);
        }
        StmtKind::Call { args, .. } => actuals(args, f),
        StmtKind::Intrinsic { args, .. } => {
            for arg in args.iter().flatten() {
                f(arg, false);
            }
        }
        StmtKind::Launch { config, args, .. } => {
            launch(config, f);
            actuals(args, f);
        }
        StmtKind::If(arms) => {
            for (condition, ..) in arms {
                if let Some(condition) = condition {
                    f(condition, false);
                }
            }
        }
        StmtKind::Loop { control, .. } => match control {
            LoopControl::Forever => {}
            LoopControl::While(e) => f(e, false),
            LoopControl::Count { var, first, last, step } => {
                for e in [Some(first), Some(last), step.as_ref()].into_iter().flatten() {
                    f(e, false);
                }
                f(var, true);
            }
            LoopControl::Concurrent { vars, mask } => {
                ranges(vars, f);
                if let Some(mask) = mask {
                    f(mask, false);
                }
            }
        },
        StmtKind::Select { value, .. } => f(value, false),
        StmtKind::Where(arms) => {
            for (mask, ..) in arms {
                if let Some(mask) = mask {
                    f(mask, false);
                }
            }
        }
        StmtKind::Forall { vars, mask, .. } => {
            ranges(vars, f);
            if let Some(mask) = mask {
                f(mask, false);
            }
        }
        StmtKind::Cuf(kernel) => {
            for l in &kernel.loops {
                for e in [Some(&l.first), Some(&l.last), l.step.as_ref()].into_iter().flatten() {
                    f(e, false);
                }
            }
            for dim in kernel.grid.iter().chain(&kernel.block) {
                if let CufDim::Expr(e) = dim {
                    f(e, false);
                }
            }
            if let Some(e) = &kernel.stream {
                f(e, false);
            }
        }
        StmtKind::ComputedGoto(_, e) | StmtKind::ArithmeticIf(e, _) => f(e, false),
        StmtKind::Stop { code, .. } => {
            if let Some(e) = code {
                f(e, false);
            }
        }
        StmtKind::Allocate { objects, source, stat, errmsg, pinned, stream } => {
            for object in objects {
                f(&object.object, true);
                for (lo, hi) in &object.bounds {
                    if let Some(lo) = lo {
                        f(lo, false);
                    }
                    f(hi, false);
                }
            }
            if let Some((e, _)) = source {
                f(e, false);
            }
            for e in [stat, errmsg, pinned].into_iter().flatten() {
                f(e, true);
            }
            if let Some(e) = stream {
                f(e, false);
            }
        }
        StmtKind::Deallocate { objects, stat, errmsg } => {
            for e in objects.iter().chain(stat).chain(errmsg) {
                f(e, true);
            }
        }
        StmtKind::Nullify(list) => {
            for e in list {
                f(e, true);
            }
        }
        StmtKind::Io(io) => io_exprs(io, f),
        StmtKind::Block { .. }
        | StmtKind::Exit(_)
        | StmtKind::Cycle(_)
        | StmtKind::Goto(_)
        | StmtKind::Nothing
        | StmtKind::Return
        | StmtKind::Unsupported(_) => {}
    }
}

fn actuals<'s>(args: &'s [Option<Actual>], f: &mut dyn FnMut(&'s Expr, bool)) {
    for arg in args.iter().flatten() {
        if let Actual::Expr(e) = arg {
            f(e, false);
        }
    }
}

fn launch<'s>(config: &'s LaunchSpec, f: &mut dyn FnMut(&'s Expr, bool)) {
    for grid in config.grid.iter().chain([&config.block]) {
        match grid {
            LaunchGrid::Int(e) | LaunchGrid::Dim3(e) => f(e, false),
        }
    }
    for e in config.bytes.iter().chain(&config.stream) {
        f(e, false);
    }
}

fn ranges<'s>(vars: &'s [(crate::checked::VarId, Expr, Expr, Option<Expr>)], f: &mut dyn FnMut(&'s Expr, bool)) {
    for (_, first, last, step) in vars {
        for e in [Some(first), Some(last), step.as_ref()].into_iter().flatten() {
            f(e, false);
        }
    }
}

fn io_exprs<'s>(io: &'s IoStmt, f: &mut dyn FnMut(&'s Expr, bool)) {
    match &io.unit {
        IoUnit::Number(e) => f(e, false),
        IoUnit::Internal(e) => f(e, true),
        IoUnit::Star | IoUnit::None => {}
    }
    if let IoForm::Format(e) = &io.form {
        f(e, false);
    }
    for c in &io.controls {
        f(&c.value, false);
    }
    items(&io.items, io.kind == ast::IoKind::Read, f);
}

fn items<'s>(list: &'s [IoItem], input: bool, f: &mut dyn FnMut(&'s Expr, bool)) {
    for item in list {
        match item {
            IoItem::Expr(e) => f(e, input),
            IoItem::Do(d) => {
                for e in [Some(&d.first), Some(&d.last), d.step.as_ref()].into_iter().flatten() {
                    f(e, false);
                }
                items(&d.items, input, f);
            }
        }
    }
}

/// The blocks inside a statement, in order.
pub(crate) fn inner_blocks(s: &Stmt) -> Vec<&Block> {
    match &s.kind {
        StmtKind::If(arms) => arms.iter().map(|a| &a.1).collect(),
        StmtKind::Loop { body, .. } | StmtKind::Forall { body, .. } | StmtKind::Block { body, .. } => vec![body],
        StmtKind::Select { arms, .. } => arms.iter().map(|a| &a.1).collect(),
        StmtKind::Where(arms) => arms.iter().map(|a| &a.1).collect(),
        StmtKind::Cuf(kernel) => vec![&kernel.body],
        _ => Vec::new(),
    }
}
