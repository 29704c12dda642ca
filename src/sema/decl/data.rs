//! The end of a specification part: every declaration is settled, then NAMELIST, COMMON and DATA statements.

use super::collect::base_name;
use super::shape::constant_bounds;
use crate::checked::{Const, Expr, ExprKind, Shape, Storage, Sub, Type, VarId};
use crate::checker::Checker;
use crate::expr::assignable_types;
use crate::scope::{ScopeId, State, Sym};
use ast::{DeclKind, Declaration, Name};
use diag::Code;
use source::Span;
use std::sync::Arc;

impl<'a> Checker<'a> {
    /// Settles all names of a scope.
    pub(crate) fn settle_scope(&mut self, scope: ScopeId) {
        let mut at = 0;
        while at < self.scopes[scope.0 as usize].pending.len() {
            let name = self.scopes[scope.0 as usize].pending[at].name.clone();
            self.own(scope, &name);
            at += 1;
        }
        let mut types = Vec::new();
        for (i, t) in self.types.iter().enumerate() {
            if t.scope == scope && t.state == State::Untouched {
                types.push(crate::checked::TypeId(i as u32));
            }
        }
        for id in types {
            self.settle_type(id);
        }
    }

    /// Takes in what can only be read once every name of the scope is settled: NAMELIST, COMMON and DATA.
    pub(crate) fn late_declarations(&mut self, scope: ScopeId, decls: &'a [Declaration]) {
        // COMMON may change what a name stands for, so it comes first.
        for common in [true, false] {
            for d in decls {
                if matches!(d.kind, DeclKind::Common(_)) == common {
                    self.late_declaration(scope, d);
                }
            }
        }
    }

    pub(crate) fn late_declaration(&mut self, scope: ScopeId, d: &'a Declaration) {
        match &d.kind {
            DeclKind::Namelist(groups) => {
                for (group, names) in groups {
                    self.namelist(scope, group, names);
                }
            }
            DeclKind::Common(blocks) => {
                for (block, entities) in blocks {
                    let names: Vec<&'a Name> = entities.iter().map(|e| &e.name).collect();
                    self.common(scope, block.as_ref(), &names, d.span);
                }
            }
            DeclKind::Data(sets) => {
                for (objects, values) in sets {
                    self.data_set(objects, values, d.span);
                }
            }
            _ => {}
        }
    }

    fn namelist(&mut self, scope: ScopeId, group: &Name, names: &[Name]) {
        let mut vars = Vec::new();
        for name in names {
            match self.variable_of(name) {
                Some(id) => vars.push(id),
                None => return,
            }
        }
        match self.scopes[scope.0 as usize].names.get(&group.text).map(|e| e.sym.clone()) {
            Some(Sym::Namelist(mut old)) => {
                old.extend(vars);
                self.define(scope, &group.text, Sym::Namelist(old), group.span);
            }
            None => self.define(scope, &group.text, Sym::Namelist(vars), group.span),
            Some(_) => {
                let text = format!("`{}` is a namelist group and something else", group.as_str());
                self.error::<()>(Code::BadNamelist, group.span, text);
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
                self.error(Code::WrongKindOfName, name.span, text)
            }
        }
    }

    /// A COMMON block: the names of every unit that lists it stand for the variables of the first one. Blocks whose lists
    /// differ in types or shapes would need storage association, which is not supported.
    fn common(&mut self, scope: ScopeId, block: Option<&Name>, names: &[&'a Name], span: Span) {
        // Device data in COMMON was reported where it is declared.
        let label: Arc<str> = block.map_or_else(|| "".into(), |b| b.text.clone());
        let mut vars = Vec::new();
        for name in names {
            match self.own(scope, &name.text) {
                Some(Sym::Var(id)) => vars.push(id),
                _ => return,
            }
        }
        if vars.iter().any(|id| self.out.var(*id).attrs.cuda.is_some()) {
            return;
        }
        for (name, id) in names.iter().zip(&vars) {
            let var = self.out.var(*id);
            let what = match var.storage {
                Storage::Dummy(_) => "a dummy argument",
                Storage::Result => "a function's result",
                Storage::Parameter => "a named constant",
                _ if var.attrs.allocatable => "allocatable",
                _ if matches!(var.shape, Shape::Explicit(_)) && constant_bounds(&var.shape).is_none() => {
                    "an array whose bounds vary"
                }
                _ => continue,
            };
            let text = format!("`{}` is {what} and cannot be in `common`", name.as_str());
            self.error::<()>(Code::BadCommon, name.span, text);
            return;
        }
        let Some(first) = self.commons.get(&label).cloned() else {
            for &id in &vars {
                self.out.vars[id.0 as usize].storage = Storage::Static;
            }
            self.commons.insert(label, vars);
            return;
        };
        let same = first.len() == vars.len()
            && first.iter().zip(&vars).all(|(&a, &b)| {
                let (a, b) = (self.out.var(a), self.out.var(b));
                assignable_types(&a.ty, &b.ty)
                    && crate::decl::types::same_type(&a.ty, &b.ty)
                    && constant_bounds(&a.shape).is_some()
                    && extents(constant_bounds(&a.shape)) == extents(constant_bounds(&b.shape))
            });
        if !same {
            for name in names {
                let what: Arc<str> = format!("`common` block `{label}` with another layout than elsewhere").into();
                self.define(scope, &name.text, Sym::Refused(what), name.span);
            }
            self.refuse::<()>(span, format!("`common` block `{label}` with another layout than elsewhere"));
            return;
        }
        for &id in &vars {
            self.disown(id);
        }
        for (name, &id) in names.iter().zip(&first) {
            self.define(scope, &name.text, Sym::Var(id), name.span);
        }
    }

    /// One `objects / values /` of a DATA statement.
    fn data_set(&mut self, objects: &'a [ast::Expr], values: &'a [(Option<ast::Expr>, ast::Expr)], span: Span) {
        let mut queue: Vec<(&'a ast::Expr, i64)> = Vec::new();
        for (repeat, value) in values {
            let count = match repeat {
                Some(e) => match self.constant_integer(e) {
                    Some(n) => n,
                    None => return,
                },
                None => 1,
            };
            if count > 0 {
                queue.push((value, count));
            }
        }
        let mut values = DataValues { list: queue, at: 0, used: 0 };
        for object in objects {
            if self.data_object(object, &mut values).is_none() {
                return;
            }
        }
        if values.next().is_some() {
            self.error::<()>(Code::BadInitialisation, span, "`data` has more values than variables");
        }
    }

    fn data_object(&mut self, object: &'a ast::Expr, values: &mut DataValues<'a>) -> Option<()> {
        if let ast::ExprKind::Array { items, .. } = &object.kind {
            return self.data_items_values(items, values);
        }
        let name = base_name(object)?;
        let target = self.designator(object)?;
        let id = match &target.kind {
            ExprKind::Var(id) => *id,
            ExprKind::Element { base, .. } | ExprKind::Section { base, .. } => match base.kind {
                ExprKind::Var(id) => id,
                _ => return self.refuse(object.span, "a component in `data`"),
            },
            _ => return self.refuse(object.span, "a component or substring in `data`"),
        };
        // Without its value: a large array that is given bit by bit must not be copied for each.
        let var = self.out.var(id);
        let (ty, is_static, bounds) =
            (var.ty.clone(), matches!(var.storage, Storage::Static), constant_bounds(&var.shape));
        if !is_static {
            let text = format!("`{}` cannot be initialised by `data`", name.as_str());
            return self.error(Code::BadInitialisation, object.span, text);
        }
        let Some(bounds) = bounds else {
            let text = format!("`{}` cannot be initialised by `data`: its shape is not constant", name.as_str());
            return self.error(Code::BadInitialisation, object.span, text);
        };
        if bounds.is_empty() {
            let value = self.data_value(values, &ty, object.span)?;
            self.out.vars[id.0 as usize].init = Some(value);
            return Some(());
        }
        let count = bounds.iter().map(|b| b.1 as usize).product::<usize>();
        let positions = self.positions(&target, &bounds)?;
        let mut items = match self.out.vars[id.0 as usize].init.take() {
            Some(Const::Array { items, .. }) => items,
            _ => vec![self.zero(&ty); count],
        };
        for position in positions {
            let value = self.data_value(values, &ty, object.span)?;
            if let Some(slot) = items.get_mut(position) {
                *slot = value;
            }
        }
        self.out.vars[id.0 as usize].init = Some(Const::Array { bounds, items });
        Some(())
    }

    fn data_items_values(&mut self, items: &'a [ast::ArrayItem], values: &mut DataValues<'a>) -> Option<()> {
        for item in items {
            match item {
                ast::ArrayItem::Expr(e) => self.data_object(e, values)?,
                ast::ArrayItem::Do(d) => self.data_loop(d, values)?,
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
            return self.error(Code::ZeroStride, d.span, "implied do loop with a step of zero");
        }
        if last.abs_diff(first) / step.unsigned_abs() > 1 << 20 {
            return self.error(Code::ConstantTooLarge, d.span, "implied do loop is too long for `data`");
        }
        let outer = self.enter_block();
        let var = self.construct_variable(&d.var.text, Type::Integer(8), Shape::Scalar, Storage::Parameter, d.var.span);
        let mut at = first;
        let mut done = Some(());
        while done.is_some() && ((step > 0 && at <= last) || (step < 0 && at >= last)) {
            self.out.vars[var.0 as usize].init = Some(Const::Int(at));
            done = self.data_items_values(&d.items, values);
            at = at.saturating_add(step);
        }
        self.cx.scope = outer;
        self.disown(var);
        done
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
                return self.error(Code::BadInitialisation, target.span, text);
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
                    return self.error(Code::ZeroStride, span, "a section with a stride of zero");
                }
                let distance = if step > 0 { last.checked_sub(first) } else { first.checked_sub(last) };
                let count = distance.filter(|d| *d >= 0).map_or(0, |d| d / step.saturating_abs() + 1);
                let ends = [first, first.saturating_add((count - 1).max(0).saturating_mul(step))];
                if let Some(v) = ends.iter().find(|v| count > 0 && (**v < lower || **v > upper)) {
                    let text = format!("subscript {v} is outside {lower}:{upper}");
                    return self.error(Code::BadInitialisation, span, text);
                }
                Some((0..count).map(|i| first + i * step).collect())
            }
        }
    }

    fn data_value(&mut self, values: &mut DataValues<'a>, ty: &Type, span: Span) -> Option<Const> {
        let Some(e) = values.next() else {
            return self.error(Code::BadInitialisation, span, "`data` has fewer values than variables");
        };
        self.constant_of_type(e, ty).map(|(c, _)| c)
    }
}

fn extents(bounds: Option<Vec<(i64, i64)>>) -> Option<Vec<i64>> {
    bounds.map(|b| b.iter().map(|x| x.1).collect())
}

/// The values of a DATA statement, with their repeat counts.
struct DataValues<'a> {
    list: Vec<(&'a ast::Expr, i64)>,
    at: usize,
    used: i64,
}

impl<'a> DataValues<'a> {
    fn next(&mut self) -> Option<&'a ast::Expr> {
        let &(e, count) = self.list.get(self.at)?;
        self.used += 1;
        if self.used >= count {
            self.at += 1;
            self.used = 0;
        }
        Some(e)
    }
}
