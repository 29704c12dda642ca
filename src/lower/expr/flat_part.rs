//! Flat objects: data of the device whose length parameters are known at run time only (`DerivedType::is_flat`). The components lie
//! one after another at their natural alignment, as where the lengths are constant. The lengths belong to the variable: they are
//! what its declaration says, what the caller passes for `*`, or for `:` what was said last when it was allocated or became associated.
//!
//! Not here: assignment (`assign::flat`), the flat form of objects of the host (`object::flat`).

use crate::analysis::designators::field_of;
use crate::analysis::variables::const_bounds;
use crate::elements::Operands;
use crate::function::FunctionLowering;
use crate::module::globals::{described_bytes, descriptor_bytes};
use crate::types::is_flat;
use crate::value::Value;
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::lvalue::{Lvalue, MemRef};
use ir::{AddrBase, Space, Ty, Val};
use sema::checked::{CharLen, Expr, ExprKind, Field, Intrinsic, Item, Storage, Type, TypeId, VarId};

/// Where a component of a flat object is, and what it looks like.
struct FlatPlace {
    /// Bytes from the beginning of the object.
    offset: Val,
    dims: Vec<ArrayDim>,
    element: Val,
    /// Length of a character.
    len: Option<Val>,
}

impl FlatPlace {
    fn view(self, mem: MemRef) -> ArrayView {
        let FlatPlace { dims, element, len, .. } = self;
        ArrayView { mem, origin: None, dims, element, len, tag: None, contiguity: Contiguity::Yes, assumed_size: false }
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Bytes of an object of a type with these length parameters.
    pub(crate) fn bytes_with_lengths(&mut self, ty: &Type, lengths: &[Val]) -> Val {
        match ty {
            Type::Derived(id) if is_flat(self.b.program(), ty) => {
                self.bind_parameters(*id, lengths);
                let end = self.lay_out(*id, usize::MAX).0;
                self.b.freeze(end)
            }
            _ => self.b.fixed_bytes(ty),
        }
    }

    /// Bytes of a scalar, or an element, that an expression of a type other than character gives.
    pub(crate) fn bytes_of(&mut self, e: &'p Expr) -> Val {
        if !is_flat(self.b.program(), &e.ty) {
            return self.b.element_bytes(&e.ty, None);
        }
        let lengths = self.lengths_of(e);
        self.bytes_with_lengths(&e.ty, &lengths)
    }

    /// The place of an object with its bytes, where it is flat.
    pub(crate) fn sized_place(&mut self, place: Lvalue, e: &'p Expr) -> Lvalue {
        match place {
            Lvalue::Mem(mem) if is_flat(self.b.program(), &e.ty) => Lvalue::Char(mem, self.bytes_of(e)),
            other => other,
        }
    }

    /// Goes through the components of a type, whose parameters are bound, up to the one with that number; gives where it ends, and
    /// its place.
    fn lay_out(&mut self, id: TypeId, wanted: usize) -> (Val, Option<FlatPlace>) {
        let program = self.b.program();
        let def = program.ty(id);
        let (mut at, mut inherited) = (Val::i64(0), 0);
        if let Some(parent) = def.parent {
            let (end, found) = self.lay_out(parent, wanted);
            if found.is_some() {
                return (end, found);
            }
            at = end;
            inherited = program.ty(parent).fields.len();
        }
        for (number, field) in def.fields.iter().enumerate().skip(inherited).filter(|(_, f)| !f.is_parameter) {
            let start = self.b.round_up(at, program.part_align(field));
            let mut place = self.extent_of_field(field);
            let extents: Vec<Val> = place.dims.iter().map(|d| d.extent).collect();
            let bytes = self.b.array_bytes(&extents, place.element);
            at = self.b.iadd(start, bytes);
            if number == wanted {
                place.offset = start;
                return (at, Some(place));
            }
        }
        (self.b.round_up(at, program.flat_align(&Type::Derived(id))), None)
    }

    /// The bounds and the bytes of a component, for parameters that are bound.
    fn extent_of_field(&mut self, field: &'p Field) -> FlatPlace {
        if field.is_described() {
            let element = Val::i64(described_bytes(self.b.program(), field) as i64);
            return FlatPlace { offset: Val::i64(0), dims: Vec::new(), element, len: None };
        }
        let length = field.sized.as_ref().and_then(|sized| sized.len.as_ref());
        let (element, len) = match (&field.ty, length) {
            (_, Some(length)) => {
                let n = self.bound(length);
                let n = self.b.at_least_zero(n);
                (n, Some(n))
            }
            (Type::Character(_), None) => {
                let n = self.b.element_bytes(&field.ty, None);
                (n, Some(n))
            }
            (ty, None) => {
                let lengths = self.lengths(&field.lengths);
                (self.bytes_with_lengths(ty, &lengths), None)
            }
        };
        let dims = match &field.sized {
            Some(sized) => self.explicit_dims(&sized.dims, element),
            None => {
                let mut stride = element;
                let bounds = const_bounds(&field.shape).unwrap_or_default();
                let dim = |(lower, extent): (i64, i64)| {
                    let dim = ArrayDim { lower: Val::i64(lower), extent: Val::i64(extent), stride, gather: None };
                    stride = self.b.imul(stride, dim.extent);
                    dim
                };
                bounds.into_iter().map(dim).collect()
            }
        };
        FlatPlace { offset: Val::i64(0), dims, element, len }
    }

    /// A component of a flat object at `mem` that has these lengths, and the lengths of its own type.
    pub(crate) fn flat_part_at(
        &mut self,
        mem: MemRef,
        id: TypeId,
        lengths: &[Val],
        number: usize,
    ) -> Option<(ArrayView, Vec<Val>)> {
        self.bind_parameters(id, lengths);
        let place = self.lay_out(id, number).1?;
        let own = self.lengths(&self.b.program().ty(id).fields.get(number)?.lengths);
        let mem = self.b.advance(mem, place.offset);
        Some((place.view(mem), own))
    }

    /// Goes through the components of a flat object; `f` gets each with its view and the lengths of its own type.
    pub(crate) fn each_flat_part(
        &mut self,
        mem: MemRef,
        id: TypeId,
        lengths: &[Val],
        f: &mut dyn FnMut(&mut Self, &'p Field, ArrayView, Vec<Val>),
    ) {
        for (number, field) in self.b.program().ty(id).fields.iter().enumerate().filter(|(_, f)| !f.is_parameter) {
            if let Some((view, own)) = self.flat_part_at(mem, id, lengths, number) {
                let own = own.into_iter().map(|n| self.b.freeze(n)).collect();
                f(self, field, view, own);
            }
        }
    }

    /// The view of a component of a flat object.
    pub(crate) fn flat_field(&mut self, base: &'p Expr, field: u32) -> Option<ArrayView> {
        let Type::Derived(id) = base.ty else { return None };
        if !is_flat(self.b.program(), &base.ty) {
            return None;
        }
        if let Some(d) = self.described_field(base, field) {
            return Some(self.b.desc_view(&d));
        }
        let lengths = self.lengths_of(base);
        self.bind_parameters(id, &lengths);
        let place = self.lay_out(id, field as usize).1?;
        let (objects, first) = if base.rank == 0 || self.is_current(base) {
            (None, self.object(base))
        } else {
            let view = self.designator_view(base)?;
            (Some(view.clone()), view.mem)
        };
        let mem = self.b.advance(first, place.offset);
        let part = place.view(mem);
        // A scalar component of each object.
        let Some(objects) = objects.filter(|_| part.dims.is_empty()) else { return Some(part) };
        let mut dims = objects.dims;
        dims.iter_mut().for_each(|d| d.lower = Val::i64(1));
        Some(ArrayView { dims, contiguity: Contiguity::Unknown, ..part })
    }

    /// The memory of the descriptor of an allocatable or pointer component; the length parameters of a flat object are bound then.
    pub(crate) fn descriptor_memory(&mut self, base: &'p Expr, field: u32) -> Option<MemRef> {
        let program = self.b.program();
        let (f, Type::Derived(id)) = (field_of(program, base, field)?, &base.ty) else { return None };
        if !is_flat(program, &base.ty) {
            return (f.allocatable || f.pointer).then(|| self.object(base).plus(f.offset as i64));
        }
        if !f.is_described() {
            return None;
        }
        let object = self.object(base);
        let lengths = self.lengths_of(base);
        let lengths: Vec<Val> = lengths.into_iter().map(|n| self.b.freeze(n)).collect();
        self.bind_parameters(*id, &lengths);
        let place = self.lay_out(*id, field as usize).1?;
        let mem = self.b.advance(object, place.offset);
        // The components that come before may have bound those of their own types.
        self.bind_parameters(*id, &lengths);
        Some(mem)
    }

    /// The place of a scalar component of a flat object.
    pub(crate) fn flat_field_lvalue(&mut self, base: &'p Expr, field: u32) -> Option<Lvalue> {
        let view = self.flat_field(base, field)?;
        Some(view.len.map_or(Lvalue::Mem(view.mem), |len| Lvalue::Char(view.mem, len)))
    }

    /// Notes the lengths of a flat dummy, those that it declares with `*` as they are passed.
    pub(crate) fn take_flat_lengths(&mut self, v: VarId, given: &[Val]) {
        let attrs = &self.b.program().var(v).attrs;
        if !attrs.is_flat || attrs.allocatable || attrs.pointer {
            return;
        }
        let mut given = given.iter();
        let mut lengths = Vec::with_capacity(attrs.lengths.len());
        for n in &attrs.lengths {
            lengths.push(match n {
                CharLen::Const(n) => Some(Val::i64(*n)),
                CharLen::Expr(e) => Some(self.bound(e)),
                CharLen::Assumed | CharLen::Deferred => given.next().copied(),
            });
        }
        self.storage.set_lengths(v, lengths);
    }

    /// Where the lengths of an allocatable or pointer are kept.
    pub(crate) fn lengths_place(&mut self, v: VarId) -> Option<MemRef> {
        let program = self.b.program();
        let var = program.var(v);
        if !(var.attrs.is_flat && (var.attrs.allocatable || var.attrs.pointer)) {
            return None;
        }
        if let Some(place) = self.storage.lengths_place(v) {
            return Some(place);
        }
        if !matches!(var.storage, Storage::Static) {
            return None;
        }
        let global = self.b.module().lengths_global(v);
        let space = if self.b.is_host() { Space::Host } else { self.b.module().global_data(global).space };
        let addr = self.b.addr_of(AddrBase::Global(global));
        Some(MemRef::at(addr, space))
    }

    /// The lengths of a flat variable: those that its declaration says, and for `:` those of the allocation.
    pub(crate) fn flat_variable_lengths(&mut self, v: VarId) -> Vec<Option<Val>> {
        let lengths = &self.b.program().var(v).attrs.lengths;
        if let Some(known) = self.storage.lengths(v).filter(|known| known.iter().all(Option::is_some)) {
            return known.to_vec();
        }
        if let Some(place) = self.lengths_place(v) {
            let at = |i: usize| place.plus(8 * i as i64);
            let load = |this: &mut Self, (i, n): (usize, &CharLen)| match n {
                CharLen::Const(n) => Some(Val::i64(*n)),
                _ => Some(this.b.load_scalar(at(i), Ty::I64).into()),
            };
            return lengths.iter().enumerate().map(|n| load(self, n)).collect();
        }
        self.note_lengths(v);
        self.storage.lengths(v).unwrap_or_default().to_vec()
    }

    /// Where the lengths of an allocatable or pointer, a variable or a component, are kept.
    pub(crate) fn lengths_place_of(&mut self, e: &'p Expr) -> Option<MemRef> {
        match &e.kind {
            ExprKind::Var(v) => self.lengths_place(*v),
            ExprKind::Field { base, field } if base.rank == 0 || self.is_current(base) => {
                let f = field_of(self.b.program(), base, *field)?;
                if !(f.allocatable || f.pointer) || !is_flat(self.b.program(), &f.ty) {
                    return None;
                }
                let behind = descriptor_bytes(f.shape.rank(), f.class);
                Some(self.descriptor_memory(base, *field)?.plus(behind as i64))
            }
            _ => None,
        }
    }

    /// The lengths that the declaration of an allocatable or pointer writes.
    fn written_lengths(&self, e: &'p Expr) -> &'p [CharLen] {
        match &e.kind {
            ExprKind::Var(v) => &self.b.program().var(*v).attrs.lengths,
            ExprKind::Field { base, field } => field_of(self.b.program(), base, *field).map_or(&[], |f| &f.lengths),
            _ => &[],
        }
    }

    /// Lengths of a component, of which those that are `:` are kept behind its descriptor.
    pub(crate) fn with_kept_lengths(&mut self, e: &'p Expr, lengths: Vec<Option<Val>>) -> Vec<Option<Val>> {
        if !is_flat(self.b.program(), &e.ty) || lengths.iter().all(Option::is_some) {
            return lengths;
        }
        let Some(place) = self.lengths_place_of(e) else { return lengths };
        let at = |i: usize| place.plus(8 * i as i64);
        lengths.into_iter().enumerate().map(|(i, n)| n.or_else(|| Some(self.b.load_word(at(i))))).collect()
    }

    /// The lengths that the declaration of an allocatable or pointer fixes; `None` for `:`.
    pub(crate) fn lengths_that_stay(&mut self, e: &'p Expr) -> Vec<Option<Val>> {
        let known = self.declared_lengths(e);
        let is_open = |n: &CharLen| matches!(n, CharLen::Deferred);
        known.into_iter().zip(self.written_lengths(e)).map(|(n, of)| n.filter(|_| !is_open(of))).collect()
    }

    /// Says with which lengths an allocatable is allocated, or which the target of a pointer has.
    pub(crate) fn keep_flat_lengths(&mut self, target: &'p Expr, lengths: &[Val]) {
        if let Some(place) = self.lengths_place_of(target) {
            for (i, &n) in lengths.iter().enumerate() {
                self.b.store_scalar(place.plus(8 * i as i64), Ty::I64, n);
            }
        }
    }

    /// All length parameters of what an expression gives, those that are constant too.
    pub(crate) fn all_lengths_of(&mut self, e: &'p Expr) -> Vec<Val> {
        let Type::Derived(id) = e.ty else { return Vec::new() };
        let params = &self.b.program().ty(id).params;
        let constant = params.iter().filter(|p| !p.is_kind).map(|p| p.value);
        if let Some(known) = constant.collect::<Option<Vec<i64>>>() {
            return known.into_iter().map(Val::i64).collect();
        }
        self.lengths_of(e)
    }

    /// The lengths of a flat object, which a designator names.
    pub(crate) fn lengths_of_flat(&mut self, e: &'p Expr) -> Vec<Val> {
        if let Some(known) = self.elements.lengths(e) {
            return known;
        }
        let declared = self.declared_lengths(e);
        if declared.is_empty() || declared.iter().any(Option::is_none) {
            self.b.refuse_flat();
            let Type::Derived(id) = e.ty else { return Vec::new() };
            return self.b.program().ty(id).open_parameters().map(|_| Val::i64(0)).collect();
        }
        declared.into_iter().flatten().collect()
    }

    /// The lengths of the flat objects that an expression gives which is no designator: those of what they are made of.
    pub(crate) fn lengths_of_flat_value(&mut self, e: &'p Expr) -> Option<Vec<Val>> {
        let objects = match &e.kind {
            ExprKind::Call { proc, args } => return self.lengths_of_reference(*proc, args, &Operands::default()),
            ExprKind::Construct { ty, fields, .. } => {
                let params = self.b.program().ty(*ty).fields.iter().zip(fields).filter(|(field, _)| field.is_parameter);
                return params.map(|(_, value)| value.as_ref().map(|value| self.bound(value))).collect();
            }
            ExprKind::Intrinsic { id: Intrinsic::Transfer, args } => args.get(1)?.as_ref()?,
            ExprKind::Intrinsic { args, .. } => args.first()?.as_ref()?,
            ExprKind::Paren(inner) | ExprKind::Convert(inner) | ExprKind::Let { value: inner, .. } => inner,
            ExprKind::Array(items) => return self.lengths_of_items(items),
            _ => return None,
        };
        Some(self.all_lengths_of(objects))
    }

    /// The lengths of the objects of an array constructor, which all have the same: those of the first item.
    fn lengths_of_items(&mut self, items: &'p [Item]) -> Option<Vec<Val>> {
        match items.first()? {
            Item::Expr(e) => Some(self.all_lengths_of(e)),
            Item::Do(implied) => {
                let c = self.index_loop(implied.var, &implied.first, &implied.last, implied.step.as_ref());
                let index = Value::Scalar(c.first);
                self.b.store_value(c.place, &self.b.program().var(implied.var).ty, &index);
                self.lengths_of_items(&implied.items)
            }
        }
    }
}
