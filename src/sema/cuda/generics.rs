//! Defined operators and assignments that mean what intrinsic ones already do (rule 33). Device dummies of a host procedure
//! make a difference: that is how programs define operations on device data.

use crate::checked::{ProcId, ProcKind, Type};
use crate::checker::Checker;
use crate::decl::is_numeric;
use crate::scope::{ScopeId, Sym};
use diag::{Code, Diagnostic};
use std::sync::Arc;

impl Checker<'_> {
    /// Looks at all operators and assignments that the program defines.
    pub(crate) fn check_generics(&mut self) {
        let mut found: Vec<(ProcId, Arc<str>)> = Vec::new();
        for at in 0..self.scopes.len() {
            let data = &self.scopes[ScopeId(at as u32).0 as usize];
            for (name, entry) in &data.names {
                let is_operation = name.starts_with("operator(") || &**name == "assignment(=)";
                let Sym::Generic { procs, .. } = &entry.sym else { continue };
                if is_operation && entry.module.is_none() {
                    found.extend(procs.iter().map(|p| (*p, name.clone())));
                }
            }
        }
        for (id, name) in found {
            if !self.procs[id.0 as usize].embedded && self.is_intrinsic_operation(id, &name) {
                let p = self.out.proc(id);
                let text = format!("`{}` defines `{name}` for operands that intrinsic ones are defined for", p.name);
                let d = Diagnostic::new(Code::RedefinesIntrinsicOperation, p.span, text);
                self.report(d.help("use a derived type or device data, or an operator of your own such as `.add.`"));
            }
        }
    }

    fn is_intrinsic_operation(&self, id: ProcId, name: &str) -> bool {
        let params: Vec<_> = self.out.proc(id).params.iter().map(|p| self.out.var(*p)).collect();
        let is_host = self.out.proc(id).kind == ProcKind::Host;
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
}
