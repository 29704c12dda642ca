//! Defined operators and assignments that mean what intrinsic ones already do (rule 33). Device dummies of a host procedure
//! make a difference: that is how programs define operations on device data.

use crate::checked::{ALTERNATE, ProcId, ProcKind, Procedure, Program, Shape, Storage, Type, Variable, unfit_operand};
use crate::checker::{Definitions, Sym};
use crate::typing::{Typing, is_numeric, same_type};
use diag::{Code, Diagnostic};
use std::sync::Arc;

impl Typing<'_> {
    /// Looks at all operators and assignments that the program defines.
    pub(crate) fn check_generics(&mut self) {
        let mut found: Vec<(ProcId, Arc<str>)> = Vec::new();
        for data in self.scopes.all() {
            for (name, entry) in data.names.own() {
                let is_operation = name.starts_with("operator(") || &**name == "assignment(=)";
                let Sym::Generic { procs, .. } = &entry.sym else { continue };
                if is_operation && entry.module.is_none() {
                    found.extend(procs.iter().map(|p| (*p, name.clone())));
                }
            }
        }
        self.check_ambiguous();
        for (id, name) in found {
            self.check_operands(id, &name);
            if !self.defs.proc_info(id).embedded && is_intrinsic_operation(self.defs, id, &name) {
                let p = self.defs.proc(id);
                let text = format!("`{}` defines `{name}` for operands that intrinsic ones are defined for", p.name);
                let d = Diagnostic::new(Code::RedefinesIntrinsicOperation, p.span, text);
                self.reporter
                    .report(d.help("use a derived type or device data, or an operator of your own such as `.add.`"));
            }
        }
    }

    /// An operator is defined by a function of one or two operands, an assignment by a subroutine of two arguments
    /// (Fortran 2018, 15.4.3.4.2, 15.4.3.4.3).
    fn check_operands(&mut self, id: ProcId, name: &str) {
        let (p, info) = (self.defs.proc(id), self.defs.proc_info(id));
        if info.embedded || info.is_broken || info.unknown_dummies || info.refused.is_some() {
            return;
        }
        let is_assignment = name == "assignment(=)";
        let dummies: Vec<&Variable> = p.params.iter().map(|v| self.defs.var(*v)).collect();
        let what = if dummies.iter().any(|v| &*v.name == ALTERNATE) {
            Some("has an alternate return")
        } else if dummies.iter().any(|v| v.attrs.optional) {
            Some("has an optional argument")
        } else {
            p.cannot_define(is_assignment)
        };
        let Some(what) = what else { return self.check_operand_intents(id, name) };
        let text = format!("`{}` cannot define `{name}`: it {what}", p.name);
        let help =
            if is_assignment { "write a subroutine of two arguments" } else { "write a function of the operands" };
        self.reporter.error_help::<()>(Code::BadOperation, p.span, text, help);
    }

    /// Warns of an operand that the procedure may change, and of a left side that it does not say to define
    /// (Fortran 2018, 15.4.3.4.2, 15.4.3.4.3).
    pub(crate) fn check_operand_intents(&mut self, id: ProcId, name: &str) {
        let p = self.defs.proc(id);
        let dummies: Vec<&Variable> = p.params.iter().map(|v| self.defs.var(*v)).collect();
        let Some((dummy, wanted)) = unfit_operand(&dummies, name == "assignment(=)") else { return };
        let text = format!("`{}` defines `{name}`, and its argument `{}` is not `{wanted}`", p.name, dummy.name);
        let d = Diagnostic::new(Code::OperandIntent, dummy.span, text);
        self.reporter.report(d.help(format!("declare it `{wanted}`")));
    }

    /// Reports specific procedures of one generic name that cannot be told apart; a host and a device version can.
    fn check_ambiguous(&mut self) {
        let mut found: Vec<(ProcId, ProcId, Arc<str>)> = Vec::new();
        for data in self.scopes.all() {
            for (name, entry) in data.names.own() {
                let Sym::Generic { procs, .. } = &entry.sym else { continue };
                if entry.module.is_some() {
                    continue;
                }
                // A procedure of another generic that has this one's name is reached through it, and is none of its own.
                let is_of_another = |id: ProcId| {
                    self.defs.proc(id).name == *name
                        && data.names.own().any(|(other, entry)| {
                            other != name && matches!(&entry.sym, Sym::Generic { procs, .. } if procs.contains(&id))
                        })
                };
                let procs: Vec<ProcId> = procs.iter().copied().filter(|id| !is_of_another(*id)).collect();
                for (i, &b) in procs.iter().enumerate() {
                    if let Some(&a) = procs[..i].iter().find(|a| is_ambiguous(self.defs, **a, b, name)) {
                        found.push((a, b, name.clone()));
                    }
                }
            }
        }
        for (a, b, name) in found {
            let (first, second) = (self.defs.proc(a), self.defs.proc(b));
            let text = format!("`{}` and `{}` of generic `{name}` take the same arguments", first.name, second.name);
            let d = Diagnostic::new(Code::AmbiguousGeneric, second.span, text)
                .secondary(first.span, "the other one is here");
            self.reporter.report(d);
        }
    }
}

/// Whether no reference could tell two specific procedures apart (Fortran 2018, 15.4.3.4.5). Operands and the two sides of an
/// assignment have no keywords.
pub(crate) fn is_ambiguous(defs: &Definitions<'_>, a: ProcId, b: ProcId, name: &str) -> bool {
    let unknown = |id: ProcId| {
        let info = defs.proc_info(id);
        info.embedded || info.refused.is_some() || info.is_broken || info.unknown_dummies
    };
    let (p, q) = (defs.proc(a), defs.proc(b));
    if a == b || unknown(a) || unknown(b) || p.kind != q.kind || p.is_function != q.is_function {
        return false;
    }
    let of = |p: &Procedure| p.params.iter().map(|v| defs.var(*v)).collect::<Vec<&Variable>>();
    takes_the_same(defs, &of(p), &of(q), name.starts_with("operator(") || name == "assignment(=)")
}

/// Whether some arguments fit both lists of dummies. Operands and the two sides of an assignment have no keywords.
pub(crate) fn takes_the_same(defs: &Definitions<'_>, x: &[&Variable], y: &[&Variable], is_operation: bool) -> bool {
    if is_operation {
        return x.len() == y.len() && x.iter().zip(y).all(|(v, other)| !are_distinguishable(defs, v, other));
    }
    !has_more(defs, x, y) && !has_more(defs, y, x) && !has_disambiguators(defs, x, y) && !has_disambiguators(defs, y, x)
}

/// Whether there are more arguments of some sort that must be given than the other procedure takes.
fn has_more(defs: &Definitions<'_>, x: &[&Variable], y: &[&Variable]) -> bool {
    let alike = |of: &Variable, list: &[&Variable], all: bool| {
        list.iter().filter(|v| (all || !v.attrs.optional) && !are_distinguishable(defs, of, v)).count()
    };
    x.iter().chain(y).any(|of| alike(of, x, false) > alike(of, y, true))
}

/// Whether an argument that must be given differs by its position, and the same or a later one by its keyword.
fn has_disambiguators(defs: &Definitions<'_>, x: &[&Variable], y: &[&Variable]) -> bool {
    let by_position = x
        .iter()
        .enumerate()
        .position(|(at, v)| !v.attrs.optional && y.get(at).is_none_or(|other| are_distinguishable(defs, v, other)));
    let by_keyword = x.iter().rposition(|v| {
        let same_name = y.iter().find(|other| other.name == v.name);
        !v.attrs.optional && same_name.is_none_or(|other| are_distinguishable(defs, v, other))
    });
    matches!((by_position, by_keyword), (Some(position), Some(keyword)) if position <= keyword)
}

/// Whether no argument fits both dummies. Attributes of CUDA Fortran tell them apart too.
pub(crate) fn are_distinguishable(defs: &Definitions<'_>, x: &Variable, y: &Variable) -> bool {
    if (&*x.name == ALTERNATE) != (&*y.name == ALTERNATE) {
        return true;
    }
    let is_procedure = |v: &Variable| matches!(v.storage, Storage::Procedure);
    if is_procedure(x) || is_procedure(y) {
        // What the interfaces of two procedures say is not compared.
        return is_procedure(x) != is_procedure(y) || x.name != y.name;
    }
    let is_free = |v: &Variable| !v.attrs.ignore_tkr.is_empty() || matches!(v.shape, Shape::AssumedRank);
    let takes =
        |a: &Variable, b: &Variable| same_type(&a.ty, &b.ty) || (a.attrs.class && defs.class_takes(&a.ty, &b.ty));
    is_free(x)
        || is_free(y)
        || !(takes(x, y) || takes(y, x))
        || x.shape.rank() != y.shape.rank()
        || x.attrs.cuda != y.attrs.cuda
        || is_pointer_beside_allocatable(x, y)
        || is_pointer_beside_allocatable(y, x)
}

/// Whether one is a pointer that must be one, and the other allocatable (Fortran 2018, 15.4.3.4.5): a target may be given for a
/// pointer with `intent(in)`.
fn is_pointer_beside_allocatable(x: &Variable, y: &Variable) -> bool {
    x.attrs.pointer && y.attrs.allocatable && x.attrs.intent != Some(ast::Intent::In)
}

fn is_intrinsic_operation(program: &Program, id: ProcId, name: &str) -> bool {
    let params: Vec<_> = program.proc(id).params.iter().map(|p| program.var(*p)).collect();
    let is_host = program.proc(id).kind == ProcKind::Host;
    if is_host && params.iter().any(|p| p.attrs.cuda == Some(ast::CudaAttr::Device)) {
        return false;
    }
    let ranks: Vec<u8> = params.iter().map(|p| p.shape.rank()).collect();
    let conform = ranks.windows(2).all(|w| w[0] == w[1] || w[0] == 0 || w[1] == 0);
    let types: Vec<&Type> = params.iter().map(|p| &p.ty).collect();
    let op = name.strip_prefix("operator(").and_then(|t| t.strip_suffix(')')).unwrap_or("=");
    let text = |t: &Type| matches!(t, Type::Character(_));
    let logical = |t: &Type| matches!(t, Type::Logical(_));
    conform
        && match (op, types.as_slice()) {
            ("+" | "-", [a]) => is_numeric(a),
            (".not.", [a]) => logical(a),
            ("+" | "-" | "*" | "/" | "**", [a, b]) => is_numeric(a) && is_numeric(b),
            ("==" | "/=", [a, b]) => (is_numeric(a) && is_numeric(b)) || (text(a) && text(b)),
            ("<" | "<=" | ">" | ">=", [a, b]) => {
                (is_numeric(a) && is_numeric(b) && ![a, b].iter().any(|t| matches!(t, Type::Complex(_))))
                    || (text(a) && text(b))
            }
            ("//", [a, b]) => text(a) && text(b),
            (".and." | ".or." | ".eqv." | ".neqv.", [a, b]) => logical(a) && logical(b),
            ("=", [a, b]) => (is_numeric(a) && is_numeric(b)) || (text(a) && text(b)) || (logical(a) && logical(b)),
            _ => false,
        }
}
