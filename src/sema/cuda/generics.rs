//! Defined operators and assignments that mean what intrinsic ones already do (rule 33). Device dummies of a host procedure
//! make a difference: that is how programs define operations on device data.

use crate::checked::{ProcId, ProcKind, Program, Storage, Type, Variable};
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
            if !self.defs.proc_info(id).embedded && is_intrinsic_operation(self.defs, id, &name) {
                let p = self.defs.proc(id);
                let text = format!("`{}` defines `{name}` for operands that intrinsic ones are defined for", p.name);
                let d = Diagnostic::new(Code::RedefinesIntrinsicOperation, p.span, text);
                self.reporter
                    .report(d.help("use a derived type or device data, or an operator of your own such as `.add.`"));
            }
        }
    }

    /// Two specific procedures of one generic name whose arguments have the same types, kinds, ranks and attributes cannot be
    /// told apart; a host and a device version can.
    fn check_ambiguous(&mut self) {
        let mut found: Vec<(ProcId, ProcId, Arc<str>)> = Vec::new();
        for data in self.scopes.all() {
            for (name, entry) in data.names.own() {
                let Sym::Generic { procs, .. } = &entry.sym else { continue };
                if entry.module.is_some() {
                    continue;
                }
                for (i, &b) in procs.iter().enumerate() {
                    if let Some(&a) = procs[..i].iter().find(|a| is_same_signature(self.defs, **a, b)) {
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

fn is_same_signature(defs: &Definitions<'_>, a: ProcId, b: ProcId) -> bool {
    let embedded = defs.proc_info(a).embedded || defs.proc_info(b).embedded;
    let refused = defs.proc_info(a).refused.is_some() || defs.proc_info(b).refused.is_some();
    let (p, q) = (defs.proc(a), defs.proc(b));
    if a == b
        || embedded
        || refused
        || p.kind != q.kind
        || p.is_function != q.is_function
        || p.params.len() != q.params.len()
    {
        return false;
    }
    p.params.iter().zip(&q.params).all(|(x, y)| {
        let (x, y) = (defs.var(*x), defs.var(*y));
        let plain = |v: &Variable| {
            !v.attrs.optional && v.attrs.ignore_tkr.is_empty() && !matches!(v.storage, Storage::Procedure)
        };
        plain(x)
            && plain(y)
            && same_type(&x.ty, &y.ty)
            && x.shape.rank() == y.shape.rank()
            && x.attrs.cuda == y.attrs.cuda
            && (x.attrs.pointer, x.attrs.allocatable) == (y.attrs.pointer, y.attrs.allocatable)
    })
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
