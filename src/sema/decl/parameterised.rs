//! Parameterised derived types (Fortran 2018, 7.5.3): their instances.
//!
//! A definition with type parameters is a template and has no components of its own. Each set of constant values gives an
//! instance: a type like any other, resolved in a scope in which the parameters are named constants. What a template
//! extends is a template too, whose parameters come first.
//!
//! If anything in the program gives a length parameter of a template a value that is known at run time only (`*`, `:`, an
//! expression of variables), the template is *open*: the values of its lengths are no part of its instances, and each object
//! holds its own. A template that extends an open one is open. The check of the program begins anew when it finds one
//! (`check`), so that all objects of a type have one layout.
//!
//! Objects of device code and data with a CUDA attribute are *flat*: the components lie one after another, and nothing else is there.
//! Constant lengths belong to the instance there, as if the template were not open. Those that are known at run time only belong to
//! the variable, and its type is one instance for all of them. An assignment converts such an object to one of the host, and back.
//!
//! Not here: components that open parameters decide (`derived`).

use crate::checked::{
    Attrs, CharLen as Length, Const, DerivedType, Expr, ExprKind, Shape, Storage, Type, TypeId, TypeParam, VarId,
    Variable, visit,
};
use crate::checker::{Checker, CodeSide, Context, ScopeData, ScopeId, Sym, TypeInfo, VarInfo};
use crate::typing::Typing;
use ast::{Arg, ArgValue, Attr, CharLen, DerivedSpec, Name, TypeItem, TypeSpec, TypeSpecKind};
use diag::{Code, Diagnostic, nearest_name};
use source::{FileId, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many instances one template may have: a type may name itself with other values without end.
const MOST_INSTANCES: usize = 500;
/// How many templates may extend each other.
const MOST_PARENTS: usize = 100;

/// The declaration of a type parameter.
#[derive(Clone, Copy)]
struct Parameter<'a> {
    name: &'a Name,
    is_kind: bool,
    spec: &'a TypeSpec,
    default: Option<&'a ast::Expr>,
}

/// A value that is given for a type parameter.
#[derive(Clone, Copy)]
enum Value<'e> {
    Expr(&'e ast::Expr),
    /// `*`
    Assumed,
    /// `:`
    Deferred,
}

/// An instance of a template, and the values of its open parameters.
type Instance = (TypeId, Vec<Length>);

/// A value for a type parameter, perhaps by keyword.
type GivenValue<'e> = (Option<&'e Name>, Value<'e>);

/// Whether a declaration in a type definition is that of type parameters.
pub(super) fn declares_parameters(attrs: &[Attr]) -> bool {
    attrs.iter().any(|a| matches!(a, Attr::Kind(_) | Attr::Len(_)))
}

impl<'a> Checker<'a> {
    /// Fortran 2018, C740 and C741: what stands in parentheses behind the name of a type is declared in it, and nothing else is.
    pub(super) fn check_type_parameters(&mut self, def: &'a ast::DerivedType) {
        for (i, name) in def.params.iter().enumerate() {
            let text = if def.params[..i].iter().any(|other| other.text == name.text) {
                format!("type parameter `{}` is named twice", name.as_str())
            } else if declaration(def, name).is_none() {
                format!("type parameter `{}` of `{}` is not declared", name.as_str(), def.name.as_str())
            } else {
                continue;
            };
            let help = format!("declare `integer, kind :: {0}` or `integer, len :: {0}` once", name.as_str());
            self.reporter.error_help::<()>(Code::BadTypeParameter, name.span, text, help);
        }
        for item in &def.items {
            let TypeItem::Field(field) = item else { continue };
            if !declares_parameters(&field.attrs) {
                continue;
            }
            for e in &field.entities {
                let what = if !def.params.iter().any(|name| name.text == e.name.text) {
                    "does not stand in parentheses behind the name of the type"
                } else if !matches!(field.spec.kind, TypeSpecKind::Integer(_)) {
                    "is no integer"
                } else if e.shape.is_some() || field.attrs.len() > 1 {
                    "has more than a value"
                } else {
                    // Other values are looked at where an object takes them.
                    if let Some(value) = e.init.as_ref().filter(|e| matches!(e.kind, ast::ExprKind::Boz { .. })) {
                        self.constant_integer(value);
                    }
                    continue;
                };
                let text = format!("type parameter `{}` {what}", e.name.as_str());
                self.reporter.error::<()>(Code::BadTypeParameter, e.name.span, text);
            }
        }
    }

    /// Whether a type is a definition with type parameters, of which there are instances only.
    pub(crate) fn is_template(&mut self, id: TypeId) -> bool {
        let is_plain = |def: &ast::DerivedType| def.params.is_empty() && def.extends.is_none();
        match self.defs.type_info(id).ast {
            Some(def) if !is_plain(def) => self.defs.ty(id).params.is_empty() && !self.type_parameters(id).is_empty(),
            _ => false,
        }
    }

    /// The type parameters of a template, those of its parents first.
    fn type_parameters(&mut self, template: TypeId) -> Vec<Parameter<'a>> {
        let mut line: Vec<&'a ast::DerivedType> = Vec::new();
        let mut at = Some(template);
        while let Some(id) = at.filter(|_| line.len() < MOST_PARENTS) {
            let Some(def) = self.defs.type_info(id).ast else { break };
            line.push(def);
            at = self.parent_template(id);
        }
        let own = |def: &'a ast::DerivedType| def.params.iter().filter_map(move |name| declaration(def, name));
        line.into_iter().rev().flat_map(own).collect()
    }

    /// How many type parameters a template has, and whether all have defaults.
    pub(crate) fn count_parameters(&mut self, template: TypeId) -> (usize, bool) {
        let parameters = self.type_parameters(template);
        (parameters.len(), parameters.iter().all(|p| p.default.is_some()))
    }

    /// The type that a definition extends, as it is named there.
    fn parent_template(&mut self, id: TypeId) -> Option<TypeId> {
        let (def, scope) = (self.defs.type_info(id).ast?, self.defs.type_info(id).scope);
        match self.find_from(scope, &def.extends.as_ref()?.text) {
            Some(Sym::Type(id) | Sym::Generic { ty: Some(id), .. }) => Some(id),
            _ => None,
        }
    }

    /// The type that a derived type with its type parameters stands for.
    pub(crate) fn derived_spec(&mut self, spec: &DerivedSpec) -> Option<TypeId> {
        Some(self.spec_in(spec, None)?.0)
    }

    /// The values that a type gives to the open parameters of its objects; none for all other types.
    pub(crate) fn lengths_of_spec(&mut self, spec: &TypeSpec) -> Vec<Length> {
        match &spec.kind {
            TypeSpecKind::Type(derived) | TypeSpecKind::Class(derived) => {
                self.spec_in(derived, None).map_or(Vec::new(), |instance| instance.1)
            }
            _ => Vec::new(),
        }
    }

    /// The type of a guard of SELECT TYPE, whose length parameters are assumed (Fortran 2018, 11.1.11.1): what the selector's
    /// declared type has, its extensions have too.
    pub(crate) fn guard_spec(&mut self, spec: &DerivedSpec, selector: &Type) -> Option<TypeId> {
        let known = match selector {
            Type::Derived(id) => self.defs.ty(*id).params.clone(),
            _ => Vec::new(),
        };
        Some(self.spec_in(spec, Some(&known))?.0)
    }

    fn spec_in(&mut self, spec: &DerivedSpec, guard: Option<&[TypeParam]>) -> Option<Instance> {
        let id = self.named_type(&spec.name)?;
        let values: Vec<GivenValue<'_>> = spec
            .params
            .iter()
            .map(|(keyword, value)| {
                let value = match value {
                    CharLen::Expr(e) => Value::Expr(e),
                    CharLen::Assumed => Value::Assumed,
                    CharLen::Deferred => Value::Deferred,
                };
                (keyword.as_ref(), value)
            })
            .collect();
        self.instance(id, &values, guard, spec.name.span)
    }

    /// The type of a structure constructor: `name(values)` before the components, or the name alone.
    pub(crate) fn constructed_type(&mut self, id: TypeId, values: &[Arg], span: Span) -> Option<Instance> {
        let mut given: Vec<GivenValue<'_>> = Vec::new();
        for arg in values {
            let ArgValue::Expr(e) = &arg.value else {
                let text = "the type parameters of a structure constructor have values";
                return self.reporter.error(Code::BadTypeParameter, span, text);
            };
            given.push((arg.keyword.as_ref(), Value::Expr(e)));
        }
        self.instance(id, &given, None, span)
    }

    /// The instance of a template with these values; the type itself if it is no template. In a guard of SELECT TYPE an
    /// assumed length is that of the selector's declared type.
    fn instance(
        &mut self,
        id: TypeId,
        given: &[GivenValue<'_>],
        guard: Option<&[TypeParam]>,
        span: Span,
    ) -> Option<Instance> {
        if !self.is_template(id) {
            if given.is_empty() {
                return Some((id, Vec::new()));
            }
            let text = format!("`type({})` has no type parameters", self.defs.ty(id).name);
            return self.reporter.error(Code::BadTypeParameter, span, text);
        }
        let parameters = self.type_parameters(id);
        let places = self.places_of_values(id, &parameters, given, span)?;
        let is_open = self.is_open(id);
        if is_open && self.cx.side.on_device() {
            let text =
                format!("`type({})`, whose lengths are known at run time only, in device code", self.defs.ty(id).name);
            return self.reporter.refuse(span, text);
        }
        let mut values = vec![None; parameters.len()];
        for (at, value) in places.into_iter().zip(given.iter().map(|(_, value)| *value)) {
            values[at] = Some(self.given_value(id, &parameters[at], value, guard, span)?);
        }
        let is_known = |n: &Option<Length>| matches!(n, None | Some(Length::Const(_)));
        let is_flat = !is_open && !values.iter().all(is_known);
        let scope = self.instance_scope(id);
        let mut params: Vec<TypeParam> = Vec::with_capacity(parameters.len());
        let mut lengths = Vec::new();
        for (p, value) in parameters.iter().zip(values) {
            let outer = self.enter_context(Context::new(scope, self.scopes.get(scope).proc, CodeSide::Host));
            let param = self.type_param(id, scope, p, value, (is_open || is_flat, guard.is_some()), span);
            if let Some(what) = self.leave_context(outer) {
                return self.reporter.refuse_again(&what);
            }
            let (param, length) = param?;
            if param.value.is_none() {
                lengths.push(length);
            }
            params.push(param);
        }
        let made = match self.known_instance(id, &params, is_flat) {
            Some(made) => made,
            None => {
                if self.made.instances.keys().filter(|(template, ..)| *template == id).count() >= MOST_INSTANCES {
                    let text =
                        format!("`type({})` with more than {MOST_INSTANCES} sets of values", self.defs.ty(id).name);
                    return self.reporter.refuse(span, text);
                }
                self.new_instance(id, params, scope, is_flat)
            }
        };
        if !self.cx.by_descriptor {
            self.resolve_type(made);
        }
        if is_flat {
            self.note_host_type(made);
        }
        match self.defs.type_info(made).refused.clone() {
            Some(what) => self.reporter.refuse_again(&what),
            None => Some((made, lengths)),
        }
    }

    /// Whether the lengths of a template's objects are known at run time only. Those of objects of device code never are.
    fn is_open(&mut self, template: TypeId) -> bool {
        let is_closed = self.cx.is_closed || matches!(self.cx.side, CodeSide::Device | CodeSide::Both);
        !is_closed && self.is_open_for_host(template)
    }

    /// Whether a type is an instance for device code of a template whose objects have their lengths at run time elsewhere.
    pub(super) fn is_closed_instance(&mut self, id: TypeId) -> bool {
        let is_twin = self.defs.ty(id).params.is_empty() && self.defs.type_info(id).template.is_some();
        if self.defs.ty(id).is_flat || is_twin {
            return true;
        }
        let params = &self.defs.ty(id).params;
        let has_lengths = params.iter().any(|p| !p.is_kind) && params.iter().all(|p| p.value.is_some());
        match self.defs.type_info(id).template {
            Some(template) if has_lengths => self.is_open_for_host(template),
            _ => false,
        }
    }

    /// The type that objects of device code and data with a CUDA attribute have instead of one without type parameters that holds
    /// objects with length parameters: its components are flat too.
    pub(crate) fn for_device(&mut self, id: TypeId) -> TypeId {
        let is_device = self.cx.is_closed || self.cx.side == CodeSide::Device;
        let def = self.defs.ty(id);
        let holds_lengths = def.is_made && def.params.is_empty() && !self.defs.has_part(id, &|f| f.start.is_some());
        if !is_device || !holds_lengths {
            return id;
        }
        let twin = match self.known_instance(id, &[], true) {
            Some(twin) => twin,
            None => {
                let scope = self.defs.type_info(id).scope;
                let key = (id, Vec::new(), true);
                let twin = self.new_instance(id, Vec::new(), scope, false);
                self.made.instances.insert(key, twin);
                twin
            }
        };
        self.resolve_type(twin);
        twin
    }

    fn is_open_for_host(&mut self, template: TypeId) -> bool {
        let open = |this: &Self, id| this.made.open.contains(&place_of(this.defs.ty(id).span));
        let mut at = Some(template);
        for _ in 0..MOST_PARENTS {
            match at {
                Some(id) if open(self, id) => return true,
                Some(id) => at = self.parent_template(id),
                None => break,
            }
        }
        false
    }

    /// A template is open if its objects have parts that are made at run time.
    pub(super) fn note_open_parts(&mut self, id: TypeId) {
        let template = self.defs.type_info(id).template.filter(|_| !self.defs.ty(id).is_flat);
        if let Some(template) = template.filter(|_| self.defs.has_part(id, &|f| f.is_parameter)) {
            self.note_open(template);
        }
    }

    /// Notes that a template is open, and so is what it extends and has lengths.
    fn note_open(&mut self, template: TypeId) {
        let mut at = Some(template);
        for _ in 0..MOST_PARENTS {
            let Some(id) = at else { break };
            if self.type_parameters(id).iter().any(|p| !p.is_kind) {
                let place = place_of(self.defs.ty(id).span);
                self.made.found_open.insert(place);
            }
            at = self.parent_template(id);
        }
    }

    /// The instance of what an instance extends: the parent's parameters come first.
    pub(super) fn parent_of_instance(&mut self, id: TypeId) -> Option<TypeId> {
        let template = self.defs.type_info(id).template?;
        let parent = self.parent_template(template).filter(|parent| *parent != template)?;
        let parameters = self.type_parameters(parent);
        if parameters.is_empty() {
            return None;
        }
        let mut params: Vec<TypeParam> = self.defs.ty(id).params.iter().take(parameters.len()).cloned().collect();
        let is_flat = self.defs.ty(id).is_flat;
        if let Some(made) = self.known_instance(parent, &params, is_flat) {
            return Some(made);
        }
        let scope = self.instance_scope(parent);
        for param in &mut params {
            param.var = self.name_parameter(scope, param);
        }
        Some(self.new_instance(parent, params, scope, is_flat))
    }

    /// The value of an expression in host code: objects that hold their lengths instead of flat ones.
    pub(crate) fn host_value(&mut self, e: Expr) -> Option<Expr> {
        let Type::Derived(id) = e.ty else { return Some(e) };
        let def = self.defs.ty(id);
        let (is_flat, is_made) = (def.is_flat, def.is_made);
        let is_data = is_flat || (!is_made && !def.params.is_empty() && self.is_closed_instance(id));
        if !is_data || self.cx.side != CodeSide::Host || self.cx.debugger {
            return Some(e);
        }
        let Some(template) = self.defs.type_info(id).template else { return Some(e) };
        if is_flat && !self.is_open_for_host(template) {
            // This check comes to nothing: the next one knows that the template is open.
            self.note_open(template);
            return self.reporter.refuse(e.span, "device data with lengths that are known at run time only");
        }
        self.note_host_type(id);
        match self.defs.ty(id).of_host.clone() {
            Some(to) => Some(self.typing().as_twin(e, &to)),
            None => Some(e),
        }
    }

    /// Notes the type of the host for a closed instance.
    pub(super) fn host_type_of(&mut self, id: TypeId, span: Span) -> Option<()> {
        let Some(template) = self.defs.type_info(id).template else { return Some(()) };
        if self.defs.ty(id).params.is_empty() {
            self.defs.ty_mut(id).of_host = Some(Type::Derived(template));
            return Some(());
        }
        if !self.is_open_for_host(template) {
            // This check comes to nothing: the next one knows that the template is open.
            self.note_open(template);
            return self.reporter.refuse(span, "device data with lengths that are known at run time only");
        }
        self.note_host_type(id);
        Some(())
    }

    /// Notes the type of the host for a flat one, if the template is open.
    fn note_host_type(&mut self, flat: TypeId) {
        let Some(template) = self.defs.type_info(flat).template else { return };
        if self.defs.ty(flat).of_host.is_some() || !self.is_open_for_host(template) {
            return;
        }
        let open = |p: &TypeParam| TypeParam { value: p.value.filter(|_| p.is_kind), ..p.clone() };
        let mut params: Vec<TypeParam> = self.defs.ty(flat).params.iter().map(open).collect();
        let scope = self.instance_scope(template);
        let made = match self.known_instance(template, &params, false) {
            Some(made) => made,
            None => {
                for param in &mut params {
                    param.var = self.name_parameter(scope, param);
                }
                self.new_instance(template, params, scope, false)
            }
        };
        self.defs.ty_mut(flat).of_host = Some(Type::Derived(made));
        let outer = self.enter_context(Context::new(scope, self.scopes.get(scope).proc, CodeSide::Host));
        self.resolve_type(made);
        // What cannot be resolved is refused where the type is used.
        let _ = self.leave_context(outer);
    }

    fn known_instance(&self, template: TypeId, params: &[TypeParam], is_flat: bool) -> Option<TypeId> {
        self.made.instances.get(&(template, values_of(params), is_flat)).copied()
    }

    /// A new instance, whose parameters are named in `scope`; its components are not resolved yet.
    fn new_instance(&mut self, template: TypeId, params: Vec<TypeParam>, scope: ScopeId, is_flat: bool) -> TypeId {
        let key = (template, values_of(&params), is_flat);
        let def = self.defs.ty(template);
        let ty = DerivedType { params, is_flat, ..DerivedType::empty(def.name.clone(), def.span) };
        let ast = self.defs.type_info(template).ast;
        let made = self.defs.add_type(ty, TypeInfo { ast, scope, template: Some(template), ..TypeInfo::untouched() });
        self.made.instances.insert(key, made);
        made
    }

    /// Which parameter each value is for.
    fn places_of_values(
        &mut self,
        id: TypeId,
        parameters: &[Parameter<'a>],
        given: &[GivenValue<'_>],
        span: Span,
    ) -> Option<Vec<usize>> {
        let name = self.defs.ty(id).name.clone();
        let mut places: Vec<usize> = Vec::with_capacity(given.len());
        for (i, (keyword, _)) in given.iter().enumerate() {
            let at = match keyword {
                Some(keyword) => {
                    let Some(at) = parameters.iter().position(|p| p.name.text == keyword.text) else {
                        let near = nearest_name(keyword.as_str(), parameters.iter().map(|p| p.name.as_str()));
                        let text = format!("`type({name})` has no type parameter `{}`", keyword.as_str());
                        let d = Diagnostic::new(Code::BadTypeParameter, keyword.span, text);
                        self.reporter.report(d.suggest(near));
                        return None;
                    };
                    at
                }
                None if given[..i].iter().any(|(keyword, _)| keyword.is_some()) => {
                    let text = "a type parameter by position stands after one by keyword";
                    return self.reporter.error(Code::BadTypeParameter, span, text);
                }
                None => i,
            };
            if at >= parameters.len() {
                let text =
                    format!("`type({name})` has {} type parameters, and more values are given", parameters.len());
                return self.reporter.error(Code::BadTypeParameter, span, text);
            }
            if places.contains(&at) {
                let text = format!("type parameter `{}` is given twice", parameters[at].name.as_str());
                return self.reporter.error(Code::BadTypeParameter, span, text);
            }
            places.push(at);
        }
        Some(places)
    }

    /// What is given for a type parameter.
    fn given_value(
        &mut self,
        id: TypeId,
        p: &Parameter<'a>,
        value: Value<'_>,
        guard: Option<&[TypeParam]>,
        span: Span,
    ) -> Option<Length> {
        let known = guard.into_iter().flatten().find(|known| known.name == p.name.text);
        let length = match value {
            Value::Assumed | Value::Deferred if p.is_kind => {
                let what = if matches!(value, Value::Assumed) { "`*`" } else { "`:`" };
                let text = format!("kind parameter `{}` needs a constant, not {what}", p.name.as_str());
                return self.reporter.error(Code::BadTypeParameter, span, text);
            }
            Value::Expr(e) if p.is_kind => return self.constant_integer(e).map(Length::Const),
            Value::Expr(e) if guard.is_some() => {
                let text = format!("length parameter `{}` of a guard is not assumed", p.name.as_str());
                return self.reporter.error_help(Code::BadTypeParameter, e.span, text, "write `*`");
            }
            Value::Assumed => match known.and_then(|known| known.value) {
                Some(known) => return Some(Length::Const(known)),
                None => Length::Assumed,
            },
            Value::Deferred => Length::Deferred,
            Value::Expr(e) => {
                let value = self.specification(e)?;
                match value.kind {
                    // Like a length of characters, a negative one is as good as 0 where it is an extent.
                    ExprKind::Const(Const::Int(n)) => return Some(Length::Const(n)),
                    _ => Length::Expr(Box::new(value)),
                }
            }
        };
        if !self.is_open(id) {
            if self.cx.is_closed || matches!(self.cx.side, CodeSide::Device | CodeSide::Both) {
                return Some(length);
            }
            if self.cx.side.on_device() || self.cx.debugger {
                return self.reporter.refuse(span, "a length type parameter that is not constant");
            }
            // This check comes to nothing: the next one knows that the template is open.
            self.note_open(id);
            return self.reporter.refuse(span, "a length type parameter that is not constant");
        }
        Some(length)
    }

    /// A type parameter with its value, given or by default, as a name in the instance's scope; what is given for it.
    fn type_param(
        &mut self,
        id: TypeId,
        scope: ScopeId,
        p: &Parameter<'a>,
        value: Option<Length>,
        (is_open, is_guard): (bool, bool),
        span: Span,
    ) -> Option<(TypeParam, Length)> {
        let ty = self.type_spec(p.spec, None)?;
        let length = match (value, p.default) {
            (Some(value), _) => value,
            (None, _) if is_open && is_guard && !p.is_kind => Length::Assumed,
            (None, Some(default)) => Length::Const(self.constant_integer(default)?),
            (None, None) => {
                let text = format!("`type({})` needs a value for `{}`", self.defs.ty(id).name, p.name.as_str());
                let d = Diagnostic::new(Code::BadTypeParameter, span, text);
                self.reporter.report(d.secondary(p.name.span, "this type parameter has no default"));
                return None;
            }
        };
        let value = match length {
            Length::Const(n) if p.is_kind || !is_open => Some(n),
            _ => None,
        };
        let (name, is_kind, span) = (p.name.text.clone(), p.is_kind, p.name.span);
        let mut param = TypeParam { name, ty, value, var: VarId(0), is_kind, span };
        param.var = self.name_parameter(scope, &param);
        Some((param, length))
    }

    fn name_parameter(&mut self, scope: ScopeId, param: &TypeParam) -> VarId {
        let var = Variable {
            name: param.name.clone(),
            ty: param.ty.clone(),
            shape: Shape::Scalar,
            // Where an open one is used, its value is that of the object.
            storage: if param.value.is_some() { Storage::Parameter } else { Storage::Local },
            attrs: Attrs::default(),
            init: param.value.map(Const::Int),
            owner: self.scopes.get(scope).proc.filter(|_| param.value.is_some()),
            module: None,
            span: param.span,
        };
        let var = self.defs.add_var(var, VarInfo::default());
        self.scopes.define(scope, &param.name, Sym::Var(var), param.span);
        var
    }

    fn instance_scope(&mut self, template: TypeId) -> ScopeId {
        let outer = self.defs.type_info(template).scope;
        let proc = self.scopes.get(outer).proc;
        self.scopes.add(ScopeData { parent: Some(outer), proc, is_block: true, ..ScopeData::default() })
    }

    /// The value of a type parameter of a type: `object%name` (Fortran 2018, 9.4.5).
    pub(crate) fn type_parameter(&self, id: TypeId, name: &Arc<str>) -> Option<&TypeParam> {
        self.defs.ty(id).params.iter().find(|p| p.name == *name)
    }
}

impl Typing<'_> {
    /// A value as it is assigned to an object: one of the host becomes one of device code, and the other way round.
    pub(crate) fn as_twin(&self, e: Expr, to: &Type) -> Expr {
        if !self.defs.are_twins(to, &e.ty) {
            return e;
        }
        let (rank, span) = (e.rank, e.span);
        Expr { kind: ExprKind::Convert(Box::new(e)), ty: to.clone(), rank, span }
    }

    /// The open parameters of a type, as bounds and lengths of its components name them.
    pub(super) fn open_variables(&self, id: TypeId) -> BTreeSet<VarId> {
        self.defs.ty(id).open_parameters().map(|p| p.var).collect()
    }

    /// Checks the open parameters of a declared type (Fortran 2018, C701, C702, 7.2): `*` is for dummies, `:` for allocatables
    /// and pointers.
    pub(super) fn check_lengths(
        &mut self,
        lengths: &[Length],
        is_dummy: bool,
        is_described: bool,
        span: Span,
    ) -> Option<()> {
        let text = if !is_dummy && lengths.iter().any(|n| matches!(n, Length::Assumed)) {
            "an assumed type parameter (`*`) is for dummy arguments"
        } else if !is_described && lengths.iter().any(|n| matches!(n, Length::Deferred)) {
            "a deferred type parameter (`:`) is for allocatable objects and pointers"
        } else {
            return Some(());
        };
        self.reporter.error(Code::BadTypeParameter, span, text)
    }
}

/// Whether an expression names one of these variables.
pub(super) fn names_any(e: &Expr, variables: &BTreeSet<VarId>) -> bool {
    let mut found = false;
    visit::all(e, &mut |node| found |= matches!(&node.kind, ExprKind::Var(v) if variables.contains(v)));
    found
}

fn values_of(params: &[TypeParam]) -> Vec<Option<i64>> {
    params.iter().map(|param| param.value).collect()
}

fn place_of(definition: Span) -> (FileId, u32) {
    (definition.file, definition.start)
}

/// Where a type definition declares a type parameter.
fn declaration<'a>(def: &'a ast::DerivedType, name: &'a Name) -> Option<Parameter<'a>> {
    def.items.iter().find_map(|item| {
        let TypeItem::Field(field) = item else { return None };
        if !declares_parameters(&field.attrs) {
            return None;
        }
        let entity = field.entities.iter().find(|e| e.name.text == name.text)?;
        let is_kind = field.attrs.iter().any(|a| matches!(a, Attr::Kind(_)));
        Some(Parameter { name: &entity.name, is_kind, spec: &field.spec, default: entity.init.as_ref() })
    })
}
