//! Components that the length parameters of their object decide (Fortran 2018, 7.5.3.1), where those are known at run time
//! only: the bounds and the character length of a component.
//!
//! An object holds its length parameters in components of their names, which come first. A component whose bounds or length
//! depend on them is stored like an allocatable one.
//!
//! Not here: which parameters are known at run time only (`parameterised`), making the objects (`lower`).

use super::parameterised::names_any;
use crate::checked::{CharLen, Const, Dim, Expr, ExprKind, Field, Shape, SizedBy, Storage, Type, TypeId, visit};
use crate::checker::{Checker, CodeSide, DeclaredName};
use crate::typing::Typing;
use diag::Code;
use source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Checker<'_> {
    /// Adds the components in which objects of a type hold the length parameters that its definition declares. Those of a flat type
    /// name them only.
    pub(super) fn lengths_of_objects(&mut self, id: TypeId) {
        let inherited = self.defs.type_info(id).parent.map_or(0, |p| self.defs.ty(p).params.len());
        let params = self.defs.ty(id).params.iter().skip(inherited).filter(|p| p.value.is_none()).cloned();
        for param in params.collect::<Vec<_>>() {
            let Type::Integer(kind) = param.ty else { continue };
            let t = self.defs.ty_mut(id);
            let offset = t.bytes.next_multiple_of(u64::from(kind));
            if !t.is_flat {
                t.bytes = offset.saturating_add(u64::from(kind));
                t.align = t.align.max(u64::from(kind));
            }
            t.fields.push(Field {
                name: param.name,
                ty: param.ty,
                shape: Shape::Scalar,
                offset,
                allocatable: false,
                pointer: false,
                class: false,
                cuda: None,
                init: None,
                start: None,
                is_parameter: true,
                sized: None,
                own_length: None,
                lengths: Vec::new(),
                span: param.span,
            });
        }
    }

    /// The type and shape of a component, and what length parameters decide about them: of one that is allocatable or a pointer, the
    /// length of its characters.
    pub(super) fn sized(
        &mut self,
        id: TypeId,
        ty: Type,
        shape: Shape,
        is_described: bool,
    ) -> Option<(Type, Shape, Option<Arc<SizedBy>>)> {
        let open = self.typing().open_variables(id);
        let (ty, len) = match ty {
            Type::Character(CharLen::Expr(e)) if names_any(&e, &open) => (Type::Character(CharLen::Deferred), Some(*e)),
            other => (other, None),
        };
        let depends = |dims: &[Dim]| dims.iter().any(|d| names_any(&d.lower, &open) || names_any(&d.upper, &open));
        let dims = match &shape {
            Shape::Explicit(dims) if len.is_some() || depends(dims) => dims.clone(),
            _ if len.is_none() => return Some((ty, self.typing().constant_shape(shape)?, None)),
            _ => Vec::new(),
        };
        let exprs = dims.iter().flat_map(|d| [&d.lower, &d.upper]).chain(&len);
        for e in exprs.filter(|e| !matches!(e.kind, ExprKind::Const(_))) {
            if !names_any(e, &open) {
                // Neither constant nor a matter of the parameters.
                self.typing().evaluate(e)?;
            }
        }
        if is_described {
            return Some((ty, shape, Some(Arc::new(SizedBy { dims: Vec::new(), len }))));
        }
        let shape = if dims.is_empty() { Shape::Scalar } else { Shape::Deferred(dims.len() as u8) };
        Some((ty, shape, Some(Arc::new(SizedBy { dims, len }))))
    }

    /// The default initialisation of such a component: a scalar, or an array whose shape is compared when an object is made.
    pub(super) fn initial_of_sized(
        &mut self,
        value: &ast::Expr,
        ty: &Type,
        shape: &Shape,
        name: &str,
    ) -> Option<Const> {
        let (init, rank, _) = self.constant_of_type(value, ty)?;
        if rank != 0 && rank != shape.rank() {
            let text = format!("initial value has rank {rank}, `{name}` has rank {}", shape.rank());
            return self.reporter.error(Code::RankMismatch, value.span, text);
        }
        Some(init)
    }
}

impl<'a> Checker<'a> {
    /// Refuses what is no plain variable of the device, of a type whose lengths are known at run time only.
    pub(super) fn check_flat_variable(&mut self, p: &DeclaredName<'a>, ty: &Type) -> Option<()> {
        let Type::Derived(id) = ty else { return Some(()) };
        self.note_finalised(*id, p.cuda.map(|(cuda, _)| cuda), p.span)?;
        let def = self.defs.ty(*id);
        if !def.is_flat {
            return Some(());
        }
        let is_class = p.spec.is_some_and(|s| matches!(s.kind, ast::TypeSpecKind::Class(_)));
        let what = match p.cuda {
            Some((cuda @ (ast::CudaAttr::Constant | ast::CudaAttr::Texture), _)) => {
                format!("{} data", crate::cuda::spelling(cuda))
            }
            _ if is_class => "a polymorphic object".to_owned(),
            _ => return Some(()),
        };
        let text =
            format!("{what} of `type({})` with lengths that are known at run time only, in device data,", def.name);
        self.reporter.refuse(p.span, text)
    }

    /// Notes the types of the host for data of closed instances that host code finalises: FINAL subroutines take objects that hold their
    /// lengths.
    pub(super) fn note_finalised(&mut self, id: TypeId, cuda: Option<ast::CudaAttr>, span: Span) -> Option<()> {
        let is_managed = matches!(cuda, Some(ast::CudaAttr::Managed | ast::CudaAttr::Unified));
        if !is_managed && self.cx.side != CodeSide::Both {
            return Some(());
        }
        let mut pending = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(at) = pending.pop() {
            if !seen.insert(at) || !self.has_finals_within(at) {
                continue;
            }
            if self.is_closed_instance(at) {
                self.host_type_of(at, span)?;
            }
            pending.extend(self.defs.ty(at).fields.iter().filter_map(|f| match f.ty {
                Type::Derived(part) if !f.pointer => Some(part),
                _ => None,
            }));
        }
        Some(())
    }

    /// Whether objects of a type are finalised, or a part of them is.
    fn has_finals_within(&self, id: TypeId) -> bool {
        let of_part = |f: &Field| matches!(f.ty, Type::Derived(part) if self.defs.has_finals(part));
        let of_parents = std::iter::successors(Some(id), |&at| self.defs.type_info(at).parent);
        of_parents.take(100).any(|at| self.defs.has_finals(at)) || self.defs.has_part(id, &of_part)
    }
}

impl Typing<'_> {
    /// An object that is there for the whole run has constant lengths (Fortran 2018, 10.1.11).
    pub(super) fn check_static_lengths(
        &mut self,
        p: &DeclaredName<'_>,
        storage: &Storage,
        lengths: &[CharLen],
    ) -> Option<()> {
        let is_described = p.allocatable.is_some() || p.pointer.is_some();
        let Some(e) = lengths.iter().find_map(visit::length_expr) else { return Some(()) };
        if !matches!(storage, Storage::Static | Storage::Associated { .. }) {
            return Some(());
        }
        if is_described {
            return self.reporter.refuse(e.span, "a static allocatable or pointer with a length that is not constant");
        }
        let text = format!("`{}` is static, and a length parameter of its type is not constant", p.name);
        self.reporter.error_help(Code::BadTypeParameter, e.span, text, "make it allocatable, with `:` for the length")
    }

    /// The value of an open parameter of an object, by its place among the open ones, where its declaration says it as a
    /// constant.
    pub(crate) fn declared_length(&self, object: &Expr, at: usize) -> Option<i64> {
        match self.declared_lengths(object).get(at) {
            Some(CharLen::Const(n)) => Some(*n),
            _ => None,
        }
    }

    /// The values that the declaration of an object gives to its open parameters; none if it has no declaration of its own.
    pub(crate) fn declared_lengths(&self, object: &Expr) -> &'_ [CharLen] {
        match &object.kind {
            ExprKind::Var(v) => &self.defs.var(*v).attrs.lengths,
            ExprKind::Field { base, field } => match base.ty {
                Type::Derived(id) => self.defs.ty(id).fields.get(*field as usize).map_or(&[], |f| &f.lengths),
                _ => &[],
            },
            ExprKind::Element { base, .. } | ExprKind::Section { base, .. } | ExprKind::Paren(base) => {
                self.declared_lengths(base)
            }
            _ => &[],
        }
    }
}
