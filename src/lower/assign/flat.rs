//! Assignment to flat objects (`expr::flat_part`): from objects of the same kind, and from objects of the host. Both sides have the same
//! lengths, but for an allocatable that was declared with `:`, which takes them. Default initialisation of flat objects.
//!
//! Not here: assignment of such objects to those of the host (`expr::twin`).

use crate::analysis::designators::{designator_name, field_of};
use crate::analysis::expressions::{has_effects, is_whole};
use crate::analysis::overlap::{conflicts, storage_root};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::module::globals::empty_descriptor;
use crate::object::allocate::AllocateHow;
use crate::object::flat::owns_parts;
use crate::procedure::flat_owner::has_flat_end;
use crate::types::{has_default, has_flat_final, is_flat, is_made};
use crate::value::array_view::{ArrayDim, ArrayView};
use crate::value::descriptor::Descriptor;
use crate::value::flat_copy::FlatCopy;
use crate::value::lvalue::{Lvalue, MemRef};
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Actual, Expr, ExprKind, Field, Item, Program, Type, TypeId, is_designator, visit};

impl<'p> FunctionLowering<'_, 'p> {
    /// `target = value` where the target is flat.
    pub(crate) fn assign_flat(&mut self, target: &'p Expr, value: &'p Expr) {
        let Some((from, lengths)) = self.flat_value(value, &target.ty) else {
            return self.b.refuse_flat();
        };
        let allocatable = self.flat_allocatable(target);
        if let (Some(d), false) = (&allocatable, self.b.is_host()) {
            // Device code allocates nothing by assignment.
            self.stop_unless_allocated(d, target);
        }
        let allocatable = allocatable.filter(|_| self.b.is_host());
        let place = match &allocatable {
            Some(d) => self.b.desc_view(d),
            None => {
                let wanted = self.lengths_of(target);
                self.check_flat_lengths(&target.ty, &wanted, &lengths);
                let Some(view) = self.flat_view(target) else {
                    return self.b.unsupported("an assignment to this object");
                };
                if value.rank > 0 {
                    self.b.check_shape(&view, &from.extents());
                }
                view
            }
        };
        // Data that this side cannot reach has the components of what is copied to it.
        let ends = has_flat_end(self.b.program(), &target.ty) && !self.b.is_remote(place.mem);
        // The target may be a part of the value, or be allocated anew.
        let is_copied = ends || conflicts(self.b.program(), target, value);
        let from = if is_copied { self.b.flat_copy(&from, &target.ty) } else { from };
        if ends {
            self.b.own_flat(&from, &target.ty, &lengths);
        }
        let to = match &allocatable {
            Some(d) => self.fit_flat(d, target, value, &from, &lengths),
            None => {
                self.b.finalise_flat(&place, &target.ty, &lengths);
                place
            }
        };
        self.at(target.span, |this| {
            if ends {
                this.b.replace_flat(&to, &from, &target.ty, &lengths);
            } else {
                this.b.copy_flat_objects(&to, &from, &target.ty);
            }
        });
    }

    /// Refuses an assignment that copies flat objects as bytes, if these own something.
    pub(crate) fn refuse_owners(&mut self, target: &'p Expr) {
        let is_remote = storage_root(self.b.program(), target).is_some_and(|v| self.b.is_remote_variable(v));
        if has_flat_end(self.b.program(), &target.ty) && !is_remote {
            self.b.unsupported("this assignment of objects with allocatable components and run-time lengths");
        }
    }

    /// Gives a part of a new object a value.
    pub(crate) fn copy_flat_value(&mut self, to: &ArrayView, value: &'p Expr, ty: &Type) {
        match self.flat_value(value, ty) {
            Some((from, _)) => self.b.copy_flat_objects(to, &from, ty),
            None => self.b.refuse_flat(),
        }
    }

    /// A designator of flat objects, or of objects with constant lengths that are stored alike, as a view.
    pub(crate) fn flat_view(&mut self, e: &'p Expr) -> Option<ArrayView> {
        if e.rank > 0 {
            return self.designator_view(e);
        }
        let element = self.bytes_of(e);
        let mem = self.object(e);
        Some(self.b.dense(mem, element, None, &[]))
    }

    /// The objects that a value gives, stored as flat ones, and their lengths.
    pub(crate) fn flat_value(&mut self, value: &'p Expr, ty: &Type) -> Option<(ArrayView, Vec<Val>)> {
        let value = match &value.kind {
            ExprKind::Convert(inner) | ExprKind::Paren(inner) => inner,
            _ => value,
        };
        if is_made(self.b.program(), &value.ty) {
            let (flat, _, lengths) = self.flat_copy_of(value, ty, None);
            return Some((flat, lengths));
        }
        if !is_designator(value) {
            return self.flat_temporary(value);
        }
        let lengths = self.all_lengths_of(value);
        let view = self.flat_view(value)?;
        Some((view, lengths))
    }

    /// The objects that an expression gives which is no designator, in memory that is no variable's.
    pub(crate) fn own_flat_value(&mut self, value: &'p Expr) -> Option<(ArrayView, Vec<Val>)> {
        let (objects, lengths) = self.flat_value(value, &value.ty)?;
        let is_fresh = matches!(value.kind, ExprKind::Call { .. } | ExprKind::Construct { .. } | ExprKind::Array(_));
        Some((if is_fresh { objects } else { self.b.flat_copy(&objects, &value.ty) }, lengths))
    }

    /// The element of such an expression that is being evaluated, in memory that is no variable's unless it is a designator's, and its
    /// lengths.
    pub(crate) fn current_flat_value(&mut self, e: &'p Expr, ty: &Type) -> (ArrayView, Vec<Val>) {
        let lengths = self.all_lengths_of(e);
        let bytes = self.bytes_with_lengths(ty, &lengths);
        let v = self.own_value(e);
        let mem = self.b.as_object(&v);
        (self.b.dense(mem, bytes, None, &[]), lengths)
    }

    /// A copy of objects of the host as flat ones of a type, the objects, and their lengths.
    /// If `present` does not hold, a copy of nothing.
    pub(crate) fn flat_copy_of(
        &mut self,
        e: &'p Expr,
        ty: &Type,
        present: Option<Val>,
    ) -> (ArrayView, ArrayView, Vec<Val>) {
        let objects = self.objects(e);
        self.flat_copy_of_objects(e, objects, ty, present)
    }

    /// The same of some of the objects that an expression gives.
    pub(crate) fn flat_copy_of_objects(
        &mut self,
        e: &'p Expr,
        objects: ArrayView,
        ty: &Type,
        present: Option<Val>,
    ) -> (ArrayView, ArrayView, Vec<Val>) {
        let objects = self.or_nothing(objects, present);
        let lengths = self.with_objects(e, objects.clone(), |this| this.lengths_of(e));
        let element = self.bytes_with_lengths(ty, &lengths);
        let extents = objects.extents();
        let bytes = self.b.array_bytes(&extents, element);
        let block = self.b.temporary(bytes, 8);
        let flat = self.b.dense(block, element, None, &extents);
        self.b.copy_twins(&flat, &objects, &e.ty, FlatCopy::To);
        (flat, objects, lengths)
    }

    /// The same of an expression that makes objects: with constant lengths, a structure constructor or a function
    /// reference.
    fn flat_temporary(&mut self, value: &'p Expr) -> Option<(ArrayView, Vec<Val>)> {
        if !is_flat(self.b.program(), &value.ty) {
            let lengths = self.all_lengths_of(value);
            return Some((self.objects(value), lengths));
        }
        let operands = if owns_parts(self.b.program(), &value.ty) && !is_made_at_once(self.b.program(), value) {
            self.owners_within(value)?
        } else {
            self.evaluated_once(value)
        };
        self.with_operands(operands, |this| {
            this.move_to(&[]);
            this.flat_temporary_of(value)
        })
    }

    /// The objects with allocatable components that an array expression makes: they are there until the statement ends, so that its
    /// elements may be copied as bytes. `None` if it makes some for each of its elements.
    fn owners_within(&mut self, value: &'p Expr) -> Option<Operands> {
        let program = self.b.program();
        let mut made = Vec::new();
        collect_made(program, value, &mut made);
        if contains_loop(value) && !made.is_empty() || made.iter().any(|e| !is_made_at_once(program, e)) {
            self.b.unsupported("objects with allocatable components and run-time lengths in this expression");
            return None;
        }
        let mut operands = Operands::default();
        for part in made {
            let (objects, lengths) = self.flat_value(part, &part.ty)?;
            operands.insert_objects(part, objects, lengths);
        }
        Some(operands)
    }

    fn flat_temporary_of(&mut self, value: &'p Expr) -> Option<(ArrayView, Vec<Val>)> {
        let lengths: Vec<Val> = self.lengths_of(value).into_iter().map(|n| self.b.freeze(n)).collect();
        if value.rank > 0 {
            return Some((self.view(value), lengths));
        }
        let v = self.value(value);
        let mem = self.b.as_object(&v);
        let element = self.bytes_with_lengths(&value.ty, &lengths);
        Some((self.b.dense(mem, element, None, &[]), lengths))
    }

    /// What a reference or a constructor is made of and its lengths may depend on, where it shows how often that is evaluated.
    fn evaluated_once(&mut self, value: &'p Expr) -> Operands {
        let program = self.b.program();
        let parts: Vec<&'p Expr> = match &value.kind {
            ExprKind::Call { args, .. } => args.iter().flatten().filter_map(Actual::expr).collect(),
            ExprKind::Construct { ty, fields, .. } => {
                let params = program.ty(*ty).fields.iter().zip(fields).filter(|(field, _)| field.is_parameter);
                params.filter_map(|(_, value)| value.as_ref()).collect()
            }
            ExprKind::Intrinsic { args, .. } => args.iter().flatten().collect(),
            ExprKind::Array(items) => match items.first() {
                Some(Item::Expr(first)) => vec![first],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        let mut operands = Operands::default();
        for part in parts.into_iter().filter(|part| has_effects(program, part)) {
            if is_flat(program, &part.ty) {
                if let Some((objects, lengths)) = self.flat_value(part, &part.ty) {
                    operands.insert_objects(part, objects, lengths);
                }
            } else if is_designator(part)
                && let Some(view) = self.place_of_designator(part)
            {
                operands.insert(part, Operand::View(view));
            } else if part.rank == 0 {
                let value = self.own_value(part);
                operands.insert(part, Operand::Value(value));
            } else {
                let view = self.own_view(part);
                operands.insert(part, Operand::View(view));
            }
        }
        operands
    }

    /// The memory of a designator, found once.
    fn place_of_designator(&mut self, e: &'p Expr) -> Option<ArrayView> {
        if e.rank > 0 {
            return self.designator_view(e);
        }
        match self.lvalue(e) {
            Lvalue::Mem(mem) => {
                let element = self.b.element_bytes(&e.ty, None);
                Some(self.b.dense(mem, element, None, &[]))
            }
            Lvalue::Char(mem, len) => Some(self.b.dense(mem, len, Some(len), &[])),
            Lvalue::Reg(_) | Lvalue::Complex(..) => None,
        }
    }

    /// The descriptor of a whole allocatable.
    fn flat_allocatable(&mut self, target: &'p Expr) -> Option<Descriptor> {
        let is_allocatable = match &target.kind {
            ExprKind::Var(v) => self.b.program().var(*v).attrs.allocatable,
            ExprKind::Field { base, field } if base.rank == 0 => {
                field_of(self.b.program(), base, *field).is_some_and(Field::is_allocatable)
            }
            _ => false,
        };
        if is_allocatable { self.descriptor(target) } else { None }
    }

    /// Allocates an allocatable anew unless it has the shape and the lengths of a value.
    fn fit_flat(
        &mut self,
        d: &Descriptor,
        target: &'p Expr,
        value: &'p Expr,
        from: &ArrayView,
        lengths: &[Val],
    ) -> ArrayView {
        let base = self.b.desc_base(d);
        let is_set = self.b.icmp(CmpOp::Ne, base, Val::i64(0));
        let mut unfit = self.b.negate(is_set);
        let (have, fixed) = (self.declared_lengths(target), self.lengths_that_stay(target));
        self.check_given_lengths(&target.ty, &fixed, lengths);
        for (have, &want) in have.into_iter().flatten().zip(lengths) {
            let differs = self.b.icmp(CmpOp::Ne, have, want);
            unfit = self.b.combine(BinOp::Or, unfit, differs);
        }
        let old = self.b.desc_view(d);
        let shape: Vec<(Val, Val)> = if value.rank < target.rank {
            // A scalar says nothing of the bounds (Fortran 2018, 10.2.1.3).
            self.stop_unless_allocated(d, target);
            old.dims.iter().map(|dim| (self.b.freeze(dim.lower), self.b.freeze(dim.extent))).collect()
        } else {
            for (have, want) in old.extents().into_iter().zip(from.extents()) {
                let differs = self.b.icmp(CmpOp::Ne, have, want);
                unfit = self.b.combine(BinOp::Or, unfit, differs);
            }
            self.lowers_of(value, from).into_iter().zip(from.extents()).collect()
        };
        let (location, name) = (self.b.location_of(target), designator_name(self.b.program(), target));
        let unfit = self.b.freeze(unfit);
        self.when(unfit, |this| {
            this.end_flat_of(target, d);
            this.b.free_if_set(d, location);
            this.b.allocate_data(d, &shape, from.element, location, &name, AllocateHow::default());
            this.keep_flat_lengths(target, lengths);
            let new = this.b.desc_view(d);
            if owns_parts(this.b.program(), &target.ty) && !this.b.is_remote(new.mem) {
                this.initialise_flat(&new, &target.ty, lengths);
            }
        });
        if has_flat_final(self.b.program(), &target.ty) {
            let stays = self.b.negate(unfit);
            self.when(stays, |this| this.b.finalise_flat(&old, &target.ty, lengths));
        }
        self.b.desc_view(d)
    }

    /// The lower bounds that an allocatable takes: those of a whole array, else 1.
    pub(crate) fn lowers_of(&mut self, value: &'p Expr, from: &ArrayView) -> Vec<Val> {
        let value = if let ExprKind::Convert(inner) = &value.kind { inner } else { value };
        let whole = if is_whole(value) { self.designator_view(value) } else { None };
        let lower = |d: &ArrayDim| if whole.is_some() { d.lower } else { Val::i64(1) };
        whole.as_ref().unwrap_or(from).dims.iter().map(lower).collect()
    }

    /// Stops the program where lengths of flat objects differ. Device code does not look.
    pub(crate) fn check_flat_lengths(&mut self, ty: &Type, wanted: &[Val], given: &[Val]) {
        if self.b.is_host() {
            let wanted: Vec<Option<Val>> = wanted.iter().copied().map(Some).collect();
            self.check_given_lengths(ty, &wanted, given);
        }
    }

    /// Gives fresh flat objects of these lengths their default values.
    pub(crate) fn initialise_flat(&mut self, view: &ArrayView, ty: &'p Type, lengths: &[Val]) {
        let Type::Derived(id) = ty else { return };
        if !has_default(self.b.program(), ty) {
            return;
        }
        if self.b.is_remote(view.mem) {
            // Components without a default value, and gaps, are zeros there.
            let block = self.b.zeros(view.element);
            let one = self.b.dense(block, view.element, None, &[]);
            self.initialise_flat(&one, ty, lengths);
            let descriptor = self.b.descriptor_of(view);
            let addr = self.b.address(block);
            self.b.rt(Rt::FillFrom, vec![descriptor, addr]);
            return;
        }
        let extents = view.extents();
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.b.element_pos(view, index, linear);
            this.initialise_flat_object(mem, *id, lengths);
        });
    }

    fn initialise_flat_object(&mut self, mem: MemRef, id: TypeId, lengths: &[Val]) {
        let program = self.b.program();
        self.each_flat_part(mem, id, lengths, &mut |this, field, view, own| match &field.init {
            _ if field.is_described() => {
                let bytes = empty_descriptor(program, &field.ty, field.class, field.shape.rank());
                let from = this.b.constant_memory(&bytes, 8);
                this.b.copy_words(view.mem, from, bytes.len() as u64, 8);
            }
            Some(init) => this.store_initial(&view, &field.ty, init),
            None if !has_default(program, &field.ty) => {}
            None if is_flat(program, &field.ty) => this.initialise_flat(&view, &field.ty, &own),
            None => this.b.initialise_view(&view, &field.ty),
        });
    }
}

/// Whether an expression is a constructor or a reference to a function that is called once.
fn is_made_at_once(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call { proc, .. } => e.rank == 0 || !program.proc(*proc).elemental,
        ExprKind::Construct { .. } => true,
        _ => false,
    }
}

/// The outermost constructors and references in an expression that make objects with allocatable components.
fn collect_made<'p>(program: &Program, e: &'p Expr, made: &mut Vec<&'p Expr>) {
    let makes = matches!(e.kind, ExprKind::Call { .. } | ExprKind::Construct { .. });
    if makes && owns_parts(program, &e.ty) {
        return made.push(e);
    }
    visit::parts(e, &mut |part| collect_made(program, part, made));
}

/// Whether an expression has an implied DO.
fn contains_loop(e: &Expr) -> bool {
    let mut found = false;
    visit::all(e, &mut |e| {
        found |= matches!(&e.kind, ExprKind::Array(items) if items.iter().any(|i| matches!(i, Item::Do(_))));
    });
    found
}

impl Builder<'_, '_> {
    /// A temporary of so many bytes, which are zeros.
    pub(crate) fn zeros(&mut self, bytes: Val) -> MemRef {
        let block = self.temporary(bytes, 8);
        self.repeat(bytes, &mut |this, i| {
            let byte = this.advance(block, i);
            this.store_scalar(byte, Ty::I8, Val::Imm(0));
        });
        block
    }

    /// A copy of flat objects in memory of this side.
    fn flat_copy(&mut self, from: &ArrayView, ty: &Type) -> ArrayView {
        let extents = from.extents();
        let bytes = self.array_bytes(&extents, from.element);
        let block = self.temporary(bytes, 8);
        let copy = self.dense(block, from.element, None, &extents);
        self.copy_array(&copy, from, ty);
        copy
    }

    /// Gives objects the bytes of others, and with them what these own; one fills an array, whose elements get copies of it.
    fn replace_flat(&mut self, to: &ArrayView, from: &ArrayView, ty: &Type, lengths: &[Val]) {
        self.free_flat(to, ty, lengths);
        self.copy_flat_objects(to, from, ty);
        if from.dims.is_empty() && !to.dims.is_empty() {
            self.own_flat(to, ty, lengths);
            self.release_flat(from, ty, lengths);
        }
    }

    /// Copies flat objects; one fills an array.
    pub(crate) fn copy_flat_objects(&mut self, to: &ArrayView, from: &ArrayView, ty: &Type) {
        let fills = from.dims.is_empty() && !to.dims.is_empty();
        if self.is_remote(to.mem) || self.is_remote(from.mem) {
            if !fills {
                return self.transfer(to, from);
            }
            let block = self.temporary(from.element, 8);
            self.copy_bytes(block, from.mem, from.element);
            let (descriptor, addr) = (self.descriptor_of(to), self.address(block));
            self.rt(Rt::FillFrom, vec![descriptor, addr]);
            return;
        }
        self.copy_each_flat(to, from, ty);
    }

    pub(crate) fn copy_each_flat(&mut self, to: &ArrayView, from: &ArrayView, ty: &Type) {
        let fills = from.dims.is_empty() && !to.dims.is_empty();
        let views: &[&ArrayView] = if fills { &[to] } else { &[to, from] };
        let extents = to.extents();
        self.each_position(&extents, views, &mut |this, index, linear| {
            let target = this.element_pos(to, index, linear);
            let source = if fills { from.mem } else { this.element_pos(from, index, linear) };
            this.copy_flat_object(target, source, from.element, ty);
        });
    }

    /// Copies one flat object of so many bytes.
    pub(crate) fn copy_flat_object(&mut self, to: MemRef, from: MemRef, bytes: Val, ty: &Type) {
        if self.is_remote(to) || self.is_remote(from) {
            return self.copy_bytes(to, from, bytes);
        }
        let unit = match self.program().flat_align(ty) {
            8.. => Ty::I64,
            4..8 => Ty::I32,
            2..4 => Ty::I16,
            _ => Ty::I8,
        };
        let words: Val = self.bin(BinOp::Div, Ty::I64, bytes, Val::i64(i64::from(unit.bytes()))).into();
        self.repeat(words, &mut |this, i| {
            let skip = this.imul(i, Val::i64(i64::from(unit.bytes())));
            let (target, source) = (this.advance(to, skip), this.advance(from, skip));
            let word = this.load_scalar(source, unit);
            this.store_scalar(target, unit, word.into());
        });
    }
}
