//! Storage association (Fortran 2018, 8.10 and 19.5.3): COMMON blocks and EQUIVALENCE sets.
//!
//! Each COMMON block, and each group of variables that EQUIVALENCE ties together, is one hidden variable of bytes, the storage
//! sequence; the variables that are listed become places in it ([`Storage::Associated`]). The sequence of a COMMON block belongs
//! to no unit and is as long as the longest list of it. In a block each variable is put at the next multiple of its alignment,
//! as compilers do by default. The sequence of a group lives as long as its members would: for the whole run if one of them is
//! saved or of the main program, else as long as the procedure runs.
//!
//! Not here: pointers and allocatables in EQUIVALENCE (the standard forbids them), and groups that leave a variable misaligned,
//! which are refused by name.

use crate::checked::{Attrs, Const, Dim, Expr, ExprKind, Shape, Storage, Type, TypeId, VarId, Variable};
use crate::checker::{Checker, ScopeId, Sym, VarInfo};
use crate::expr::base_name;
use crate::typing::{descriptor_bytes, elements_of};
use ast::{DeclKind, Declaration, Name};
use diag::Code;
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes to which the beginning of a storage sequence is aligned: no scalar needs more.
const UNIT: u64 = 8;

/// Groups of EQUIVALENCE while they are put together: for each variable its group and its place there.
#[derive(Default)]
struct Groups {
    place: BTreeMap<VarId, (usize, i64)>,
    members: Vec<Vec<VarId>>,
}

impl Groups {
    /// The group of a variable and its place in it; a new one if it has none.
    fn of(&mut self, v: VarId) -> (usize, i64) {
        if let Some(&found) = self.place.get(&v) {
            return found;
        }
        self.members.push(vec![v]);
        let fresh = (self.members.len() - 1, 0);
        self.place.insert(v, fresh);
        fresh
    }

    /// Ties byte `x` of `a` to byte `y` of `b`; says whether that is possible.
    fn tie(&mut self, (a, x): (VarId, i64), (b, y): (VarId, i64)) -> bool {
        let ((kept, at_a), (joined, at_b)) = (self.of(a), self.of(b));
        let shift = at_a.saturating_add(x).saturating_sub(at_b.saturating_add(y));
        if kept == joined {
            return shift == 0;
        }
        for v in std::mem::take(&mut self.members[joined]) {
            if let Some(place) = self.place.get_mut(&v) {
                *place = (kept, place.1.saturating_add(shift));
            }
            self.members[kept].push(v);
        }
        true
    }
}

/// The one subscript that follows a name, and the substring behind it.
fn one_subscript(object: &ast::Expr) -> Option<(&ast::Expr, Option<&ast::ArgValue>)> {
    let ast::ExprKind::Apply { base, args } = &object.kind else { return None };
    let [ast::Arg { keyword: None, value, .. }] = &args[..] else { return None };
    match (&base.kind, value) {
        (ast::ExprKind::Name(_), ast::ArgValue::Expr(sub)) => Some((sub, None)),
        (ast::ExprKind::Apply { .. }, part @ ast::ArgValue::Range { step: None, .. }) => match one_subscript(base)? {
            (sub, None) => Some((sub, Some(part))),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// Lays out the COMMON blocks and EQUIVALENCE sets of a scope.
    pub(super) fn storage_sequences(&mut self, scope: ScopeId, decls: &'a [Declaration]) {
        let mut used: BTreeMap<Arc<str>, u64> = BTreeMap::new();
        for d in decls {
            let DeclKind::Common(blocks) = &d.kind else { continue };
            for (block, entities) in blocks {
                let label: Arc<str> = block.as_ref().map_or_else(|| "".into(), |b| b.text.clone());
                let mut at = used.get(&label).copied().unwrap_or(0);
                for e in entities {
                    if self.put_in_common(scope, &label, &e.name, &mut at).is_none() {
                        break;
                    }
                }
                used.insert(label, at);
            }
        }
        let mut groups = Groups::default();
        for d in decls {
            let DeclKind::Equivalence(sets) = &d.kind else { continue };
            for set in sets {
                self.equivalence_set(scope, set, &mut groups);
            }
        }
        for members in groups.members.clone() {
            if !members.is_empty() {
                self.lay_out_group(scope, &members, &groups);
            }
        }
    }

    /// Puts a variable at the end of what this scope has listed of a COMMON block.
    fn put_in_common(&mut self, scope: ScopeId, label: &Arc<str>, name: &'a Name, at: &mut u64) -> Option<()> {
        let Some(Sym::Var(id)) = self.own(scope, &name.text) else { return None };
        let var = self.defs.var(id).clone();
        if var.attrs.cuda.is_some() {
            // Reported where it is declared.
            return None;
        }
        if self.cx.side.on_device() {
            return self.refuse_member(scope, id, "a `common` block in device code");
        }
        let what = match var.storage {
            Storage::Dummy(_) => "a dummy argument",
            Storage::Result => "a function's result",
            Storage::Parameter => "a named constant",
            Storage::Associated { .. } => "in it already",
            _ if var.attrs.allocatable => "allocatable",
            _ if !var.attrs.pointer && var.shape.constant_bounds().is_none() => "an array whose bounds vary",
            _ => "of a length that varies",
        };
        let room = match var.storage {
            Storage::Local | Storage::Static if !var.attrs.allocatable => self.room_of(&var),
            _ => None,
        };
        let Some((bytes, align)) = room else {
            return self.reporter.error(
                Code::BadCommon,
                name.span,
                format!("`{}` is {what} and cannot be in `common`", name.as_str()),
            );
        };
        if let Some(why) = self.unfit_for_common(&var) {
            let text = format!("`{}` cannot be in `common`: {why}", name.as_str());
            return self.reporter.error(Code::BadCommon, name.span, text);
        }
        let offset = at.checked_next_multiple_of(align.clamp(1, UNIT))?;
        *at = offset.checked_add(bytes)?;
        let base = match self.made.commons.get(label) {
            Some(&base) => base,
            None => {
                let base = self.sequence(None, format!("/{label}/").into(), Storage::Static, name.span);
                self.made.commons.insert(label.clone(), base);
                base
            }
        };
        self.lengthen(base, *at);
        self.defs.var_mut(id).storage = Storage::Associated { base, offset };
        Some(())
    }

    /// What keeps an object of derived type out of COMMON (Fortran 2018, C8123): other program units must know its layout, and
    /// the block begins as it is.
    fn unfit_for_common(&mut self, var: &Variable) -> Option<&'static str> {
        let Type::Derived(id) = var.ty else { return None };
        self.resolve_type(id);
        if !self.is_sequence_type(id) {
            return Some("its type has neither `sequence` nor `bind(c)`");
        }
        self.defs.has_part(id, &|f| f.allocatable).then_some("it has an allocatable component").or_else(|| {
            let is_initialised = self.defs.has_part(id, &|f| f.init.is_some());
            is_initialised.then_some("its type initialises a component")
        })
    }

    /// What keeps a variable out of EQUIVALENCE (Fortran 2018, C8106 and C8107).
    fn unfit_for_equivalence(&mut self, var: &Variable) -> Option<&'static str> {
        if var.attrs.target {
            return Some("it is a target");
        }
        let Type::Derived(id) = var.ty else { return None };
        self.resolve_type(id);
        if !self.is_sequence_type(id) {
            return Some("its type has neither `sequence` nor `bind(c)`");
        }
        self.defs.has_part(id, &|f| f.allocatable || f.pointer).then_some("it has an allocatable or pointer component")
    }

    fn is_sequence_type(&self, id: TypeId) -> bool {
        self.defs.type_info(id).ast.is_none_or(|def| def.sequence || def.bind_c)
    }

    /// One set of names in parentheses of an EQUIVALENCE statement.
    fn equivalence_set(&mut self, scope: ScopeId, set: &'a [ast::Expr], groups: &mut Groups) {
        let mut first: Option<(VarId, i64)> = None;
        for object in set {
            let Some(place) = self.equivalence_object(scope, object) else { continue };
            groups.of(place.0);
            let Some(anchor) = first else {
                first = Some(place);
                continue;
            };
            if !groups.tie(anchor, place) {
                let text = format!("`equivalence` puts `{}` at two places", self.defs.var(place.0).name);
                self.reporter.error::<()>(Code::BadEquivalence, object.span, text);
            }
        }
    }

    /// The variable that an object of EQUIVALENCE names, and the byte of it.
    fn equivalence_object(&mut self, scope: ScopeId, object: &'a ast::Expr) -> Option<(VarId, i64)> {
        let name = base_name(object)?;
        let Some(Sym::Var(id)) = self.own(scope, &name.text) else { return None };
        let var = self.defs.var(id).clone();
        if var.attrs.cuda.is_some() {
            return None;
        }
        if self.cx.side.on_device() {
            return self.refuse_member(scope, id, "`equivalence` in device code");
        }
        let fits = matches!(var.storage, Storage::Local | Storage::Static | Storage::Associated { .. });
        if !fits || var.attrs.pointer || var.attrs.allocatable || self.room_of(&var).is_none() {
            let text = format!("`{}` cannot be in `equivalence`: it has no storage of a known size", var.name);
            return self.reporter.error(Code::BadEquivalence, name.span, text);
        }
        if let Some(why) = self.unfit_for_equivalence(&var) {
            let text = format!("`{}` cannot be in `equivalence`: {why}", var.name);
            return self.reporter.error(Code::BadEquivalence, name.span, text);
        }
        if let Some((sub, rest)) = one_subscript(object).filter(|_| var.shape.rank() > 1) {
            let help = "write as many subscripts as the array has dimensions";
            let text = format!("one subscript for the array `{}` of rank {}", var.name, var.shape.rank());
            self.typing().not_standard(Code::FormOfCompilers, object.span, text, help);
            return Some((id, self.byte_in_order(&var, sub, rest)?));
        }
        let e = self.designator(object)?;
        let at = self.byte_of(&e)?;
        Some((id, at))
    }

    /// The byte of an array of several dimensions at which the element begins that one subscript names by its place in storage,
    /// counted from the lower bound of the first dimension (classic flang, semfin.c); `part` is a substring of it.
    fn byte_in_order(&mut self, var: &Variable, sub: &'a ast::Expr, part: Option<&'a ast::ArgValue>) -> Option<i64> {
        let (lower, _) = var.shape.constant_bounds()?.first().copied()?;
        let (size, _) = self.size_of(&var.ty)?;
        let at = self.constant_integer(sub)?.checked_sub(lower)?.checked_mul(size as i64)?;
        let first = match part {
            Some(ast::ArgValue::Range { lo: Some(lo), .. }) => self.constant_integer(lo)?,
            _ => 1,
        };
        at.checked_add(first.checked_sub(1)?)
    }

    /// The byte of its variable at which a designator with constant subscripts begins.
    fn byte_of(&mut self, e: &Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Var(_) => Some(0),
            ExprKind::Element { base, subs } => {
                let ExprKind::Var(id) = base.kind else {
                    return self.reporter.error(Code::BadEquivalence, e.span, "a component cannot be in `equivalence`");
                };
                let var = self.defs.var(id).clone();
                let bounds = var.shape.constant_bounds()?;
                let (size, _) = self.size_of(&var.ty)?;
                let (mut at, mut stride) = (0i64, size as i64);
                for (sub, (lower, extent)) in subs.iter().zip(bounds) {
                    let Const::Int(v) = self.typing().evaluate(sub)? else { return None };
                    at = at.checked_add(v.checked_sub(lower)?.checked_mul(stride)?)?;
                    stride = stride.checked_mul(extent)?;
                }
                Some(at)
            }
            ExprKind::Substring { base, lo, .. } => {
                let at = self.byte_of(base)?;
                let first = match lo {
                    Some(lo) => match self.typing().evaluate(lo)? {
                        Const::Int(v) => v,
                        _ => return None,
                    },
                    None => 1,
                };
                at.checked_add(first.checked_sub(1)?)
            }
            _ => self.reporter.error(
                Code::BadEquivalence,
                e.span,
                "only variables, elements and substrings can be equivalent",
            ),
        }
    }

    /// Gives the members of a group their places: in the COMMON block that one of them is in, else in a sequence of their own.
    fn lay_out_group(&mut self, scope: ScopeId, members: &[VarId], groups: &Groups) {
        let at = |v: VarId| groups.place.get(&v).map_or(0, |p| p.1);
        let mut block: Option<(VarId, i64)> = None;
        for &v in members {
            let var = self.defs.var(v);
            let Storage::Associated { base, offset } = var.storage else { continue };
            let start = (offset as i64).saturating_sub(at(v));
            if block.is_some_and(|known| known != (base, start)) {
                let text = format!("`equivalence` ties `{}` to another place of a `common` block", var.name);
                let span = var.span;
                self.reporter.error::<()>(Code::BadEquivalence, span, text);
                return;
            }
            block = Some((base, start));
        }
        if block.is_some() {
            self.check_initialised_in_common(members);
        }
        let least = members.iter().map(|&v| at(v)).min().unwrap_or(0);
        let free: Vec<(VarId, i64, u64, u64)> = members
            .iter()
            .filter(|&&v| !matches!(self.defs.var(v).storage, Storage::Associated { .. }))
            .map(|&v| (v, at(v)))
            .collect::<Vec<_>>()
            .into_iter()
            .filter_map(|(v, place)| {
                let var = self.defs.var(v).clone();
                self.room_of(&var).map(|(bytes, align)| (v, place, bytes, align.clamp(1, UNIT)))
            })
            .collect();
        let aligned = |start: i64| {
            free.iter().all(|&(_, place, _, align)| place.saturating_add(start).rem_euclid(align as i64) == 0)
        };
        let start = match block {
            Some((_, start)) => Some(start).filter(|s| aligned(*s)),
            None => (0..UNIT as i64).map(|shift| shift - least).find(|s| aligned(*s)),
        };
        let Some(start) = start else {
            for &(v, ..) in &free {
                self.refuse_member::<()>(scope, v, "an `equivalence` that leaves a variable misaligned");
            }
            return;
        };
        if let Some(&(v, place, ..)) = free.iter().find(|m| m.1.saturating_add(start) < 0) {
            let text = format!(
                "`equivalence` puts `{}` {} bytes before the beginning of a `common` block",
                self.defs.var(v).name,
                -place.saturating_add(start)
            );
            let span = self.defs.var(v).span;
            self.reporter.error::<()>(Code::BadEquivalence, span, text);
            return;
        }
        let base = match block {
            Some((base, _)) => base,
            None => {
                let stays = members.iter().any(|&v| matches!(self.defs.var(v).storage, Storage::Static));
                let Some(&head) = members.first() else { return };
                let (name, span) = (format!("/{}/", self.defs.var(head).name).into(), self.defs.var(head).span);
                let owner = self.defs.var(head).owner.filter(|_| !stays);
                self.sequence(owner, name, if stays { Storage::Static } else { Storage::Local }, span)
            }
        };
        for (v, place, bytes, _) in free {
            let offset = place.saturating_add(start).max(0) as u64;
            self.lengthen(base, offset.saturating_add(bytes));
            self.defs.var_mut(v).storage = Storage::Associated { base, offset };
        }
    }

    /// A storage sequence, empty as yet.
    fn sequence(
        &mut self,
        owner: Option<crate::checked::ProcId>,
        name: Arc<str>,
        storage: Storage,
        span: Span,
    ) -> VarId {
        let var = Variable {
            name,
            ty: Type::Integer(UNIT as u8),
            shape: units(0, span),
            storage,
            attrs: Attrs { ignore_tkr: "".into(), ..Attrs::default() },
            init: None,
            owner,
            module: None,
            span,
        };
        self.defs.add_var(var, VarInfo::default())
    }

    /// Makes a storage sequence at least that many bytes long.
    fn lengthen(&mut self, base: VarId, bytes: u64) {
        let var = self.defs.var_mut(base);
        let known = var.shape.constant_bounds().and_then(|b| b.first().map(|d| d.1)).unwrap_or(0);
        let wanted = bytes.div_ceil(UNIT).min(i64::MAX as u64) as i64;
        if wanted > known {
            var.shape = units(wanted, var.span);
        }
    }

    /// Bytes and alignment of a whole variable; `None` when they are not known at compile time.
    pub(super) fn room_of(&mut self, var: &Variable) -> Option<(u64, u64)> {
        if var.attrs.pointer {
            return Some((descriptor_bytes(var.shape.rank(), var.attrs.class), UNIT));
        }
        let (bytes, align) = self.size_of(&var.ty)?;
        Some((bytes.checked_mul(elements_of(&var.shape)?)?, align))
    }

    /// A variable that cannot be used, because its place is not supported.
    fn refuse_member<T>(&mut self, scope: ScopeId, id: VarId, what: &str) -> Option<T> {
        let (name, span) = (self.defs.var(id).name.clone(), self.defs.var(id).span);
        self.scopes.define(scope, &name, Sym::Refused(what.into()), span);
        self.reporter.refuse(span, what)
    }
}

/// The shape of a sequence of that many units.
fn units(count: i64, span: Span) -> Shape {
    let bound = |v: i64| Expr { kind: ExprKind::Const(Const::Int(v)), ty: Type::Integer(8), rank: 0, span };
    Shape::Explicit(vec![Dim { lower: bound(1), upper: bound(count) }])
}
