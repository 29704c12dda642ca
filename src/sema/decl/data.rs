//! The end of a specification part: every declaration is resolved, then NAMELIST, COMMON and DATA statements.

use super::initial::is_null;
use crate::checked::{CharLen, Const, Expr, ExprKind, GroupObject, Shape, Storage, Sub, Type, VarId, root};
use crate::checker::{Checker, DeclaredName, InitialTarget, ScopeId, Sym, TargetValue};
use crate::expr::base_name;
use crate::typing::{Typing, is_pointer, shape_of};
use ast::{DeclKind, Declaration, Name};
use diag::{Code, Diagnostic};
use source::Span;

impl<'a> Checker<'a> {
    /// Resolves all names of a scope.
    pub(crate) fn resolve_scope(&mut self, scope: ScopeId) {
        let mut at = 0;
        while at < self.scopes.get(scope).declared.len() {
            let name = self.scopes.get(scope).declared[at].name.clone();
            self.own(scope, &name);
            at += 1;
        }
        for id in self.defs.type_ids() {
            if self.defs.type_info(id).scope == scope {
                self.resolve_type(id);
            }
        }
    }

    /// Takes in what can only be read once every name of the scope is resolved: NAMELIST, COMMON and DATA.
    pub(crate) fn late_declarations(&mut self, scope: ScopeId, decls: &'a [Declaration]) {
        // Where variables lie comes first: DATA asks for it.
        self.storage_sequences(scope, decls);
        for d in decls {
            self.late_declaration(scope, d);
        }
        self.check_storage_rules(scope, decls);
        self.check_equal_values(scope, decls);
    }

    pub(crate) fn late_declaration(&mut self, scope: ScopeId, d: &'a Declaration) {
        match &d.kind {
            DeclKind::Namelist(groups) => {
                for (group, names) in groups {
                    self.namelist(scope, group, names);
                }
            }
            _ => {
                for (objects, values) in d.kind.data_sets() {
                    self.data_set(objects, values, d.span);
                }
            }
        }
    }

    fn namelist(&mut self, scope: ScopeId, group: &Name, names: &[Name]) {
        let mut vars = Vec::new();
        let data = self.scopes.get(scope);
        let is_private = data.access.get(&group.text).copied().unwrap_or(data.private_default);
        for name in names {
            let found = self.variable_of(name);
            if let Some(id) = found {
                self.typing().check_declared_before(id, name);
            }
            match found {
                Some(id) if self.typing().check_group_object(id, name, is_private).is_none() => return,
                Some(var) => vars.push(GroupObject { name: name.text.clone(), var }),
                None => return,
            }
        }
        match self.scopes.get(scope).names.get(&group.text).map(|e| e.sym.clone()) {
            Some(Sym::Namelist(_, mut old)) => {
                old.extend(vars);
                self.scopes.define(scope, &group.text, Sym::Namelist(group.text.clone(), old), group.span);
            }
            None => self.scopes.define(scope, &group.text, Sym::Namelist(group.text.clone(), vars), group.span),
            Some(_) => {
                let text = format!("`{}` is a namelist group and something else", group.as_str());
                self.reporter.error::<()>(Code::BadNamelist, group.span, text);
            }
        }
    }

    /// The variable of a name, an implicitly typed one included.
    pub(crate) fn variable_of(&mut self, name: &Name) -> Option<VarId> {
        let e = self.name_expr(name)?;
        match e.kind {
            ExprKind::Var(id) => Some(id),
            _ => {
                let text = format!("`{}` is not a variable", name.as_str());
                self.reporter.error(Code::WrongKindOfName, name.span, text)
            }
        }
    }

    /// One `objects / values /` of a DATA statement.
    fn data_set(&mut self, objects: &'a [ast::Expr], values: &'a [(Option<ast::Expr>, ast::Expr)], span: Span) {
        let Some(mut values) = self.data_values(values) else { return };
        for object in objects {
            if self.data_object(object, false, &mut values).is_none() {
                return;
            }
        }
        if values.next().is_some() {
            self.reporter.error::<()>(Code::BadInitialisation, span, "`data` has more values than variables");
        }
    }

    /// The values of a list, with their repeat counts.
    fn data_values(&mut self, values: &'a [(Option<ast::Expr>, ast::Expr)]) -> Option<DataValues<'a>> {
        let mut list: Vec<(&'a ast::Expr, i64)> = Vec::new();
        for (repeat, value) in values {
            let count = match repeat {
                Some(e) => self.constant_integer(e)?,
                None => 1,
            };
            if count > 0 {
                list.push((value, count));
            }
        }
        Some(DataValues { list, at: 0, used: 0 })
    }

    /// The initial value of a component, `/ values /` behind it.
    pub(super) fn data_of_component(
        &mut self,
        values: &'a [(Option<ast::Expr>, ast::Expr)],
        ty: &Type,
        shape: &Shape,
        span: Span,
    ) -> Option<Const> {
        let mut values = self.data_values(values)?;
        let value = match shape.constant_bounds() {
            Some(bounds) if !bounds.is_empty() => {
                let count: i64 = bounds.iter().map(|b| b.1.max(0)).product();
                let items = (0..count.min(1 << 22)).map(|_| self.data_value(&mut values, ty, None, span));
                Const::Array { bounds: bounds.clone(), items: items.collect::<Option<_>>()? }
            }
            _ => self.data_value(&mut values, ty, None, span)?,
        };
        if values.next().is_some() {
            return self.reporter.error(Code::BadInitialisation, span, "there are more values than elements");
        }
        Some(value)
    }

    fn data_object(&mut self, object: &'a ast::Expr, in_loop: bool, values: &mut DataValues<'a>) -> Option<()> {
        if let ast::ExprKind::Array { items, .. } = &object.kind {
            return self.data_items_values(items, values);
        }
        let name = base_name(object)?;
        let target = self.designator(object)?;
        if in_loop && matches!(target.kind, ExprKind::ComplexPart { .. }) {
            // Fortran 2018, R841.
            let text = "an implied do of `data` has array elements and components, not parts of complex variables";
            return self.reporter.error(Code::BadInitialisation, object.span, text);
        }
        if let ExprKind::Var(id) = target.kind {
            self.typing().check_declared_before(id, name);
        }
        self.typing().check_hidden(name);
        if is_pointer(&self.defs, &target) && target.rank == shape_of(&self.defs, &target).map_or(0, Shape::rank) {
            return self.data_pointer(target, values);
        }
        let is_made = |ty| self.defs.ty(ty).is_made && !self.has_lengths(ty);
        if root(&target).is_some_and(|id| matches!(self.defs.var(id).ty, Type::Derived(ty) if is_made(ty))) {
            return self.refuse_data(object, "`data` for a type with initial targets");
        }
        if let Some(what) = self.elsewhere(&target) {
            // Fortran 2018, C876 and 8.6.7.
            let text = format!("`data` cannot give values to a part of {what}: it has no memory yet");
            return self.reporter.error(Code::BadInitialisation, object.span, text);
        }
        if let (ExprKind::Var(_), Type::Derived(ty)) = (&target.kind, &target.ty)
            && self.defs.has_first_value(*ty)
        {
            // Fortran 2018, 8.6.7.
            let text = format!("`{}` has its first value from its type and cannot get one by `data`", name.as_str());
            let help = "give the components their values in the type, or in an assignment";
            return self.reporter.error_help(Code::BadInitialisation, object.span, text, help);
        }
        let Some(id) = root(&target) else {
            let text = format!("`{}` cannot be initialised by `data`", name.as_str());
            return self.reporter.error(Code::BadInitialisation, object.span, text);
        };
        if matches!(self.defs.var(id).ty, Type::Derived(ty) if self.has_lengths(ty)) {
            let made = self.take_data_object(id, name.as_str(), object.span)?;
            let scalar = (target.rank == 0).then_some(&target);
            return self.data_of_object(made, &target, &mut |c, ty| c.data_value(values, ty, scalar, object.span));
        }
        // Without its value: a large array that is given bit by bit must not be copied for each.
        let init = self.defs.var_mut(id).init.take();
        let var = self.defs.var(id).clone();
        // In device code each thread sets it anew at each call.
        let is_of_thread =
            self.cx.side.on_device() && matches!(var.storage, Storage::Local) && var.attrs.cuda.is_none();
        let may_be = is_of_thread || matches!(var.storage, Storage::Static | Storage::Associated { .. });
        if !may_be || var.attrs.allocatable {
            let text = format!("`{}` cannot be initialised by `data`", name.as_str());
            return self.reporter.error(Code::BadInitialisation, object.span, text);
        }
        if var.shape.constant_bounds().is_none() {
            let text = format!("`{}` cannot be initialised by `data`: its shape is not constant", name.as_str());
            return self.reporter.error(Code::BadInitialisation, object.span, text);
        }
        if init.is_none()
            && matches!(target.kind, ExprKind::Var(_))
            && let Some(count) = super::initial::large_count(&var.shape)
            && values.gives_one_value(count)
        {
            let value = self.data_value(values, &var.ty, None, object.span)?;
            values.pass(count - 1);
            self.defs.var_mut(id).init = Some(value);
            return Some(());
        }
        let Some(mut whole) = init.or_else(|| self.blank(&var)) else {
            let what = format!("an initial value of `{}`, which is that large,", name.as_str());
            return self.refuse_data(object, what);
        };
        let scalar = (target.rank == 0).then_some(&target);
        let done = self.data_parts(&target, &mut whole, &mut |c, slot, ty| {
            let value = c.data_value(values, ty, scalar, object.span)?;
            *slot = value;
            Some(())
        });
        self.defs.var_mut(id).init = Some(whole);
        done
    }

    /// Refuses an object of DATA: its variable cannot be used, since it would not have the value.
    fn refuse_data(&mut self, object: &'a ast::Expr, what: impl Into<String>) -> Option<()> {
        let (name, what, scope) = (base_name(object)?, what.into(), self.cx.scope);
        self.scopes.define(scope, &name.text, Sym::Refused(what.as_str().into()), name.span);
        self.reporter.refuse(object.span, what)
    }

    /// What part of a designator has its memory elsewhere.
    fn elsewhere(&self, target: &Expr) -> Option<String> {
        match &target.kind {
            ExprKind::Field { base, field } => {
                let Type::Derived(ty) = base.ty else { return None };
                let part = self.defs.ty(ty).fields.get(*field as usize)?;
                let word = if part.allocatable { "allocatable" } else { "pointer" };
                let is_elsewhere = part.is_allocatable() || part.pointer;
                is_elsewhere.then(|| format!("{word} component `{}`", part.name)).or_else(|| self.elsewhere(base))
            }
            ExprKind::Element { base, .. }
            | ExprKind::Section { base, .. }
            | ExprKind::Substring { base, .. }
            | ExprKind::ComplexPart { base, .. } => self.elsewhere(base),
            _ => None,
        }
    }

    /// The first state of a variable that DATA initialises in parts: zeros; what another member of its storage sequence may
    /// give is left open.
    fn blank(&mut self, var: &crate::checked::Variable) -> Option<Const> {
        let is_shared = matches!(var.storage, Storage::Associated { .. });
        let element = if is_shared && !matches!(var.ty, Type::Derived(_)) { Const::Null } else { self.zero(&var.ty) };
        match var.shape.constant_bounds() {
            Some(bounds) if !bounds.is_empty() => super::initial::filled(element, bounds),
            _ => Some(element),
        }
    }

    /// `null()` or the target of a pointer, which is a variable or a component.
    fn data_pointer(&mut self, pointer: Expr, values: &mut DataValues<'a>) -> Option<()> {
        let Some(e) = values.next() else {
            let text = "`data` has fewer values than variables";
            return self.reporter.error(Code::BadInitialisation, pointer.span, text);
        };
        if let ExprKind::Var(id) = pointer.kind {
            self.defs.var_mut(id).init = Some(Const::Null);
        }
        if !is_null(e) {
            let scope = self.cx.scope;
            self.made.initial_targets.push(InitialTarget { pointer, value: TargetValue::Written(e.clone()), scope });
        }
        Some(())
    }

    fn data_items_values(&mut self, items: &'a [ast::ArrayItem], values: &mut DataValues<'a>) -> Option<()> {
        for item in items {
            match item {
                ast::ArrayItem::Expr(e) => self.data_object(e, true, values)?,
                ast::ArrayItem::Do(d) => self.data_loop(d, values)?,
                ast::ArrayItem::Range(r) => {
                    return self.reporter.error(Code::SyntaxError, r.span, "a range is no object of `data`");
                }
            }
        }
        Some(())
    }

    /// An implied DO: its variable is a named constant that changes from iteration to iteration.
    fn data_loop(&mut self, d: &'a ast::ImpliedDo<ast::ArrayItem>, values: &mut DataValues<'a>) -> Option<()> {
        let (first, last) = (self.constant_integer(&d.first)?, self.constant_integer(&d.last)?);
        let step = match &d.step {
            Some(e) => self.constant_integer(e)?,
            None => 1,
        };
        if step == 0 {
            return self.reporter.error(Code::ZeroStride, d.span, "implied do loop with a step of zero");
        }
        if last.abs_diff(first) / step.unsigned_abs() > 1 << 24 {
            return self.reporter.error(Code::ConstantTooLarge, d.span, "implied do loop is too long for `data`");
        }
        let outer = self.enter_block();
        let var = self.construct_variable(&d.var.text, Type::Integer(8), Shape::Scalar, Storage::Parameter, d.var.span);
        let mut at = first;
        let mut done = Some(());
        while done.is_some() && ((step > 0 && at <= last) || (step < 0 && at >= last)) {
            self.defs.var_mut(var).init = Some(Const::Int(at));
            done = self.data_items_values(&d.items, values);
            at = at.saturating_add(step);
        }
        self.cx.scope = outer;
        self.defs.remove_from_owner(var);
        done
    }

    fn data_value(
        &mut self,
        values: &mut DataValues<'a>,
        ty: &Type,
        object: Option<&Expr>,
        span: Span,
    ) -> Option<Const> {
        let Some(e) = values.next() else {
            return self.reporter.error(Code::BadInitialisation, span, "`data` has fewer values than variables");
        };
        if let ast::ExprKind::Boz { radix, digits } = &e.kind {
            let value = self.typing().boz_literal(*radix, digits, Some(ty), e.span)?;
            let value = self.typing().convert(value, ty)?;
            return self.typing().evaluate(&value);
        }
        self.constant_of_object(e, ty, object, self.cx.scope).map(|(c, ..)| c)
    }
}

/// The values of a DATA statement, with their repeat counts.
struct DataValues<'a> {
    list: Vec<(&'a ast::Expr, i64)>,
    at: usize,
    used: i64,
}

impl<'a> DataValues<'a> {
    /// Whether the next values, so many, are one that is repeated.
    fn gives_one_value(&self, count: i64) -> bool {
        self.list.get(self.at).is_some_and(|&(_, repeat)| repeat - self.used >= count)
    }

    /// Passes by repetitions of the present value.
    fn pass(&mut self, count: i64) {
        self.used += count;
        if self.list.get(self.at).is_some_and(|&(_, repeat)| self.used >= repeat) {
            self.at += 1;
            self.used = 0;
        }
    }

    fn next(&mut self) -> Option<&'a ast::Expr> {
        let &(e, _) = self.list.get(self.at)?;
        self.pass(1);
        Some(e)
    }
}

impl Checker<'_> {
    /// Calls `f` for each scalar part of a variable's value that a designator names, in order, with its type.
    pub(super) fn data_parts(
        &mut self,
        target: &Expr,
        whole: &mut Const,
        f: &mut dyn FnMut(&mut Self, &mut Const, &Type) -> Option<()>,
    ) -> Option<()> {
        match &target.kind {
            ExprKind::Var(_) => self.data_scalars(whole, &target.ty, f),
            ExprKind::Field { base, field } => {
                let (at, ty) = (*field as usize, target.ty.clone());
                self.data_parts(base, whole, &mut |c, object, _| match object {
                    Const::Derived(values) => match values.get_mut(at) {
                        Some(value) => c.data_scalars(value, &ty, f),
                        None => None,
                    },
                    _ => None,
                })
            }
            ExprKind::Element { base, .. } | ExprKind::Section { base, .. } => {
                let ty = target.ty.clone();
                self.data_arrays(base, whole, &mut |c, array| {
                    let Const::Array { bounds, items } = array else { return None };
                    for position in c.typing().positions(target, bounds)? {
                        c.data_scalars(items.get_mut(position)?, &ty, f)?;
                    }
                    Some(())
                })
            }
            ExprKind::Substring { base, lo, hi } => {
                let mut bound = |e: &Option<Box<Expr>>| match e {
                    Some(e) => self.typing().evaluate(e).map(|c| if let Const::Int(v) = c { Some(v) } else { None }),
                    None => Some(None),
                };
                let (lo, hi) = (bound(lo)?, bound(hi)?);
                self.data_parts(base, whole, &mut |c, slot, ty| {
                    // What is left open so far.
                    let mut bytes = match slot {
                        Const::Char(text) => text.to_vec(),
                        Const::Null if let Const::Char(text) = c.zero(ty) => text.to_vec(),
                        _ => return None,
                    };
                    let (from, to) = (lo.unwrap_or(1), hi.unwrap_or(bytes.len() as i64));
                    if from <= to && (from < 1 || to > bytes.len() as i64) {
                        // Fortran 2018, 9.4.1.
                        let text = format!("substring {from}:{to} is outside of the {} characters", bytes.len());
                        return c.reporter.error(Code::BadInitialisation, target.span, text);
                    }
                    let first = lo.unwrap_or(1).max(1) as usize - 1;
                    let last = hi.map_or(bytes.len(), |v| v.max(0) as usize).min(bytes.len());
                    let len = last.saturating_sub(first);
                    let mut part = Const::Char(vec![b' '; len].into());
                    f(c, &mut part, &Type::Character(CharLen::Const(len as i64)))?;
                    if let Const::Char(given) = part {
                        for (to, from) in bytes.iter_mut().skip(first).zip(given.iter()) {
                            *to = *from;
                        }
                    }
                    *slot = Const::Char(bytes.into());
                    Some(())
                })
            }
            ExprKind::ComplexPart { base, imaginary } => {
                let (ty, imaginary) = (target.ty.clone(), *imaginary);
                self.data_parts(base, whole, &mut |c, slot, complex| {
                    if matches!(slot, Const::Null) {
                        *slot = c.zero(complex);
                    }
                    let mut part = c.zero(&ty);
                    f(c, &mut part, &ty)?;
                    match (slot, part) {
                        (Const::Complex4(re, im), Const::Real4(given)) => *(if imaginary { im } else { re }) = given,
                        (Const::Complex8(re, im), Const::Real8(given)) => *(if imaginary { im } else { re }) = given,
                        _ => return None,
                    }
                    Some(())
                })
            }
            _ => None,
        }
    }

    /// Calls `f` for each array that a designator of a whole array names: one, or one in each object of an array of objects.
    fn data_arrays(
        &mut self,
        base: &Expr,
        whole: &mut Const,
        f: &mut dyn FnMut(&mut Self, &mut Const) -> Option<()>,
    ) -> Option<()> {
        match &base.kind {
            ExprKind::Field { base, field } => {
                let at = *field as usize;
                self.data_parts(base, whole, &mut |c, object, _| match object {
                    Const::Derived(values) => match values.get_mut(at) {
                        Some(value) => f(c, value),
                        None => None,
                    },
                    _ => None,
                })
            }
            _ => f(self, whole),
        }
    }

    /// Calls `f` for a scalar, or for each element of an array.
    fn data_scalars(
        &mut self,
        value: &mut Const,
        ty: &Type,
        f: &mut dyn FnMut(&mut Self, &mut Const, &Type) -> Option<()>,
    ) -> Option<()> {
        match value {
            Const::Array { items, .. } => items.iter_mut().try_for_each(|item| f(self, item, ty)),
            scalar => f(self, scalar, ty),
        }
    }
}

impl Typing<'_> {
    /// Warns of a variable that nothing but DATA declares here and that hides one of the host: a name that DATA initialises is
    /// local (Fortran 2018, 19.5.1.4; C876 forbids variables of the host).
    fn check_hidden(&mut self, name: &Name) {
        let data = self.scopes.get(self.cx.scope);
        let own = data.declared.iter().find(|p| p.name == name.text);
        let is_declared = |p: &DeclaredName<'_>| {
            p.spec.is_some() || p.shape.is_some() || p.common.is_some() || p.equivalence.is_some()
        };
        if own.is_none_or(is_declared) {
            return;
        }
        let around = std::iter::successors(data.parent, |&at| self.scopes.get(at).parent);
        let of_host = around.into_iter().find_map(|at| self.scopes.get(at).names.get(&name.text));
        let Some(entry) = of_host.filter(|entry| matches!(entry.sym, Sym::Var(_) | Sym::Unresolved(_))) else { return };
        let text = format!("`{}` is another variable than that of the host: `data` makes one here", name.as_str());
        let d = Diagnostic::new(Code::DataHidesHost, name.span, text).secondary(entry.span, "the variable of the host");
        self.reporter.report(d.help("declare it here too, or give the variable of the host its value there"));
    }

    /// The places of an array's elements that a designator picks, in order.
    fn positions(&mut self, target: &Expr, bounds: &[(i64, i64)]) -> Option<Vec<usize>> {
        let picked: Vec<Vec<i64>> = match &target.kind {
            ExprKind::Element { subs, .. } => {
                let one = |c: &mut Self, sub| c.data_subscript(sub).map(|v| vec![v]);
                subs.iter().map(|sub| one(self, sub)).collect::<Option<_>>()?
            }
            ExprKind::Section { subs, .. } => {
                let along = |c: &mut Self, (sub, &bounds)| c.data_subscripts(sub, bounds, target.span);
                subs.iter().zip(bounds).map(|pair| along(self, pair)).collect::<Option<_>>()?
            }
            _ => return Some((0..bounds.iter().map(|b| b.1 as usize).product::<usize>()).collect()),
        };
        let (mut places, mut stride) = (vec![0usize], 1i64);
        for (values, &(lower, extent)) in picked.iter().zip(bounds) {
            let upper = lower.saturating_add(extent).saturating_sub(1);
            if let Some(v) = values.iter().find(|v| **v < lower || **v > upper) {
                let text = format!("subscript {v} is outside {lower}:{upper}");
                return self.reporter.error(Code::BadInitialisation, target.span, text);
            }
            // The first dimension varies fastest, so those before are repeated for each value of this one.
            let offset = |v: &i64| (v.wrapping_sub(lower) * stride) as usize;
            places = values.iter().flat_map(|v| places.iter().map(move |at| at + offset(v))).collect();
            stride = stride.saturating_mul(extent);
        }
        Some(places)
    }

    fn data_subscript(&mut self, sub: &Expr) -> Option<i64> {
        match self.evaluate(sub)? {
            Const::Int(v) => Some(v),
            _ => None,
        }
    }

    /// The subscripts of a section in one dimension.
    fn data_subscripts(&mut self, sub: &Sub, (lower, extent): (i64, i64), span: Span) -> Option<Vec<i64>> {
        match sub {
            Sub::Index(e) => self.data_subscript(e).map(|v| vec![v]),
            Sub::Vector(e) => match self.evaluate(e)? {
                Const::Array { items, .. } => {
                    Some(items.iter().filter_map(|c| if let Const::Int(v) = c { Some(*v) } else { None }).collect())
                }
                _ => None,
            },
            Sub::Range { lo, hi, step } => {
                let mut given = |e: &Option<Expr>, or: i64| e.as_ref().map_or(Some(or), |e| self.data_subscript(e));
                let step = given(step, 1)?;
                let upper = lower.saturating_add(extent).saturating_sub(1);
                let (first, last) = if step < 0 { (upper, lower) } else { (lower, upper) };
                let (first, last) = (given(lo, first)?, given(hi, last)?);
                if step == 0 {
                    return self.reporter.error(Code::ZeroStride, span, "a section with a stride of zero");
                }
                let distance = if step > 0 { last.checked_sub(first) } else { first.checked_sub(last) };
                let count = distance.filter(|d| *d >= 0).map_or(0, |d| d / step.saturating_abs() + 1);
                let ends = [first, first.saturating_add((count - 1).max(0).saturating_mul(step))];
                if let Some(v) = ends.iter().find(|v| count > 0 && (**v < lower || **v > upper)) {
                    let text = format!("subscript {v} is outside {lower}:{upper}");
                    return self.reporter.error(Code::BadInitialisation, span, text);
                }
                Some((0..count).map(|i| first + i * step).collect())
            }
        }
    }
}
