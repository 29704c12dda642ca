//! Rules of COMMON, EQUIVALENCE, SAVE, IMPLICIT and block data that look at a specification part as a whole
//! (Fortran 2018, 8.4, 8.6.14, 8.7, 8.10, 14.3, 19.3.1).
//!
//! Not here: where the variables lie (`sequence`), and what keeps one variable out of a block.

use crate::checked::{Storage, Type, VarId};
use crate::checker::{Checker, ScopeId, Sym, forbids_types};
use crate::expr::base_name;
use crate::fold::{default_bytes, encoded};
use ast::{Attr, DeclKind, Declaration, Name};
use diag::{Code, Diagnostic};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes of default values that are compared, at most.
const LONGEST: usize = 1 << 20;

/// Initial values of the bytes of a storage sequence, each with the variable that has it.
type Bytes = Vec<Option<(u8, VarId)>>;

/// Adds the initial value of a variable; gives the variable that has another one there.
fn put(known: &mut Bytes, offset: u64, bytes: Vec<Option<u8>>, id: VarId) -> Option<VarId> {
    let offset = offset as usize;
    known.resize(known.len().max(offset + bytes.len()), None);
    known[offset..].iter_mut().zip(bytes).find_map(|(known, byte)| {
        let byte = byte?;
        let (other, owner) = *known.get_or_insert((byte, id));
        (other != byte).then_some(owner)
    })
}

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

    /// Two initial values of the same memory are equal (Fortran 2018, 8.4, 19.5.3.3). Those in COMMON blocks are compared later
    /// ([`Checker::check_values_in_common`]).
    pub(super) fn check_equal_values(&mut self, scope: ScopeId, decls: &'a [Declaration]) {
        let mut known: BTreeMap<VarId, Bytes> = BTreeMap::new();
        let commons = self.common_blocks();
        let mut seen: BTreeSet<VarId> = BTreeSet::new();
        for d in decls {
            let DeclKind::Equivalence(sets) = &d.kind else { continue };
            for object in sets.iter().flatten() {
                let Some(name) = base_name(object) else { continue };
                let Some(Sym::Var(id)) = self.own(scope, &name.text) else { continue };
                let var = self.defs.var(id);
                let Storage::Associated { base, offset } = var.storage else { continue };
                if !seen.insert(id) || commons.contains(&base) {
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
                if let Some(other) = put(known.entry(base).or_default(), offset, bytes, id) {
                    let (a, b) = (&self.defs.var(other).name, &self.defs.var(id).name);
                    let text = format!("`{a}` and `{b}` share memory and have different initial values");
                    let d = Diagnostic::new(Code::BadEquivalence, object.span, text);
                    self.reporter.report(d.help("give the initial value once"));
                    return;
                }
            }
        }
    }

    /// What lies in a COMMON block has the same initial value wherever a program unit gives it one (Fortran 2018, 8.4, 14.3,
    /// 19.5.3.3). All units are resolved.
    pub(crate) fn check_values_in_common(&mut self) {
        let commons = self.common_blocks();
        let mut given: BTreeMap<VarId, Vec<(u64, u64, VarId)>> = BTreeMap::new();
        for id in (0..self.defs.vars.len() as u32).map(VarId) {
            let var = self.defs.var(id);
            let Storage::Associated { base, offset } = var.storage else { continue };
            if var.init.is_none() || !commons.contains(&base) {
                continue;
            }
            let var = var.clone();
            if let Some((bytes, _)) = self.room_of(&var) {
                given.entry(base).or_default().push((offset, offset.saturating_add(bytes), id));
            }
        }
        for mut places in given.into_values() {
            places.sort_unstable();
            let mut end = 0;
            // Runs of variables that overlap; most variables are alone.
            for run in places.chunk_by(|a, b| {
                end = a.1.max(end);
                b.0 < end
            }) {
                if run.len() > 1 {
                    self.check_values_in_place(run);
                }
            }
        }
    }

    /// The same for variables with initial values of which each has a byte in common with one before it.
    fn check_values_in_place(&mut self, run: &[(u64, u64, VarId)]) {
        let Some(&(start, ..)) = run.first() else { return };
        let mut known = Bytes::new();
        for &(offset, _, id) in run {
            let var = self.defs.var(id);
            let Some(mut bytes) = var.init.as_ref().and_then(|value| encoded(&self.defs, value, &var.ty)) else {
                continue;
            };
            if matches!(var.ty, Type::Character(_)) {
                // Characters of a substring that has no value are blanks.
                bytes.iter_mut().for_each(|byte| *byte = byte.filter(|&b| b != b' '));
            }
            if let Some(other) = put(&mut known, offset - start, bytes, id) {
                let (first, second) = if other < id { (other, id) } else { (id, other) };
                let (a, b) = (self.defs.var(first), self.defs.var(second));
                let text = format!(
                    "`{}` has another initial value than `{}`, with which it shares memory of a `common` block",
                    b.name, a.name
                );
                let d = Diagnostic::new(Code::BadCommon, b.span, text).secondary(a.span, "declared here");
                self.reporter.report(d.help("give the initial value once in the program"));
                return;
            }
        }
    }

    /// The storage sequences of the COMMON blocks.
    fn common_blocks(&self) -> BTreeSet<VarId> {
        self.made.commons.values().copied().collect()
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

    /// A scope has one IMPLICIT NONE, without other IMPLICIT statements unless it names EXTERNAL only, and neither IMPLICIT nor IMPORT
    /// stands behind a declaration (Fortran 2018, 5.3.2, 8.7).
    pub(super) fn check_implicit_order(&mut self, decls: &'a [Declaration]) {
        let (mut none, mut untyped, mut typed, mut declared) = (false, false, false, false);
        for d in decls {
            let text = match &d.kind {
                DeclKind::ImplicitNone(_) if none => "`implicit none` is given twice",
                DeclKind::ImplicitNone(specs)
                    if specs.iter().enumerate().any(|(i, spec)| specs[..i].contains(spec)) =>
                {
                    "`implicit none` names the same twice"
                }
                DeclKind::ImplicitNone(specs) if typed && forbids_types(specs) => {
                    "`implicit none` stands beside another `implicit` statement"
                }
                DeclKind::Implicit(_) if untyped => "an `implicit` statement stands beside `implicit none`",
                DeclKind::ImplicitNone(_) | DeclKind::Implicit(_) if declared => {
                    "an `implicit` statement stands behind a declaration"
                }
                _ => "",
            };
            match &d.kind {
                DeclKind::ImplicitNone(specs) => {
                    none = true;
                    untyped |= forbids_types(specs);
                }
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
