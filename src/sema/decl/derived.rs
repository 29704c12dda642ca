//! Derived types: components, their offsets, parents and type-bound names.

use super::layout::descriptor_bytes;
use super::shape::Place;
use super::{Binding, TypeInfo};
use crate::checked::Const;
use crate::checked::{DerivedType, Dim, Expr, ExprKind, Field, Shape, Type, TypeId};
use crate::checker::{Checker, Context, Side};
use crate::cuda;
use crate::scope::{ScopeId, State, generic_key};
use ast::{Attr, CudaAttr, TypeField, TypeItem};
use diag::Code;
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

impl<'a> Checker<'a> {
    /// Makes a type; its components are settled on demand.
    pub(super) fn add_type(&mut self, scope: ScopeId, def: &'a ast::DerivedType) -> TypeId {
        let id = TypeId(self.out.types.len() as u32);
        self.out.types.push(DerivedType {
            name: def.name.text.clone(),
            fields: Vec::new(),
            bytes: 0,
            align: 1,
            parent: None,
            methods: BTreeMap::new(),
            finals: Vec::new(),
            assigns: Vec::new(),
            span: def.span,
        });
        self.types.push(TypeInfo { ast: Some(def), scope, state: State::Untouched, ..TypeInfo::finished() });
        id
    }

    /// Settles the components of a type.
    pub(crate) fn settle_type(&mut self, id: TypeId) {
        let at = id.0 as usize;
        if self.types[at].state != State::Untouched {
            return;
        }
        let (Some(def), scope) = (self.types[at].ast, self.types[at].scope) else { return };
        if !self.settle_deeper(def.name.span) {
            self.types[at].is_broken = true;
            self.types[at].state = State::Done;
            return;
        }
        self.types[at].state = State::Busy;
        let proc = self.scopes[scope.0 as usize].proc;
        let cx = Context::new(scope, proc, Side::Host);
        let outer = std::mem::replace(&mut self.cx, cx);
        if let Some(parent) = &def.extends
            && let Some(parent_id) = self.named_type(parent)
        {
            self.types[at].parent = Some(parent_id);
            self.types[at].bindings = self.types[parent_id.0 as usize].bindings.clone();
            let (fields, bytes, align) = {
                let t = self.out.ty(parent_id);
                (t.fields.clone(), t.bytes, t.align)
            };
            self.types[at].inherited = fields.len();
            let t = &mut self.out.types[at];
            (t.fields, t.bytes, t.align) = (fields, bytes, align);
            t.parent = Some(parent_id);
        }
        for item in &def.items {
            match item {
                TypeItem::Field(field) => self.fields(id, field),
                TypeItem::Private(_) | TypeItem::Final(_) => {}
                TypeItem::Error => self.types[at].is_broken = true,
                TypeItem::Procedure { interface, attrs, bindings } => {
                    let pass = attrs.iter().find_map(|a| match a {
                        Attr::PassArg(name) => Some(name.text.clone()),
                        _ => None,
                    });
                    let nopass = attrs.iter().any(|a| matches!(a, Attr::Binding(n) if n.as_str() == "nopass"));
                    if attrs.iter().any(|a| matches!(a, Attr::Pointer(_))) {
                        let interface = interface.as_ref().map(|i| i.text.clone());
                        let binding = Binding::Pointer { interface, nopass, pass, scope };
                        self.procedure_components(id, bindings, &binding);
                        continue;
                    }
                    for (name, target) in bindings {
                        let target: Arc<str> = target.as_ref().or(interface.as_ref()).unwrap_or(name).text.clone();
                        let binding = Binding::Procedure { name: target, nopass, pass: pass.clone(), scope };
                        self.types[at].bindings.insert(name.text.clone(), binding);
                    }
                }
                TypeItem::Generic { spec, names } => {
                    let list: Vec<Arc<str>> = names.iter().map(|n| n.text.clone()).collect();
                    let key = generic_key(spec);
                    match self.types[at].bindings.get_mut(&key) {
                        Some(Binding::Generic(old)) => old.extend(list),
                        _ => {
                            self.types[at].bindings.insert(key, Binding::Generic(list));
                        }
                    }
                }
            }
        }
        let t = &mut self.out.types[at];
        t.bytes = t.bytes.next_multiple_of(t.align.max(1));
        let refused = self.cx.refused.take();
        self.cx = outer;
        self.types[at].refused = refused;
        self.types[at].state = State::Done;
        self.settled();
    }

    fn fields(&mut self, id: TypeId, field: &'a TypeField) {
        let has = |f: &dyn Fn(&Attr) -> bool| field.attrs.iter().any(f);
        let (allocatable, pointer) =
            (has(&|a| matches!(a, Attr::Allocatable(_))), has(&|a| matches!(a, Attr::Pointer(_))));
        let mut attribute: Option<(CudaAttr, Span)> = None;
        for attr in &field.attrs {
            if let Attr::Cuda(c, span) = attr {
                match attribute {
                    Some((first, _)) if first != *c => {
                        let text = format!("component has both {} and {}", cuda::spelling(first), cuda::spelling(*c));
                        self.error::<()>(Code::TwoDataAttributes, *span, text);
                    }
                    _ => attribute = Some((*c, *span)),
                }
            }
        }
        let dimension = field.attrs.iter().find_map(|a| if let Attr::Dimension(s) = a { Some(s) } else { None });
        for e in &field.entities {
            if let Some((c, span)) = attribute {
                self.check_cuda_component(e.name.as_str(), c, span, allocatable, pointer);
            }
            let Some(ty) = self.type_spec(&field.spec, e.char_len.as_ref()) else {
                self.types[id.0 as usize].is_broken = true;
                continue;
            };
            if let (Type::Derived(inner), false) = (&ty, allocatable || pointer)
                && self.types[inner.0 as usize].state == State::Busy
            {
                let text = format!("component `{}` makes its type contain itself", e.name.as_str());
                self.error_help::<()>(
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
                self.error::<()>(Code::BadPolymorphism, field.spec.span, text);
                self.types[id.0 as usize].is_broken = true;
                continue;
            }
            let place = Place { allocatable, pointer, ..Place::default() };
            let shape = match e.shape.as_ref().or(dimension) {
                Some(shape) => match self.shape(shape, place) {
                    Some(shape) => shape,
                    None => {
                        self.types[id.0 as usize].is_broken = true;
                        continue;
                    }
                },
                None => Shape::Scalar,
            };
            let Some(shape) = self.constant_shape(shape) else {
                self.types[id.0 as usize].is_broken = true;
                continue;
            };
            if self.out.ty(id).fields.iter().any(|f| f.name == e.name.text) {
                let text = format!("component `{}` is declared twice", e.name.as_str());
                self.error::<()>(Code::DuplicateDeclaration, e.name.span, text);
                continue;
            }
            let init = match (&e.init, &e.pointer_init) {
                (Some(value), _) => self
                    .constant_of_type(value, &ty)
                    .and_then(|(c, rank)| self.shaped(c, rank, &shape, value.span, e.name.as_str())),
                (None, Some(target)) => self.null_initial(target, pointer, e.name.as_str()),
                (None, None) => None,
            };
            let (bytes, align) = if allocatable || pointer {
                (descriptor_bytes(shape.rank(), class), 8)
            } else {
                let Some((size, align)) = self.size_of(&ty) else {
                    let text = format!("length of component `{}` is not constant", e.name.as_str());
                    self.error::<()>(Code::BadCharacterLength, e.span, text);
                    continue;
                };
                let Some(total) = Self::elements_of(&shape).and_then(|n| n.checked_mul(size)) else { continue };
                (total, align)
            };
            let t = &mut self.out.types[id.0 as usize];
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
                span: e.name.span,
            });
        }
    }

    fn procedure_components(&mut self, id: TypeId, names: &[(ast::Name, Option<ast::Name>)], binding: &Binding) {
        for (name, _) in names {
            self.types[id.0 as usize].bindings.insert(name.text.clone(), binding.clone());
            let t = &mut self.out.types[id.0 as usize];
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
                init: Some(Const::Int(0)),
                span: name.span,
            });
        }
    }

    /// A component's shape, whose bounds must be constant.
    fn constant_shape(&mut self, shape: Shape) -> Option<Shape> {
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

    /// The type `dim3`: the one of the embedded modules, or one made here when no module has it.
    pub(crate) fn dim3(&mut self) -> TypeId {
        if let Some(id) = self.dim3 {
            return id;
        }
        let embedded = self.modules.iter().filter(|m| m.embedded).map(|m| m.scope).collect::<Vec<_>>();
        for scope in embedded {
            if let Some(crate::scope::Sym::Type(id) | crate::scope::Sym::Generic { ty: Some(id), .. }) =
                self.scopes[scope.0 as usize].names.get("dim3").map(|e| e.sym.clone())
            {
                self.settle_type(id);
                self.dim3 = Some(id);
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
            span: Span::NONE,
        };
        let id = TypeId(self.out.types.len() as u32);
        self.out.types.push(DerivedType {
            name: "dim3".into(),
            fields: vec![field("x", 0), field("y", 4), field("z", 8)],
            bytes: 12,
            align: 4,
            parent: None,
            methods: BTreeMap::new(),
            finals: Vec::new(),
            assigns: Vec::new(),
            span: Span::NONE,
        });
        self.types.push(TypeInfo { bindings: BTreeMap::new(), ..TypeInfo::finished() });
        self.dim3 = Some(id);
        id
    }
}
