//! `type(*)`, the assumed type (Fortran 2018, C710).

use crate::checker::DeclaredName;
use crate::typing::Typing;
use ast::{Bound, Intent, TypeSpecKind};
use diag::Code;

impl Typing<'_> {
    /// What is of assumed type is a dummy argument that is no copy, is not allocated, and takes its shape from the caller. The
    /// embedded modules have their own ways.
    pub(super) fn check_assumed_type(&mut self, p: &DeclaredName<'_>) -> Option<()> {
        let Some(spec) = p.spec.filter(|spec| matches!(spec.kind, TypeSpecKind::TypeStar)) else { return Some(()) };
        if self.options.embedded.contains(&p.span.file) {
            return Some(());
        }
        if p.dummy.is_none() {
            let text = format!("`{}` is of `type(*)`, which is for dummy arguments", p.name);
            return self.reporter.error_help(Code::BadDummyAttribute, spec.span, text, "declare its type");
        }
        let is_given = |dim: &Bound| matches!(dim, Bound::Explicit { .. });
        let word = if p.allocatable.is_some() {
            "allocatable"
        } else if p.pointer.is_some() {
            "a pointer"
        } else if p.value.is_some() {
            "`value`"
        } else if p.intent.is_some_and(|(intent, _)| intent == Intent::Out) {
            "`intent(out)`"
        } else if p.shape.is_some_and(|shape| !shape.dims.is_empty() && shape.dims.iter().all(is_given)) {
            "an array with bounds of its own"
        } else {
            return Some(());
        };
        let text = format!("argument `{}` of `type(*)` cannot be {word}", p.name);
        self.reporter.error(Code::AttributeConflict, p.span, text)
    }
}
