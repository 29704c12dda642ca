//! Derived types: components, their offsets, parents and type-bound names.

use super::initial::is_null;
use super::parameterised::declares_parameters;
use super::shape::ShapeRules;
use crate::checked::{CharLen, Const, DerivedType, Dim, Expr, ExprKind, Field, Shape, Type, TypeId};
use crate::checker::{Binding, Checker, CodeSide, Context, Resolution, ScopeId, Sym, TypeInfo, generic_key};
use crate::cuda;
use crate::typing::{Typing, descriptor_bytes, elements_of};
use ast::{Attr, CudaAttr, TypeField, TypeItem};
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

impl<'a> Checker<'a> {
    /// Makes a type; its components are resolved on demand.
    pub(super) fn add_type(&mut self, scope: ScopeId, def: &'a ast::DerivedType) -> TypeId {
        self.check_type_parameters(def);
        let ty = DerivedType { is_bound: def.bind_c, ..DerivedType::empty(def.name.text.clone(), def.span) };
        let info = TypeInfo { ast: Some(def), scope, ..TypeInfo::untouched() };
        self.defs.add_type(ty, info)
    }

    /// Resolves the components of a type.
    pub(crate) fn resolve_type(&mut self, id: TypeId) {
        if self.defs.type_info(id).state != Resolution::Untouched {
            return;
        }
        let (Some(def), scope) = (self.defs.type_info(id).ast, self.defs.type_info(id).scope) else { return };
        if self.is_template(id) {
            self.defs.type_info_mut(id).state = Resolution::Done;
            return;
        }
        if !self.enter_dependency(def.name.span) {
            self.defs.type_info_mut(id).is_broken = true;
            self.defs.type_info_mut(id).state = Resolution::Done;
            return;
        }
        self.defs.type_info_mut(id).state = Resolution::InProgress;
        let proc = self.scopes.get(scope).proc;
        let is_closed = self.is_closed_instance(id);
        let outer = self.enter_context(Context::new(scope, proc, CodeSide::Host));
        self.cx.is_closed = is_closed;
        if let Some(parent) = &def.extends
            && let Some(parent_id) = self.parent_type(id, parent)
        {
            let word = self.defs.type_info(parent_id).ast.and_then(|p| match (p.sequence, p.bind_c) {
                (true, _) => Some("sequence"),
                (_, true) => Some("bind(c)"),
                _ => None,
            });
            if let Some(word) = word {
                // Fortran 2018, C731.
                let text = format!("`{}` has `{word}` and cannot be extended", parent.as_str());
                self.reporter.error::<()>(Code::BadPolymorphism, parent.span, text);
            }
            self.defs.type_info_mut(id).parent = Some(parent_id);
            let parent_info = self.defs.type_info(parent_id);
            let inherited =
                (parent_info.bindings.clone(), parent_info.private.clone(), parent_info.non_overridable.clone());
            let info = self.defs.type_info_mut(id);
            (info.bindings, info.private, info.non_overridable) = inherited;
            let (fields, bytes, align) = {
                let t = self.defs.ty(parent_id);
                (t.fields.clone(), t.bytes, t.align)
            };
            self.defs.type_info_mut(id).inherited = fields.len();
            let t = self.defs.ty_mut(id);
            (t.fields, t.bytes, t.align) = (fields, bytes, align);
            t.parent = Some(parent_id);
        }
        self.lengths_of_objects(id);
        self.note_private(id, def);
        let mut own: BTreeMap<Arc<str>, Span> = BTreeMap::new();
        for item in &def.items {
            match item {
                TypeItem::Field(field) if declares_parameters(&field.attrs) => {}
                TypeItem::Field(_) | TypeItem::Union(_) => self.components(id, item),
                TypeItem::Private { .. } | TypeItem::Final(_) => {}
                TypeItem::Error => self.defs.type_info_mut(id).is_broken = true,
                TypeItem::Procedure { interface, attrs, bindings } => {
                    let pass = attrs.iter().find_map(|a| match a {
                        Attr::PassArg(name) => Some(name.text.clone()),
                        _ => None,
                    });
                    let nopass = attrs.iter().any(|a| matches!(a, Attr::Binding(n) if n.as_str() == "nopass"));
                    if attrs.iter().any(|a| matches!(a, Attr::Pointer(_))) {
                        let interface = interface.clone().map(Arc::new);
                        let binding = Binding::Pointer { interface, nopass, pass, scope };
                        self.procedure_components(id, scope, bindings, &binding);
                        continue;
                    }
                    for (name, target) in bindings {
                        if self.defs.ty(id).fields.iter().any(|f| f.name == name.text) {
                            let text = format!("`{}` is a component of the type already", name.as_str());
                            self.reporter.error::<()>(Code::BadTypeBoundProcedure, name.span, text);
                        }
                        if let Some(first) = own.insert(name.text.clone(), name.span) {
                            // Fortran 2018, 19.3.1: the names of one type differ.
                            let text = format!("`{}` is bound twice in one type", name.as_str());
                            let d = Diagnostic::new(Code::BadTypeBoundProcedure, name.span, text);
                            self.reporter.report(d.secondary(first, "the first one is here"));
                        }
                        let target: Arc<str> =
                            target.as_ref().or(interface_name(interface.as_ref())).unwrap_or(name).text.clone();
                        if self.defs.type_info(id).non_overridable.contains(&name.text) {
                            let text = format!("`{}` cannot be bound again: it is `non_overridable`", name.as_str());
                            self.reporter.error::<()>(Code::BadTypeBoundProcedure, name.span, text);
                        }
                        if attrs.iter().any(|a| matches!(a, Attr::Binding(n) if n.as_str() == "non_overridable")) {
                            self.defs.type_info_mut(id).non_overridable.insert(name.text.clone());
                        }
                        let deferred = attrs.iter().any(|a| matches!(a, Attr::Binding(n) if n.as_str() == "deferred"));
                        let binding = Binding::Procedure { name: target, nopass, deferred, pass: pass.clone(), scope };
                        self.defs.type_info_mut(id).bindings.insert(name.text.clone(), binding);
                    }
                }
                TypeItem::Generic { spec, names, .. } => {
                    let list: Vec<Arc<str>> = names.iter().map(|n| n.text.clone()).collect();
                    self.check_named_once(names);
                    let key = generic_key(spec);
                    match self.defs.type_info_mut(id).bindings.get_mut(&key) {
                        Some(Binding::Generic(old)) => old.extend(list),
                        _ => {
                            self.defs.type_info_mut(id).bindings.insert(key, Binding::Generic(list));
                        }
                    }
                }
            }
        }
        if def.items.iter().any(|item| matches!(item, TypeItem::Union(_))) {
            let bytes = self.lay_out(id, &def.items, 0);
            self.defs.ty_mut(id).bytes = bytes;
        }
        self.note_open_parts(id);
        let is_made = !self.defs.ty(id).is_flat && self.defs.has_part(id, &|f| f.is_parameter || f.start.is_some());
        let t = self.defs.ty_mut(id);
        t.is_made = is_made;
        t.bytes = t.bytes.next_multiple_of(t.align.max(1));
        let refused = self.leave_context(outer);
        self.defs.type_info_mut(id).refused = refused;
        self.defs.type_info_mut(id).state = Resolution::Done;
        self.leave_dependency();
    }

    /// A component has no attribute of variables (Fortran 2018, R738).
    fn check_component_attributes(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            let (word, span) = match attr {
                Attr::Parameter(span) => ("parameter", *span),
                Attr::Save(span) => ("save", *span),
                Attr::Target(span) => ("target", *span),
                Attr::Intent(_, span) => ("intent", *span),
                Attr::External(span) => ("external", *span),
                Attr::Intrinsic(span) => ("intrinsic", *span),
                Attr::Optional(span) => ("optional", *span),
                Attr::Protected(span) => ("protected", *span),
                Attr::Value(span) => ("value", *span),
                Attr::Volatile(span) => ("volatile", *span),
                Attr::Asynchronous(span) => ("asynchronous", *span),
                _ => continue,
            };
            let text = format!("a component cannot be `{word}`: that is for variables");
            self.reporter.error::<()>(Code::AttributeConflict, span, text);
        }
    }

    /// A generic name has each of its procedures once (Fortran 2018, C1509, C778).
    pub(super) fn check_named_once(&mut self, names: &[ast::Name]) {
        for (at, name) in names.iter().enumerate() {
            if let Some(first) = names[..at].iter().find(|other| other.text == name.text) {
                let text = format!("`{}` stands twice in one list of procedures", name.as_str());
                let d = Diagnostic::new(Code::DuplicateDeclaration, name.span, text);
                self.reporter.report(d.secondary(first.span, "the first one is here"));
            }
        }
    }

    /// The type that another one extends.
    fn parent_type(&mut self, id: TypeId, parent: &ast::Name) -> Option<TypeId> {
        match self.parent_of_instance(id) {
            Some(instance) => {
                self.resolve_type(instance);
                Some(instance)
            }
            None => {
                let parent = self.named_type(parent)?;
                Some(self.for_device(parent))
            }
        }
    }

    /// Notes which components and type-bound names of a type only its module may use.
    fn note_private(&mut self, id: TypeId, def: &'a ast::DerivedType) {
        let Some(module) = self.scopes.module_of(self.defs.type_info(id).scope).cloned() else { return };
        let is_component = |item: &TypeItem| match item {
            TypeItem::Field(field) => !declares_parameters(&field.attrs),
            TypeItem::Procedure { attrs, .. } => attrs.iter().any(|a| matches!(a, Attr::Pointer(_))),
            _ => false,
        };
        let (mut components, mut bindings) = (false, false);
        for item in &def.items {
            let TypeItem::Private { of_bindings, span } = item else { continue };
            let given = if *of_bindings { &mut bindings } else { &mut components };
            if std::mem::replace(given, true) {
                // Fortran 2018, C734.
                let text = "`private` stands twice in one type definition";
                self.reporter.error::<()>(Code::BadAccessStatement, *span, text);
            }
        }
        let mut note = |names: &mut dyn Iterator<Item = &Arc<str>>, attrs: &[Attr], by_default: bool| {
            let is_private = attrs.iter().any(|a| matches!(a, Attr::Private(_)));
            let is_public = attrs.iter().any(|a| matches!(a, Attr::Public(_)));
            let private = &mut self.defs.type_info_mut(id).private;
            for name in names {
                if is_private || (by_default && !is_public) {
                    private.insert(name.clone(), module.clone());
                } else {
                    private.remove(name);
                }
            }
        };
        for item in &def.items {
            match item {
                TypeItem::Field(f) => note(&mut f.entities.iter().map(|e| &e.name.text), &f.attrs, components),
                TypeItem::Procedure { attrs, bindings: names, .. } => {
                    let by_default = if is_component(item) { components } else { bindings };
                    note(&mut names.iter().map(|(name, _)| &name.text), attrs, by_default);
                }
                TypeItem::Generic { attrs, spec: spec @ ast::Generic::Name(_), .. } => {
                    note(&mut std::iter::once(&generic_key(spec)), attrs, bindings);
                }
                _ => {}
            }
        }
    }

    /// The components of a declaration, or of all MAPs of a UNION.
    fn components(&mut self, id: TypeId, item: &'a TypeItem) {
        match item {
            TypeItem::Field(field) => self.fields(id, field),
            TypeItem::Union(maps) => maps.iter().flatten().for_each(|item| self.components(id, item)),
            _ => {}
        }
    }

    fn fields(&mut self, id: TypeId, field: &'a TypeField) {
        self.check_component_attributes(&field.attrs);
        let has = |f: &dyn Fn(&Attr) -> bool| field.attrs.iter().any(f);
        let (allocatable, pointer) =
            (has(&|a| matches!(a, Attr::Allocatable(_))), has(&|a| matches!(a, Attr::Pointer(_))));
        let mut attribute: Option<(CudaAttr, Span)> = None;
        for attr in &field.attrs {
            if let Attr::Cuda(c, span) = attr {
                match attribute {
                    Some((first, _)) if first != *c => {
                        let text = format!("component has both {} and {}", cuda::spelling(first), cuda::spelling(*c));
                        self.reporter.error::<()>(Code::TwoDataAttributes, *span, text);
                    }
                    _ => attribute = Some((*c, *span)),
                }
            }
        }
        let dimension = field.attrs.iter().find_map(|a| if let Attr::Dimension(s) = a { Some(s) } else { None });
        for e in &field.entities {
            let is_structure = self.defs.ty(id).name.starts_with("structure ");
            if e.data.is_some() && !is_structure {
                let text = "a component has its initial value behind `=`";
                self.reporter.error::<()>(Code::BadInitialisation, e.span, text);
            }
            if let Some((c, span)) = attribute {
                self.typing().check_cuda_component(e.name.as_str(), c, span, allocatable, pointer);
            }
            let is_array = e.shape.is_some() || dimension.is_some();
            if let Some(Attr::Contiguous(span)) = field.attrs.iter().find(|a| matches!(a, Attr::Contiguous(_)))
                && !(pointer && is_array)
            {
                // Fortran 2018, C752.
                let text = format!("component `{}` is `contiguous` and no array pointer", e.name.as_str());
                self.reporter.error::<()>(Code::AttributeConflict, *span, text);
            }
            self.cx.by_descriptor = allocatable || pointer;
            // Host code keeps polymorphic managed objects like its own.
            let is_class = matches!(field.spec.kind, ast::TypeSpecKind::Class(_));
            let is_managed = matches!(attribute, Some((CudaAttr::Managed | CudaAttr::Unified, _)));
            let is_on_device = attribute.is_some_and(|(cuda, _)| cuda != ast::CudaAttr::Pinned)
                && !(is_class && is_managed && allocatable);
            let outer = self.cx.is_closed;
            self.cx.is_closed |= is_on_device;
            let ty = self.type_spec(&field.spec, e.char_len.as_ref());
            self.cx.is_closed = outer;
            self.cx.by_descriptor = false;
            let Some(ty) = ty else {
                self.defs.type_info_mut(id).is_broken = true;
                continue;
            };
            if let Type::Derived(inner) = ty
                && self.note_finalised(inner, attribute.map(|a| a.0), e.name.span).is_none()
            {
                self.defs.type_info_mut(id).is_broken = true;
                continue;
            }
            if let (true, Type::Derived(inner)) = (is_class, &ty)
                && self.defs.ty(*inner).is_flat
            {
                let text = "a polymorphic component with lengths that are known at run time only, in device data,";
                self.reporter.refuse::<()>(e.name.span, text);
                self.defs.type_info_mut(id).is_broken = true;
                continue;
            }
            if let (Type::Derived(inner), false) = (&ty, allocatable || pointer)
                && self.defs.type_info(*inner).state == Resolution::InProgress
            {
                let text = format!("component `{}` makes its type contain itself", e.name.as_str());
                self.reporter.error_help::<()>(
                    Code::ConflictingDeclaration,
                    e.name.span,
                    text,
                    "make it a pointer or allocatable",
                );
                continue;
            }
            let class = self.is_polymorphic(Some(&field.spec));
            if matches!(field.spec.kind, ast::TypeSpecKind::Class(_) | ast::TypeSpecKind::ClassStar)
                && !(allocatable || pointer)
            {
                let text = format!("polymorphic component `{}` must be allocatable or a pointer", e.name.as_str());
                self.reporter.error::<()>(Code::BadPolymorphism, field.spec.span, text);
                self.defs.type_info_mut(id).is_broken = true;
                continue;
            }
            let place = ShapeRules { allocatable, pointer, ..ShapeRules::default() };
            let shape = match e.shape.as_ref().or(dimension) {
                Some(shape) => match self.shape(shape, place) {
                    Some(shape) => shape,
                    None => {
                        self.defs.type_info_mut(id).is_broken = true;
                        continue;
                    }
                },
                None => Shape::Scalar,
            };
            let Some((ty, shape, sized)) = self.sized(id, ty, shape, allocatable || pointer) else {
                self.defs.type_info_mut(id).is_broken = true;
                continue;
            };
            let (sized, own_length) = match sized {
                Some(by) if allocatable || pointer => (None, by.len.clone().map(Arc::new)),
                other => (other, None),
            };
            self.cx.by_descriptor = allocatable || pointer;
            self.cx.is_closed |= is_on_device;
            let lengths = self.lengths_of_spec(&field.spec);
            self.cx.is_closed = outer;
            self.cx.by_descriptor = false;
            if self.typing().check_lengths(&lengths, false, allocatable || pointer, field.spec.span).is_none() {
                self.defs.type_info_mut(id).is_broken = true;
                continue;
            }
            let allocatable = allocatable || sized.is_some();
            if self.defs.ty(id).fields.iter().any(|f| f.name == e.name.text) {
                let text = format!("component `{}` is declared twice", e.name.as_str());
                self.reporter.error::<()>(Code::DuplicateDeclaration, e.name.span, text);
                continue;
            }
            let mut start = None;
            let init = match (&e.init, &e.pointer_init) {
                // nvfortran takes `= null()` for `=> null()`.
                (Some(value), _) if pointer && is_null(value) => Some(Const::Null),
                (Some(value), _) if (!allocatable || sized.is_some()) && !pointer && self.is_made(&ty) => {
                    start = self.start_of_part(value, &ty, &shape);
                    None
                }
                (None, Some(target)) if pointer && !is_null(target) => {
                    start = self.start_of_pointer(target, &ty, &shape);
                    None
                }
                (Some(value), _) if sized.is_some() => self.initial_of_sized(value, &ty, &shape, e.name.as_str()),
                (Some(value), _) => self
                    .constant_of_type(value, &ty)
                    .and_then(|(c, rank, _)| self.typing().shaped(c, rank, &shape, value.span, e.name.as_str())),
                (None, Some(target)) => self.typing().null_initial(target, pointer, e.name.as_str()),
                (None, None) => e
                    .data
                    .as_ref()
                    .filter(|_| is_structure)
                    .and_then(|data| self.data_of_component(&data.1, &ty, &shape, e.span)),
            };
            let (bytes, align) = if sized.is_some() && self.defs.ty(id).is_flat {
                // Where it is follows from the lengths.
                let part = if let Type::Character(_) = ty { Type::Character(CharLen::Const(1)) } else { ty.clone() };
                (0, self.size_of(&part).map_or(1, |size| size.1))
            } else if allocatable || pointer {
                // The length parameters of objects of the device follow their descriptor.
                let is_flat = matches!(ty, Type::Derived(inner) if self.defs.ty(inner).is_flat);
                let lengths = if is_flat { 8 * lengths.len() as u64 } else { 0 };
                (descriptor_bytes(shape.rank(), class) + lengths, 8)
            } else {
                let Some((size, align)) = self.size_of(&ty) else {
                    let text = format!("length of component `{}` is not constant", e.name.as_str());
                    self.reporter.error::<()>(Code::BadCharacterLength, e.span, text);
                    continue;
                };
                // An array of no objects says their lengths.
                let least = u64::from(self.is_made(&ty));
                let Some(total) = elements_of(&shape).and_then(|n| n.max(least).checked_mul(size)) else { continue };
                (total, align)
            };
            let t = self.defs.ty_mut(id);
            let offset = t.bytes.next_multiple_of(align.max(1));
            t.bytes = offset.saturating_add(bytes);
            t.align = t.align.max(align);
            t.fields.push(Field {
                name: e.name.text.clone(),
                ty,
                shape,
                offset,
                allocatable,
                pointer,
                class,
                cuda: attribute.map(|a| a.0),
                init,
                start,
                is_parameter: false,
                sized,
                own_length,
                lengths,
                span: e.name.span,
            });
        }
    }

    fn procedure_components(
        &mut self,
        id: TypeId,
        scope: ScopeId,
        names: &[(ast::Name, Option<ast::Name>)],
        binding: &Binding,
    ) {
        for (name, target) in names {
            let init = match target {
                Some(target) if target.as_str() != "null" => self.first_procedure(scope, target),
                _ => Some(Const::Int(0)),
            };
            self.defs.type_info_mut(id).bindings.insert(name.text.clone(), binding.clone());
            let t = self.defs.ty_mut(id);
            let offset = t.bytes.next_multiple_of(8);
            t.bytes = offset.saturating_add(8);
            t.align = t.align.max(8);
            t.fields.push(Field {
                name: name.text.clone(),
                ty: Type::Integer(8),
                shape: Shape::Scalar,
                offset,
                allocatable: false,
                pointer: false,
                class: false,
                cuda: None,
                init,
                start: None,
                is_parameter: false,
                sized: None,
                own_length: None,
                lengths: Vec::new(),
                span: name.span,
            });
        }
    }

    /// The procedure that a procedure pointer component points to at first.
    fn first_procedure(&mut self, scope: ScopeId, target: &ast::Name) -> Option<Const> {
        let found = self.specific_named(scope, &target.text);
        if found.is_none() && matches!(self.find_from(scope, &target.text), Some(Sym::Error)) {
            return None;
        }
        match found.or_else(|| self.scopes.external(&target.text)) {
            Some(id) => Some(self.defs.procedure_constant(id)),
            None => {
                let text = format!("there is no procedure `{}` here", target.as_str());
                self.reporter.error(Code::UnknownProcedure, target.span, text)
            }
        }
    }

    /// The type `dim3`: the one of the embedded modules, or one made here when no module has it.
    pub(crate) fn dim3(&mut self) -> TypeId {
        if let Some(id) = self.made.dim3 {
            return id;
        }
        let embedded = self.scopes.embedded_scopes().collect::<Vec<_>>();
        for scope in embedded {
            if let Some(Sym::Type(id) | Sym::Generic { ty: Some(id), .. }) =
                self.scopes.get(scope).names.get("dim3").map(|e| e.sym.clone())
            {
                self.resolve_type(id);
                self.made.dim3 = Some(id);
                return id;
            }
        }
        let field = |name: &str, offset: u64| Field {
            name: name.into(),
            ty: Type::Integer(4),
            shape: Shape::Scalar,
            offset,
            allocatable: false,
            pointer: false,
            class: false,
            cuda: None,
            init: Some(Const::Int(1)),
            start: None,
            is_parameter: false,
            sized: None,
            own_length: None,
            lengths: Vec::new(),
            span: Span::NONE,
        };
        let ty = DerivedType {
            fields: vec![field("x", 0), field("y", 4), field("z", 8)],
            bytes: 12,
            align: 4,
            ..DerivedType::empty("dim3".into(), Span::NONE)
        };
        let id = self.defs.add_type(ty, TypeInfo::finished());
        self.made.dim3 = Some(id);
        id
    }
}

impl Typing<'_> {
    /// A component's shape, whose bounds must be constant.
    pub(super) fn constant_shape(&mut self, shape: Shape) -> Option<Shape> {
        let Shape::Explicit(dims) = shape else { return Some(shape) };
        let mut out = Vec::with_capacity(dims.len());
        for d in dims {
            let constant = |c: &mut Self, e: Expr| match c.evaluate(&e)? {
                value @ Const::Int(_) => Some(Expr { kind: ExprKind::Const(value), ..e }),
                _ => None,
            };
            let (lower, upper) = (constant(self, d.lower), constant(self, d.upper));
            let (Some(lower), Some(upper)) = (lower, upper) else { return None };
            out.push(Dim { lower, upper });
        }
        Some(Shape::Explicit(out))
    }
}

/// The name of an interface.
fn interface_name(interface: Option<&ast::TypeSpec>) -> Option<&ast::Name> {
    match interface.map(|spec| &spec.kind) {
        Some(ast::TypeSpecKind::Type(spec)) => Some(&spec.name),
        _ => None,
    }
}
