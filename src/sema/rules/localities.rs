//! Localities of DO CONCURRENT (Fortran 2018, 11.1.7.5): each variable has one, and with `default(none)` each that comes from
//! outside is listed.

use crate::checked::{ExprKind, Stmt, Storage, visit};
use crate::typing::Typing;
use ast::{LoopVar, Name};
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

    /// With `default(none)` the statements use no variable from outside that is not listed (Fortran 2018, C1130). Variables from
    /// number `own` on belong to the construct.
    pub(crate) fn check_listed(&mut self, body: &[Stmt], listed: &[&Name], own: u32) {
        let mut missing = Vec::new();
        visit::statements(body, &mut |s| {
            visit::statement_exprs(s, &mut |e, _| {
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
        });
        for (id, span) in missing {
            let var = self.defs.var(id);
            let text = format!("`{}` has no locality, and the loop has `default(none)`", var.name);
            let d = Diagnostic::new(Code::BadLocality, span, text).secondary(var.span, "declared here");
            self.reporter.report(d.help("list it in `local`, `local_init`, `shared` or `reduce`"));
        }
    }
}
