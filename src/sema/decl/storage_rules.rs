//! Rules of COMMON, EQUIVALENCE, SAVE, IMPLICIT and block data that look at a specification part as a whole
//! (Fortran 2018, 8.4, 8.6.14, 8.7, 8.10, 14.3, 19.3.1).
//!
//! Not here: where the variables lie (`sequence`), and what keeps one variable out of a block.

use crate::checked::{Storage, Type, VarId};
use crate::checker::{Checker, ScopeId, Sym};
use crate::expr::base_name;
use crate::fold::{default_bytes, encoded};
use ast::{Attr, DeclKind, Declaration, Name};
use diag::{Code, Diagnostic};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes of default values that are compared, at most.
const LONGEST: usize = 1 << 20;

impl<'a> Checker<'a> {
    /// Checks the specification statements of a scope whose names are resolved.
    pub(super) fn check_storage_rules(&mut self, scope: ScopeId, decls: &'a [Declaration]) {
        if self.scopes.get(scope).lost {
            return;
        }
        let mut blocks: BTreeSet<Arc<str>> = BTreeSet::new();
        for d in decls {
            let DeclKind::Common(list) = &d.kind else { continue };
            for name in list.iter().filter_map(|(name, _)| name.as_ref()) {
                if blocks.insert(name.text.clone()) {
                    self.check_block_name(scope, name);
                }
            }
        }
        for d in decls {
            if let DeclKind::Attr { attr: Attr::Save(_), entities } = &d.kind {
                for e in entities.iter().filter(|e| e.name.as_str().starts_with('/')) {
                    self.check_saved_block(scope, &e.name, &blocks);
                }
            }
        }
        for d in decls {
            if let DeclKind::Equivalence(sets) = &d.kind {
                for set in sets {
                    self.check_protected_set(scope, set);
                }
            }
        }
    }

    /// The name of a block is not that of a named constant, a procedure or an intrinsic procedure of the same scope
    /// (Fortran 2018, 19.3.1).
    fn check_block_name(&mut self, scope: ScopeId, name: &Name) {
        let Some(entry) = self.scopes.get(scope).names.get(&name.text) else { return };
        let what = match &entry.sym {
            Sym::Var(id) if matches!(self.defs.var(*id).storage, Storage::Parameter) => "a named constant",
            Sym::Proc(id) if self.defs.proc(*id).parent.is_none() && entry.module.is_none() => "a procedure",
            Sym::Intrinsic(_) => "an intrinsic procedure",
            _ => return,
        };
        let (first, text) =
            (entry.span, format!("`common` block `{0}` has the name of {what} of this scope", name.as_str()));
        let d = Diagnostic::new(Code::BadCommon, name.span, text).secondary(first, "declared here");
        self.reporter.report(d.help("give the block another name"));
    }

    /// A block that is saved is one of the same scope (Fortran 2018, 8.6.14), and no BLOCK construct saves one (C1108).
    fn check_saved_block(&mut self, scope: ScopeId, name: &Name, blocks: &BTreeSet<Arc<str>>) {
        let block = name.as_str().trim_matches('/').trim();
        let text = if self.scopes.get(scope).is_block {
            format!("a `block` construct cannot save `common` block `{block}`")
        } else if blocks.contains(block) {
            return;
        } else {
            format!("there is no `common` block `{block}` in this scope that could be saved")
        };
        self.reporter.error::<()>(Code::BadCommon, name.span, text);
    }

    /// Objects that share memory are all protected, or none is (Fortran 2018, 8.10.1).
    fn check_protected_set(&mut self, scope: ScopeId, set: &'a [ast::Expr]) {
        let mut first: Option<VarId> = None;
        for (name, object) in set.iter().filter_map(|object| Some((base_name(object)?, object))) {
            let Some(Sym::Var(id)) = self.own(scope, &name.text) else { continue };
            let Some(other) = first else {
                first = Some(id);
                continue;
            };
            let (a, b) = (self.defs.var(other), self.defs.var(id));
            if a.attrs.protected != b.attrs.protected {
                let (kept, open) = if a.attrs.protected { (a, b) } else { (b, a) };
                let text =
                    format!("`{}` is `protected` and shares its memory with `{}`, which is not", kept.name, open.name);
                let d = Diagnostic::new(Code::BadEquivalence, object.span, text);
                self.reporter.report(d.help("make all of them `protected`, or none"));
                return;
            }
        }
    }

    /// Two initial values of the same memory are equal (Fortran 2018, 8.4, 19.5.3.3).
    pub(super) fn check_equal_values(&mut self, scope: ScopeId, decls: &'a [Declaration]) {
        let mut known: BTreeMap<(VarId, u64), (u8, VarId)> = BTreeMap::new();
        let mut seen: BTreeSet<VarId> = BTreeSet::new();
        for d in decls {
            let DeclKind::Equivalence(sets) = &d.kind else { continue };
            for object in sets.iter().flatten() {
                let Some(name) = base_name(object) else { continue };
                let Some(Sym::Var(id)) = self.own(scope, &name.text) else { continue };
                let var = self.defs.var(id);
                let Storage::Associated { base, offset } = var.storage else { continue };
                if !seen.insert(id) {
                    continue;
                }
                let bytes = match (&var.init, &var.ty) {
                    (Some(value), ty) => encoded(&self.defs, value, ty),
                    (None, Type::Derived(of)) => {
                        let extents = var.shape.constant_bounds().unwrap_or_default();
                        let count: usize = extents.iter().map(|d| d.1.max(0) as usize).product();
                        let one =
                            default_bytes(&self.defs, *of).filter(|one| one.len().saturating_mul(count) <= LONGEST);
                        one.map(|one| one.repeat(count))
                    }
                    _ => None,
                };
                let Some(bytes) = bytes else { continue };
                for (i, byte) in bytes.into_iter().enumerate() {
                    let Some(byte) = byte else { continue };
                    let (other, owner) = *known.entry((base, offset + i as u64)).or_insert((byte, id));
                    if other != byte {
                        let (a, b) = (&self.defs.var(owner).name, &self.defs.var(id).name);
                        let text = format!("`{a}` and `{b}` share memory and have different initial values");
                        let d = Diagnostic::new(Code::BadEquivalence, object.span, text);
                        self.reporter.report(d.help("give the initial value once"));
                        return;
                    }
                }
            }
        }
    }

    /// A type whose components have initial values is not brought into a COMMON block by EQUIVALENCE (Fortran 2018, 8.10.2).
    pub(super) fn check_initialised_in_common(&mut self, members: &[VarId]) {
        for &v in members {
            let Type::Derived(id) = self.defs.var(v).ty else { continue };
            if self.defs.has_part(id, &|f| f.init.is_some()) {
                let var = self.defs.var(v);
                let text = format!(
                    "`{}` comes into a `common` block by `equivalence`, and its type initialises a component",
                    var.name
                );
                let span = var.span;
                self.reporter.error::<()>(Code::BadEquivalence, span, text);
            }
        }
    }

    /// A scope has one IMPLICIT NONE, without other IMPLICIT statements, and neither IMPLICIT nor IMPORT stands behind a
    /// declaration (Fortran 2018, 5.3.2, 8.7).
    pub(super) fn check_implicit_order(&mut self, decls: &'a [Declaration]) {
        let (mut none, mut typed, mut declared) = (false, false, false);
        for d in decls {
            let text = match &d.kind {
                DeclKind::ImplicitNone if none => "`implicit none` is given twice",
                DeclKind::ImplicitNone if typed => "`implicit none` stands beside another `implicit` statement",
                DeclKind::Implicit(_) if none => "an `implicit` statement stands beside `implicit none`",
                DeclKind::ImplicitNone | DeclKind::Implicit(_) if declared => {
                    "an `implicit` statement stands behind a declaration"
                }
                _ => "",
            };
            match &d.kind {
                DeclKind::ImplicitNone => none = true,
                DeclKind::Implicit(_) => typed = true,
                DeclKind::Type { .. } | DeclKind::Derived(_) | DeclKind::Common(_) | DeclKind::Equivalence(_) => {
                    declared = true;
                }
                _ => {}
            }
            if declared && matches!(d.kind, DeclKind::Import(_)) {
                // Fortran 2018, table 5.1.
                let (text, help) = ("`import` stands behind a declaration", "move it to the front, behind `use`");
                self.reporter.error_help::<()>(Code::StatementOutOfPlace, d.span, text, help);
            }
            if !text.is_empty() {
                let help = "write one `implicit none`, in front of all declarations";
                self.reporter.error_help::<()>(Code::BadImplicit, d.span, text, help);
            }
        }
    }

    /// Block data has the declarations of data only, and gives values to what is in COMMON (Fortran 2018, C1415, 14.3).
    pub(crate) fn check_block_data(&mut self, scope: ScopeId, decls: &'a [Declaration]) {
        for d in decls {
            let what = match &d.kind {
                DeclKind::Namelist(_) => "a `namelist` statement",
                DeclKind::Interface(_) => "an interface block",
                DeclKind::Procedure { .. } => "a `procedure` statement",
                DeclKind::StatementFunction { .. } => "a statement function",
                DeclKind::Enum(_) => "an enumeration",
                _ => continue,
            };
            let text = format!("block data cannot have {what}");
            self.reporter.error::<()>(Code::StatementOutOfPlace, d.span, text);
        }
        for p in self.scopes.get(scope).declared.clone() {
            let Some(Sym::Var(id)) = self.own(scope, &p.name) else { continue };
            let var = self.defs.var(id);
            let is_in_common = matches!(var.storage, Storage::Associated { base, .. }
                if self.made.commons.values().any(|&block| block == base));
            let is_given = p.data || !p.init_is_none();
            if is_given && !is_in_common && !matches!(var.storage, Storage::Parameter) {
                let text = format!("`{}` gets its value from block data and is in no `common` block", p.name);
                self.reporter.error_help::<()>(Code::BadCommon, p.span, text, "put it into a named `common` block");
            }
        }
    }
}
