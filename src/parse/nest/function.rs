//! Statement functions.
//!
//! `f(x) = x*x` reads like an assignment to an array element. It is taken for a statement function when it stands among
//! the declarations, its arguments are names, and `f` is declared in the same scope without a shape; or when another
//! declaration follows it. An undeclared `f` may be an array of a module, so otherwise it stays an assignment, which `sema`
//! may still take for a statement function when it knows no such array.

use super::frame::{UnitFrame, UnitHead};
use ast::{ArgValue, Attr, Block, DeclKind, Declaration, Expr, ExprKind, Stmt, StmtKind};

/// Whether an assignment to `target`, among the declarations of `unit`, is a statement function.
pub(super) fn is_statement_function(unit: &UnitFrame, target: &Expr) -> bool {
    let ExprKind::Apply { base, .. } = &target.kind else { return false };
    let ExprKind::Name(name) = &base.kind else { return false };
    let plain = has_form(target);
    let is_dummy = matches!(&unit.head, UnitHead::Subprogram(head) if head.args.iter().any(|a| a.text == name.text));
    if !plain || is_dummy {
        return false;
    }
    let mut declared = false;
    for decl in &unit.decls {
        let entities = match &decl.kind {
            DeclKind::Type { attrs, entities, .. } => {
                if let Some(entity) = entities.iter().find(|e| e.name.text == name.text) {
                    if entity.shape.is_some() || attrs.iter().any(gives_shape) {
                        return false;
                    }
                    declared = true;
                }
                continue;
            }
            DeclKind::Attr { attr, entities } => {
                if gives_shape(attr) && entities.iter().any(|e| e.name.text == name.text) {
                    return false;
                }
                entities
            }
            DeclKind::Common(blocks) => {
                if blocks.iter().flat_map(|(_, entities)| entities).any(|e| e.name.text == name.text) {
                    return false;
                }
                continue;
            }
            _ => continue,
        };
        if entities.iter().any(|e| e.name.text == name.text && e.shape.is_some()) {
            return false;
        }
    }
    declared
}

/// Whether an attribute makes arrays or pointers of names that have no shape of their own.
fn gives_shape(attr: &Attr) -> bool {
    matches!(attr, Attr::Dimension(_) | Attr::Pointer(_) | Attr::Allocatable(_) | Attr::External(_))
}

/// Whether a target is a name with names in parentheses.
fn has_form(target: &Expr) -> bool {
    let ExprKind::Apply { base, args } = &target.kind else { return false };
    let is_name = |arg: &ast::Arg| {
        arg.keyword.is_none() && matches!(&arg.value, ArgValue::Expr(Expr { kind: ExprKind::Name(_), .. }))
    };
    matches!(base.kind, ExprKind::Name(_)) && args.iter().all(is_name)
}

/// The statement function that an assignment of that form is.
pub(super) fn statement_function(target: Expr, value: Expr) -> Option<DeclKind> {
    let ExprKind::Apply { base, args } = target.kind else { return None };
    let ExprKind::Name(name) = base.kind else { return None };
    let args = args.into_iter().filter_map(|arg| match arg.value {
        ArgValue::Expr(Expr { kind: ExprKind::Name(name), .. }) => Some(name),
        _ => None,
    });
    Some(DeclKind::StatementFunction { name, args: args.collect(), value })
}

/// Takes the statements of a block for statement functions, if all can be; a declaration follows them.
pub(super) fn take_back(block: &mut Block) -> Vec<Declaration> {
    let can_be = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign { target, .. } => stmt.label.is_none() && has_form(target),
        _ => false,
    };
    if !block.iter().all(can_be) {
        return Vec::new();
    }
    let take = |stmt: Stmt| match stmt.kind {
        StmtKind::Assign { target, value } => {
            statement_function(target, value).map(|kind| Declaration { kind, span: stmt.span })
        }
        _ => None,
    };
    block.drain(..).filter_map(take).collect()
}
