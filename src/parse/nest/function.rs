//! Statement functions.
//!
//! `f(x) = x*x` reads like an assignment to an array element. It is taken for a statement function when it stands among
//! the declarations, its arguments are names, and `f` is declared in the same scope without a shape (or is a dummy-free
//! scalar of `real f` alone). An undeclared `f` may be an array of a module and stays an assignment, which `sema` may
//! still take for a statement function when it knows no such array.

use super::frame::{UnitFrame, UnitHead};
use ast::{ArgValue, Attr, DeclKind, Expr, ExprKind};

/// Whether an assignment to `target`, among the declarations of `unit`, is a statement function.
pub(super) fn is_statement_function(unit: &UnitFrame, target: &Expr) -> bool {
    let ExprKind::Apply { base, args } = &target.kind else { return false };
    let ExprKind::Name(name) = &base.kind else { return false };
    let plain = args.iter().all(|arg| {
        arg.keyword.is_none() && matches!(&arg.value, ArgValue::Expr(Expr { kind: ExprKind::Name(_), .. }))
    });
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
