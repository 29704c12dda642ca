//! Localities of DO CONCURRENT (Fortran 2018, 11.1.7.5): each variable has one, and with `default(none)` each that comes from
//! outside is listed.

use crate::checked::{ExprKind, Shape, Stmt, Storage, Type, VarId, visit};
use crate::typing::Typing;
use ast::{Intent, LoopVar, Name};
use diag::{Code, Diagnostic};

impl Typing<'_> {
    /// No name stands in two localities, and no index in one (Fortran 2018, C1125, C1126).
    pub(crate) fn check_localities(&mut self, listed: &[&Name], indices: &[LoopVar]) {
        for (i, name) in listed.iter().enumerate() {
            let (text, first) = if let Some(first) = listed[..i].iter().find(|other| other.text == name.text) {
                (format!("`{}` stands in two localities of one `do concurrent`", name.as_str()), first.span)
            } else if let Some(index) = indices.iter().find(|index| index.name.text == name.text) {
                (format!("`{}` is an index of the loop and has no other locality", name.as_str()), index.name.span)
            } else {
                continue;
            };
            let d = Diagnostic::new(Code::BadLocality, name.span, text).secondary(first, "the first one is here");
            self.reporter.report(d.help("list each variable once"));
        }
    }

    /// What each iteration has a copy of can be made and given up as often (Fortran 2018, C1128).
    pub(crate) fn check_local(&mut self, name: &Name, id: VarId) {
        let var = self.defs.var(id);
        let attrs = &var.attrs;
        let is_dummy = matches!(var.storage, Storage::Dummy(_));
        let what = if attrs.allocatable {
            "is allocatable"
        } else if attrs.optional {
            "is optional"
        } else if attrs.intent == Some(Intent::In) {
            "is `intent(in)`"
        } else if attrs.class && is_dummy && !attrs.pointer {
            "is a polymorphic dummy argument"
        } else if matches!(var.shape, Shape::AssumedSize(..) | Shape::AssumedRank) {
            "has no known size"
        } else if matches!(var.ty, Type::Derived(id) if self.defs.has_finals(id)) {
            "is of a type with a final procedure"
        } else {
            return;
        };
        let text = format!("`{}` {what}, and cannot be local to the iterations of a loop", name.as_str());
        let d = Diagnostic::new(Code::BadLocality, name.span, text);
        self.reporter.report(d.help("copy it to a variable of a `block` in the loop"));
    }

    /// With `default(none)` the statements use no variable from outside that is not listed (Fortran 2018, C1130). Variables from
    /// number `own` on belong to the construct.
    pub(crate) fn check_listed(&mut self, body: &[Stmt], listed: &[&Name], own: u32) {
        let mut missing = Vec::new();
        visit::evaluated(self.defs, body, &mut |e| {
            visit::all(e, &mut |part| {
                let ExprKind::Var(id) = part.kind else { return };
                let var = self.defs.var(id);
                let is_constant = matches!(var.storage, Storage::Parameter);
                let is_known = listed.iter().any(|name| name.text == var.name);
                if id.0 < own && !is_constant && !is_known && !missing.iter().any(|(seen, _)| *seen == id) {
                    missing.push((id, part.span));
                }
            });
        });
        for (id, span) in missing {
            let var = self.defs.var(id);
            let text = format!("`{}` has no locality, and the loop has `default(none)`", var.name);
            let d = Diagnostic::new(Code::BadLocality, span, text).secondary(var.span, "declared here");
            self.reporter.report(d.help("list it in `local`, `local_init`, `shared` or `reduce`"));
        }
    }
}
