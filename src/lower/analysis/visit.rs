//! Visitors over checked code: the parts of an expression and of a statement, one level deep, and all levels.
//!
//! Not here: any meaning. The passes before lowering (`usage`) build on these.

use sema::checked::{
    Actual, Block, CaseRange, CufDim, Expr, ExprKind, ImpliedDo, IoForm, IoItem, IoUnit, Item, LaunchGrid, LaunchSpec,
    LoopControl, Stmt, StmtKind, Sub, VarId,
};

/// Calls `f` with each expression directly inside `e`.
pub(crate) fn parts<'p>(e: &'p Expr, f: &mut dyn FnMut(&'p Expr)) {
    match &e.kind {
        ExprKind::Const(_)
        | ExprKind::Var(_)
        | ExprKind::Special { .. }
        | ExprKind::Procedure(_)
        | ExprKind::Null
        | ExprKind::Unsupported(_) => {}
        ExprKind::Field { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. }
        | ExprKind::IsType { object: base, .. } => f(base),
        ExprKind::Element { base, subs } => {
            f(base);
            subs.iter().for_each(f);
        }
        ExprKind::Section { base, subs } => {
            f(base);
            for sub in subs {
                match sub {
                    Sub::Index(e) | Sub::Vector(e) => f(e),
                    Sub::Range { lo, hi, step } => [lo, hi, step].into_iter().flatten().for_each(&mut *f),
                }
            }
        }
        ExprKind::Substring { base, lo, hi } => {
            f(base);
            [lo, hi].into_iter().flatten().for_each(|e| f(e));
        }
        ExprKind::Unary { operand, .. } => f(operand),
        ExprKind::Binary { left, right, .. }
        | ExprKind::Compare { left, right, .. }
        | ExprKind::Logic { left, right, .. }
        | ExprKind::Concat(left, right) => {
            f(left);
            f(right);
        }
        ExprKind::Convert(inner) | ExprKind::Paren(inner) => f(inner),
        ExprKind::Intrinsic { args, .. } => args.iter().flatten().for_each(f),
        ExprKind::Call { args, .. } => actuals(args, f),
        ExprKind::Construct { fields, .. } => fields.iter().flatten().for_each(f),
        ExprKind::Array(items) => array_items(items, f),
    }
}

/// Calls `f` with `e` and each expression inside it at any depth, outermost first.
pub(crate) fn all<'p>(e: &'p Expr, f: &mut dyn FnMut(&'p Expr)) {
    f(e);
    parts(e, &mut |part| all(part, f));
}

fn actuals<'p>(args: &'p [Option<Actual>], f: &mut dyn FnMut(&'p Expr)) {
    for arg in args.iter().flatten() {
        if let Actual::Expr(e) = arg {
            f(e);
        }
    }
}

fn array_items<'p>(items: &'p [Item], f: &mut dyn FnMut(&'p Expr)) {
    for item in items {
        match item {
            Item::Expr(e) => f(e),
            Item::Do(implied) => {
                bounds(implied, f);
                array_items(&implied.items, f);
            }
        }
    }
}

fn bounds<'p, T>(implied: &'p ImpliedDo<T>, f: &mut dyn FnMut(&'p Expr)) {
    f(&implied.first);
    f(&implied.last);
    implied.step.iter().for_each(f);
}

fn io_items<'p>(items: &'p [IoItem], f: &mut dyn FnMut(&'p Expr)) {
    for item in items {
        match item {
            IoItem::Expr(e) => f(e),
            IoItem::Do(implied) => {
                bounds(implied, f);
                io_items(&implied.items, f);
            }
        }
    }
}

fn grid<'p>(g: &'p LaunchGrid, f: &mut dyn FnMut(&'p Expr)) {
    match g {
        LaunchGrid::Int(e) | LaunchGrid::Dim3(e) => f(e),
    }
}

fn launch<'p>(config: &'p LaunchSpec, f: &mut dyn FnMut(&'p Expr)) {
    config.grid.iter().for_each(|g| grid(g, f));
    grid(&config.block, f);
    config.bytes.iter().for_each(&mut *f);
    config.stream.iter().for_each(f);
}

type Index = (VarId, Expr, Expr, Option<Expr>);

fn indices<'p>(vars: &'p [Index], mask: Option<&'p Expr>, f: &mut dyn FnMut(&'p Expr)) {
    for (_, first, last, step) in vars {
        f(first);
        f(last);
        step.iter().for_each(&mut *f);
    }
    mask.into_iter().for_each(f);
}

/// Calls `f` with each expression that belongs to the statement itself, not those of statements nested in it.
pub(crate) fn statement_exprs<'p>(s: &'p Stmt, f: &mut dyn FnMut(&'p Expr)) {
    match &s.kind {
        StmtKind::Assign { target, value } => {
            f(value);
            f(target);
        }
        StmtKind::PointerAssign { target, bounds, value } => {
            f(target);
            for (lo, hi) in bounds {
                f(lo);
                hi.iter().for_each(&mut *f);
            }
            f(value);
        }
        StmtKind::Call { args, .. } => actuals(args, f),
        StmtKind::Intrinsic { args, .. } => args.iter().flatten().for_each(f),
        StmtKind::Launch { config, args, .. } => {
            launch(config, f);
            actuals(args, f);
        }
        StmtKind::If(arms) | StmtKind::Where(arms) => arms.iter().filter_map(|a| a.0.as_ref()).for_each(f),
        StmtKind::Loop { control, .. } => match control {
            LoopControl::Forever => {}
            LoopControl::While(e) => f(e),
            LoopControl::Count { var, first, last, step } => {
                f(var);
                f(first);
                f(last);
                step.iter().for_each(f);
            }
            LoopControl::Concurrent { vars, mask } => indices(vars, mask.as_ref(), f),
        },
        StmtKind::Select { value, arms, .. } => {
            f(value);
            for range in arms.iter().filter_map(|a| a.0.as_ref()).flatten() {
                match range {
                    CaseRange::Value(e) => f(e),
                    CaseRange::Range(lo, hi) => [lo, hi].into_iter().flatten().for_each(&mut *f),
                }
            }
        }
        StmtKind::Forall { vars, mask, .. } => indices(vars, mask.as_ref(), f),
        StmtKind::Cuf(cuf) => {
            for l in &cuf.loops {
                f(&l.first);
                f(&l.last);
                l.step.iter().for_each(&mut *f);
            }
            for dim in cuf.grid.iter().chain(&cuf.block) {
                if let CufDim::Expr(e) = dim {
                    f(e);
                }
            }
            cuf.stream.iter().for_each(f);
        }
        StmtKind::ComputedGoto(_, e) | StmtKind::ArithmeticIf(e, _) => f(e),
        StmtKind::Stop { code, .. } => code.iter().for_each(f),
        StmtKind::Allocate { objects, source, stat, errmsg, pinned, stream } => {
            for o in objects {
                f(&o.object);
                for (lo, hi) in &o.bounds {
                    lo.iter().for_each(&mut *f);
                    f(hi);
                }
            }
            source.iter().for_each(|s| f(&s.0));
            [stat, errmsg, pinned, stream].into_iter().flatten().for_each(f);
        }
        StmtKind::Deallocate { objects, stat, errmsg } => {
            objects.iter().for_each(&mut *f);
            [stat, errmsg].into_iter().flatten().for_each(f);
        }
        StmtKind::Nullify(objects) => objects.iter().for_each(f),
        StmtKind::Io(io) => {
            match &io.unit {
                IoUnit::Number(e) | IoUnit::Internal(e) => f(e),
                IoUnit::Star | IoUnit::None => {}
            }
            if let IoForm::Format(e) = &io.form {
                f(e);
            }
            io.controls.iter().for_each(|c| f(&c.value));
            io_items(&io.items, f);
        }
        StmtKind::Block { .. }
        | StmtKind::Exit(_)
        | StmtKind::Cycle(_)
        | StmtKind::Goto(_)
        | StmtKind::Nothing
        | StmtKind::Return
        | StmtKind::Unsupported(_) => {}
    }
}

/// Calls `f` with each block nested directly in the statement.
pub(crate) fn blocks<'p>(s: &'p Stmt, f: &mut dyn FnMut(&'p Block)) {
    match &s.kind {
        StmtKind::If(arms) | StmtKind::Where(arms) => arms.iter().for_each(|a| f(&a.1)),
        StmtKind::Select { arms, .. } => arms.iter().for_each(|a| f(&a.1)),
        StmtKind::Loop { body, .. } | StmtKind::Forall { body, .. } | StmtKind::Block { body, .. } => f(body),
        StmtKind::Cuf(cuf) => f(&cuf.body),
        _ => {}
    }
}

/// Calls `f` with each statement of the block and of the blocks nested in it, outermost first.
pub(crate) fn statements<'p>(block: &'p [Stmt], f: &mut dyn FnMut(&'p Stmt)) {
    for s in block {
        f(s);
        blocks(s, &mut |inner| statements(inner, f));
    }
}
