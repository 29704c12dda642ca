//! Units and subprograms as text.

use super::decl::{bind, names};
use super::expr::{expr, type_spec};
use super::{Writer, joined};
use crate::{Declaration, Expr, Prefix, ProcedureAttr, Subprogram, SubprogramKind, Unit, UnitKind, UseStmt};

impl Writer {
    /// A program unit.
    pub(super) fn unit(&mut self, unit: &Unit) {
        match &unit.kind {
            UnitKind::Main(body) | UnitKind::External(body) => self.subprogram(body),
            UnitKind::Module { name, ancestor, parent, uses, decls, procedures } => {
                let (word, head) = match ancestor {
                    None => ("module", "module ".to_owned()),
                    Some(ancestor) => {
                        let parent = parent.as_ref().map_or_else(String::new, |p| format!(":{}", p.text));
                        ("submodule", format!("submodule ({}{parent}) ", ancestor.text))
                    }
                };
                self.line(format!("{head}{}", name.text));
                self.specification(uses, decls);
                self.contained(procedures);
                self.line(format!("end {word} {}", name.text));
            }
            UnitKind::BlockData { name, uses, decls } => {
                let name = name.as_ref().map_or_else(String::new, |n| format!(" {}", n.text));
                self.line(format!("block data{name}"));
                self.specification(uses, decls);
                self.line(format!("end block data{name}"));
            }
        }
    }

    /// The specification part of a scope.
    pub(super) fn specification(&mut self, uses: &[UseStmt], decls: &[Declaration]) {
        self.indented(|w| {
            for stmt in uses {
                w.use_stmt(stmt);
            }
            for decl in decls {
                w.declaration(decl);
            }
        });
    }

    fn contained(&mut self, procedures: &[Subprogram]) {
        if !procedures.is_empty() {
            self.line("contains");
            self.indented(|w| {
                for procedure in procedures {
                    w.subprogram(procedure);
                }
            });
        }
    }

    /// A subprogram, main program or interface body.
    pub(super) fn subprogram(&mut self, unit: &Subprogram) {
        let name = &unit.name.text;
        let word = match unit.kind {
            SubprogramKind::Main => "program",
            SubprogramKind::Subroutine => "subroutine",
            SubprogramKind::Function => "function",
            SubprogramKind::ModuleProcedure => "module procedure",
        };
        let prefixes = joined(&unit.prefixes, "", |p| prefix(p) + " ");
        let args = match unit.kind {
            SubprogramKind::Main | SubprogramKind::ModuleProcedure => String::new(),
            _ => format!("({})", names(&unit.args)),
        };
        let result = unit.result.as_ref().map_or_else(String::new, |r| format!(" result({})", r.text));
        let bound = unit.bind.as_ref().map_or_else(String::new, |b| format!(" {}", bind(b.as_ref())));
        self.line(format!("{prefixes}{word} {name}{args}{result}{bound}"));
        self.specification(&unit.uses, &unit.decls);
        self.block(&unit.body);
        self.contained(&unit.internal);
        let end = word.strip_prefix("module ").unwrap_or(word);
        self.line(format!("end {end} {name}"));
    }
}

/// A prefix of a subprogram statement.
pub(crate) fn prefix(prefix: &Prefix) -> String {
    match prefix {
        Prefix::Type(spec) => type_spec(spec),
        Prefix::Attributes(attrs, _) => {
            format!("attributes({})", joined(attrs, ", ", |(a, _)| procedure_attr(*a).to_owned()))
        }
        Prefix::LaunchBounds(bounds, _) => format!("launch_bounds({})", exprs(bounds)),
        Prefix::ClusterDims(dims, _) => format!("cluster_dims({})", exprs(dims)),
        Prefix::Elemental(_) => "elemental".into(),
        Prefix::Impure(_) => "impure".into(),
        Prefix::Module(_) => "module".into(),
        Prefix::NonRecursive(_) => "non_recursive".into(),
        Prefix::Pure(_) => "pure".into(),
        Prefix::Recursive(_) => "recursive".into(),
    }
}

fn procedure_attr(attr: ProcedureAttr) -> &'static str {
    match attr {
        ProcedureAttr::Host => "host",
        ProcedureAttr::Global => "global",
        ProcedureAttr::GridGlobal => "grid_global",
        ProcedureAttr::Device => "device",
    }
}

fn exprs(list: &[Expr]) -> String {
    joined(list, ", ", expr)
}
