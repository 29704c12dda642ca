//! Visitors of the checked program: the parts of an expression, the expressions and blocks of a statement, and walks over
//! all levels of them.
//!
//! The forms of expressions are listed once, in the macro `expression_parts`, for reading and for rewriting. A new form of
//! an expression or a statement does not compile until it is listed here.
//!
//! Not here: any meaning. Which variable a designator names is in `designator`.

use super::{
    Actual, Block, CaseRange, CharLen, CufDim, CufKernel, Expr, ExprKind, ImpliedDo, IoForm, IoItem, IoStmt, IoUnit,
    Item, LaunchGrid, LaunchSpec, LoopControl, Program, Shape, Stmt, StmtKind, Storage, Sub, Type, VarId, Variable,
};

/// Defines a visitor of the direct parts of an expression, by shared or by exclusive references.
macro_rules! expression_parts {
    ($(#[$doc:meta])* $visibility:vis $parts:ident, $items:ident $(, $exclusive:tt)?) => {
        $(#[$doc])*
        $visibility fn $parts<'e>(e: &'e $($exclusive)? Expr, f: &mut dyn FnMut(&'e $($exclusive)? Expr)) {
            match & $($exclusive)? e.kind {
                ExprKind::Const(_)
                | ExprKind::Var(_)
                | ExprKind::Special { .. }
                | ExprKind::Procedure(_)
                | ExprKind::Null
                | ExprKind::Unsupported(_) => {}
                ExprKind::Field { base: part, .. }
                | ExprKind::ComplexPart { base: part, .. }
                | ExprKind::Seen { base: part, .. }
                | ExprKind::IsType { object: part, .. }
                | ExprKind::Unary { operand: part, .. }
                | ExprKind::Convert(part)
                | ExprKind::Paren(part) => f(part),
                ExprKind::Element { base, subs } => {
                    f(base);
                    for sub in subs {
                        f(sub);
                    }
                }
                ExprKind::Section { base, subs } => {
                    f(base);
                    for sub in subs {
                        match sub {
                            Sub::Index(e) | Sub::Vector(e) => f(e),
                            Sub::Range { lo, hi, step } => {
                                for bound in [lo, hi, step].into_iter().flatten() {
                                    f(bound);
                                }
                            }
                        }
                    }
                }
                ExprKind::Substring { base, lo, hi } => {
                    f(base);
                    for bound in [lo, hi].into_iter().flatten() {
                        f(bound);
                    }
                }
                ExprKind::Binary { left, right, .. }
                | ExprKind::Compare { left, right, .. }
                | ExprKind::Logic { left, right, .. }
                | ExprKind::Concat(left, right) => {
                    f(left);
                    f(right);
                }
                ExprKind::Let { vars, value } => {
                    for (_, own) in vars {
                        f(own);
                    }
                    f(value);
                }
                ExprKind::Intrinsic { args, .. } => {
                    for arg in args.into_iter().flatten() {
                        f(arg);
                    }
                }
                ExprKind::Call { args, .. } => {
                    for arg in args.into_iter().flatten() {
                        if let Actual::Expr(e) | Actual::Address(e) = arg {
                            f(e);
                        }
                    }
                }
                ExprKind::Construct { parents, fields, .. } => {
                    for (_, own) in parents {
                        f(own);
                    }
                    for field in fields.into_iter().flatten() {
                        f(field);
                    }
                }
                ExprKind::Array(items) => {
                    // The length that a constructor names or computes is an expression like others.
                    if let Type::Character(CharLen::Expr(length)) = & $($exclusive)? e.ty {
                        f(length);
                    }
                    $items(items, f);
                }
            }
        }

        fn $items<'e>(items: &'e $($exclusive)? [Item], f: &mut dyn FnMut(&'e $($exclusive)? Expr)) {
            for item in items {
                match item {
                    Item::Expr(e) => f(e),
                    Item::Do(implied) => {
                        let ImpliedDo { first, last, step, items, .. } = & $($exclusive)? **implied;
                        f(first);
                        f(last);
                        if let Some(step) = step {
                            f(step);
                        }
                        $items(items, f);
                    }
                }
            }
        }
    };
}

expression_parts! {
    /// Calls `f` with each expression directly inside `e`, from left to right.
    pub parts, array_items
}

expression_parts! {
    /// As [`parts`]; `f` may change what it gets.
    parts_mut, array_items_mut, mut
}

/// Calls `f` with `e` and each expression inside it at any depth, outermost first.
pub fn all<'e>(e: &'e Expr, f: &mut dyn FnMut(&'e Expr)) {
    f(e);
    parts(e, &mut |part| all(part, f));
}

/// As [`all`], but does not enter an expression for which `f` returns `false`.
pub fn descend<'e>(e: &'e Expr, f: &mut dyn FnMut(&'e Expr) -> bool) {
    if f(e) {
        parts(e, &mut |part| descend(part, f));
    }
}

/// Whether the evaluation of an expression calls a procedure of the program.
pub fn has_calls(e: &Expr) -> bool {
    let mut found = false;
    descend(e, &mut |part| {
        found |= matches!(part.kind, ExprKind::Call { .. });
        !found
    });
    found
}

/// Calls `f` with `e` and each expression inside it at any depth, innermost first; `f` may replace what it gets.
pub fn rewrite(e: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    parts_mut(e, &mut |part| rewrite(part, f));
    f(e);
}

/// The expressions of one subscript of a section.
pub fn subscript_exprs(sub: &Sub) -> impl Iterator<Item = &Expr> {
    let (a, b, c) = match sub {
        Sub::Index(e) | Sub::Vector(e) => (Some(e), None, None),
        Sub::Range { lo, hi, step } => (lo.as_ref(), hi.as_ref(), step.as_ref()),
    };
    a.into_iter().chain(b).chain(c)
}

/// What a statement does with an expression of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It uses the value (or passes the object on, as a call does).
    Value,
    /// It defines the object: the left side of an assignment, a DO variable, an allocated object, an item that is read.
    Definition,
}

/// Calls `f` with each expression that belongs to the statement itself, not to the statements nested in it. Values come
/// before the objects that they define.
pub fn statement_exprs<'s>(s: &'s Stmt, f: &mut dyn FnMut(&'s Expr, Role)) {
    match &s.kind {
        StmtKind::Assign { target, value } => {
            f(value, Role::Value);
            f(target, Role::Definition);
        }
        StmtKind::PointerAssign { target, bounds, value } => {
            f(value, Role::Value);
            for (lo, hi) in bounds {
                values([Some(lo), hi.as_ref()], f);
            }
            f(target, Role::Definition);
        }
        StmtKind::Call { args, .. } => actuals(args, f),
        StmtKind::Intrinsic { args, .. } => values(args.iter().map(Option::as_ref), f),
        StmtKind::Launch { config, args, .. } => {
            launch(config, f);
            actuals(args, f);
        }
        StmtKind::If(arms) | StmtKind::Where(arms) => values(arms.iter().map(|arm| arm.0.as_ref()), f),
        StmtKind::Loop { control, .. } => loop_control(control, f),
        StmtKind::Select { value, arms, .. } => {
            f(value, Role::Value);
            for range in arms.iter().filter_map(|arm| arm.0.as_ref()).flatten() {
                match range {
                    CaseRange::Value(e) => f(e, Role::Value),
                    CaseRange::Range(lo, hi) => values([lo.as_ref(), hi.as_ref()], f),
                }
            }
        }
        StmtKind::Forall { vars, mask, .. } => indices(vars, mask.as_ref(), f),
        StmtKind::Cuf(kernel) => cuf_kernel(kernel, f),
        StmtKind::ComputedGoto(_, e) | StmtKind::ArithmeticIf(e, _) => f(e, Role::Value),
        StmtKind::Stop { code, quiet, .. } => values([code.as_ref(), quiet.as_ref()], f),
        StmtKind::Allocate { objects, source, stat, errmsg, pinned, stream, align } => {
            for object in objects {
                f(&object.object, Role::Definition);
                for (lo, hi) in &object.bounds {
                    values([lo.as_ref(), Some(hi)], f);
                }
                if let Some(Type::Character(length)) = &object.spec {
                    values([length_expr(length)], f);
                }
                object.lengths.iter().for_each(|n| values([length_expr(n)], f));
            }
            values([source.as_ref().map(|(e, _)| e)], f);
            definitions([stat, errmsg, pinned].into_iter().flatten(), f);
            values([stream.as_ref(), align.as_ref()], f);
        }
        StmtKind::Deallocate { objects, stat, errmsg } => definitions(objects.iter().chain(stat).chain(errmsg), f),
        StmtKind::Nullify(objects) => definitions(objects, f),
        StmtKind::Io(io) => io_statement(io, f),
        StmtKind::Block { .. }
        | StmtKind::SelectRank { .. }
        | StmtKind::Exit(_)
        | StmtKind::Cycle(_)
        | StmtKind::Goto(_)
        | StmtKind::Nothing
        | StmtKind::Return
        | StmtKind::Unsupported(_) => {}
    }
}

/// The expression that gives a length.
pub fn length_expr(length: &CharLen) -> Option<&Expr> {
    match length {
        CharLen::Expr(e) => Some(e),
        _ => None,
    }
}

fn values<'s>(list: impl IntoIterator<Item = Option<&'s Expr>>, f: &mut dyn FnMut(&'s Expr, Role)) {
    list.into_iter().flatten().for_each(|e| f(e, Role::Value));
}

fn definitions<'s>(list: impl IntoIterator<Item = &'s Expr>, f: &mut dyn FnMut(&'s Expr, Role)) {
    list.into_iter().for_each(|e| f(e, Role::Definition));
}

fn actuals<'s>(args: &'s [Option<Actual>], f: &mut dyn FnMut(&'s Expr, Role)) {
    for arg in args.iter().flatten() {
        if let Actual::Expr(e) | Actual::Address(e) = arg {
            f(e, Role::Value);
        }
    }
}

fn launch<'s>(config: &'s LaunchSpec, f: &mut dyn FnMut(&'s Expr, Role)) {
    for extents in config.grid.iter().chain([&config.block]) {
        match extents {
            LaunchGrid::Int(e) | LaunchGrid::Dim3(e) => f(e, Role::Value),
        }
    }
    values([config.bytes.as_ref(), config.stream.as_ref()], f);
}

fn loop_control<'s>(control: &'s LoopControl, f: &mut dyn FnMut(&'s Expr, Role)) {
    match control {
        LoopControl::Forever => {}
        LoopControl::While(e) => f(e, Role::Value),
        LoopControl::Count { var, first, last, step } => {
            values([Some(first), Some(last), step.as_ref()], f);
            f(var, Role::Definition);
        }
        LoopControl::Concurrent { vars, mask } => indices(vars, mask.as_ref(), f),
    }
}

type Index = (VarId, Expr, Expr, Option<Expr>);

fn indices<'s>(vars: &'s [Index], mask: Option<&'s Expr>, f: &mut dyn FnMut(&'s Expr, Role)) {
    for (_, first, last, step) in vars {
        values([Some(first), Some(last), step.as_ref()], f);
    }
    values([mask], f);
}

fn cuf_kernel<'s>(kernel: &'s CufKernel, f: &mut dyn FnMut(&'s Expr, Role)) {
    for l in &kernel.loops {
        values([Some(&l.first), Some(&l.last), l.step.as_ref()], f);
    }
    for dim in kernel.grid.iter().chain(&kernel.block) {
        if let CufDim::Expr(e) = dim {
            f(e, Role::Value);
        }
    }
    values([kernel.stream.as_ref()], f);
}

fn io_statement<'s>(io: &'s IoStmt, f: &mut dyn FnMut(&'s Expr, Role)) {
    match &io.unit {
        IoUnit::Number(e) => f(e, Role::Value),
        IoUnit::Internal(e) => f(e, Role::Definition),
        IoUnit::Memory { object, length } => {
            f(object, Role::Definition);
            f(length, Role::Value);
        }
        IoUnit::Star | IoUnit::None => {}
    }
    if let IoForm::Format(e) = &io.form {
        f(e, Role::Value);
    }
    values(io.controls.iter().map(|c| Some(&c.value)), f);
    io_items(&io.items, if io.kind == ast::IoKind::Read { Role::Definition } else { Role::Value }, f);
}

fn io_items<'s>(items: &'s [IoItem], role: Role, f: &mut dyn FnMut(&'s Expr, Role)) {
    for item in items {
        match item {
            IoItem::Expr(e) | IoItem::Target(_, e) => f(e, role),
            IoItem::Do(implied) => {
                values([Some(&implied.first), Some(&implied.last), implied.step.as_ref()], f);
                io_items(&implied.items, role, f);
            }
        }
    }
}

/// Calls `f` with each name that a list of items gives the target of a function.
pub fn io_targets(items: &[IoItem], f: &mut dyn FnMut(VarId)) {
    for item in items {
        match item {
            IoItem::Expr(_) => {}
            IoItem::Target(v, _) => f(*v),
            IoItem::Do(implied) => io_targets(&implied.items, f),
        }
    }
}

/// Calls `f` with each block nested directly in the statement, in order.
pub fn blocks<'s>(s: &'s Stmt, f: &mut dyn FnMut(&'s Block)) {
    match &s.kind {
        StmtKind::If(arms) | StmtKind::Where(arms) => arms.iter().for_each(|arm| f(&arm.1)),
        StmtKind::Select { arms, .. } => arms.iter().for_each(|arm| f(&arm.1)),
        StmtKind::SelectRank { arms, .. } => arms.iter().for_each(|arm| f(&arm.1)),
        StmtKind::Loop { body, .. } | StmtKind::Forall { body, .. } | StmtKind::Block { body, .. } => f(body),
        StmtKind::Cuf(kernel) => f(&kernel.body),
        StmtKind::Assign { .. }
        | StmtKind::PointerAssign { .. }
        | StmtKind::Call { .. }
        | StmtKind::Intrinsic { .. }
        | StmtKind::Launch { .. }
        | StmtKind::Exit(_)
        | StmtKind::Cycle(_)
        | StmtKind::Goto(_)
        | StmtKind::ComputedGoto(..)
        | StmtKind::ArithmeticIf(..)
        | StmtKind::Nothing
        | StmtKind::Return
        | StmtKind::Stop { .. }
        | StmtKind::Allocate { .. }
        | StmtKind::Deallocate { .. }
        | StmtKind::Nullify(_)
        | StmtKind::Io(_)
        | StmtKind::Unsupported(_) => {}
    }
}

/// The expressions with which bounds and lengths of a variable are declared.
pub fn declared_exprs(var: &Variable) -> Vec<&Expr> {
    let mut exprs: Vec<&Expr> = Vec::new();
    match &var.shape {
        Shape::Explicit(dims) => exprs.extend(dims.iter().flat_map(|d| [&d.lower, &d.upper])),
        Shape::AssumedSize(dims, lower) => {
            exprs.extend(dims.iter().flat_map(|d| [&d.lower, &d.upper]));
            exprs.push(lower);
        }
        Shape::AssumedShape(lower) => exprs.extend(lower),
        Shape::Scalar | Shape::Deferred(_) | Shape::AssumedRank => {}
    }
    if let Type::Character(CharLen::Expr(len)) = &var.ty {
        exprs.push(len);
    }
    exprs.extend(var.attrs.lengths.iter().filter_map(length_expr));
    exprs
}

/// Calls `f` with each expression that the execution of a body evaluates: those of its statements, and those that declare the variables
/// of its constructs, which are bounds, lengths, and what names stand for.
pub fn evaluated<'p>(program: &'p Program, body: &'p [Stmt], f: &mut dyn FnMut(&'p Expr)) {
    statements(body, &mut |s| evaluated_by(program, s, f));
}

/// The same for one statement, without the statements nested in it.
pub fn evaluated_by<'p>(program: &'p Program, s: &'p Stmt, f: &mut dyn FnMut(&'p Expr)) {
    if let StmtKind::Block { vars, .. } = &s.kind {
        vars.iter().for_each(|&v| declaration(program.var(v), f));
    }
    statement_exprs(s, &mut |e, _| f(e));
}

/// Calls `f` with the expressions of the declaration of a variable: bounds, lengths, and what a name stands for.
pub fn declaration<'p>(var: &'p Variable, f: &mut dyn FnMut(&'p Expr)) {
    declared_exprs(var).into_iter().for_each(&mut *f);
    if let Storage::Alias(of) = &var.storage {
        f(of);
    }
}

/// Calls `f` with each statement of the block and of the blocks nested in it, outermost first.
pub fn statements<'s>(block: &'s [Stmt], f: &mut dyn FnMut(&'s Stmt)) {
    for s in block {
        f(s);
        blocks(s, &mut |inner| statements(inner, f));
    }
}
