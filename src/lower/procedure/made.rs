//! The functions that make objects at run time (`object::made`), and the lengths that declarations give them.

use crate::analysis::variables::const_bounds;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::module::generated::ObjectHelper;
use crate::module::globals::{described_bytes, encode};
use crate::object::allocate::AllocateHow;
use crate::object::made::{AGAIN, FRESH, NOT_THERE};
use crate::storage::VarStorage;
use crate::types::{align, const_bytes, ir_ty, is_flat, is_made};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{MemRef, element_lvalue};
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{FuncId, FuncKind, FunctionBuilder, Space, Ty, Val};
use sema::checked::{CharLen, Const, Expr, ExprKind, Field, Intrinsic, Program, SizedBy, Storage, Type, TypeId, VarId};

impl Builder<'_, '_> {
    /// The function that makes an object of a type: it takes the address of the object, how it is made ([`FRESH`] and others), and
    /// the length parameters.
    pub(crate) fn maker(&mut self, id: TypeId) -> FuncId {
        let key = (id, ObjectHelper::Make, self.side());
        if let Some(func) = self.module().object_helper(key) {
            return func;
        }
        let def = self.program().ty(id);
        let func = self.module().new_function(&format!("{}.make", def.name), FuncKind::Host, def.span);
        self.module().set_object_helper(key, func);
        let mut b = FunctionBuilder::new(self.module().function_name(func), FuncKind::Host, def.span);
        let to = MemRef::at(b.param(Ty::I64, "object").into(), Space::Host);
        let how = b.param(Ty::I64, "how").into();
        let lengths: Vec<Val> = def.open_parameters().map(|p| b.param(Ty::I64, p.name.clone()).into()).collect();
        let (side, proc) = (self.side(), self.procedure());
        let mut inner = FunctionLowering::new(self.module(), b, side, proc);
        inner.make_object(to, id, &lengths, how);
        let made = inner.b.finish_subroutine();
        self.module().set_function(func, made);
        func
    }
}

impl Builder<'_, '_> {
    /// The default values of an object in fresh memory, and descriptors of nothing.
    fn begin_components(&mut self, to: MemRef, id: TypeId) {
        let (program, ty) = (self.program(), Type::Derived(id));
        if let Some((from, bytes)) = self.default_memory(&ty) {
            self.copy_words(to, from, bytes, align(program, &ty));
        }
    }

    /// The same for an object that is made, but for the parts that are made with it.
    fn reset_components(&mut self, to: MemRef, id: TypeId) {
        let (program, ty) = (self.program(), Type::Derived(id));
        let Some((from, _)) = self.default_memory(&ty) else { return };
        for field in &program.ty(id).fields {
            if field.sized.is_some() || field.is_parameter || is_made_part(program, field) {
                continue;
            }
            let (offset, at) = (field.offset as i64, to.plus(field.offset as i64));
            let bytes = if field.allocatable || field.pointer {
                if field.allocatable {
                    let d = self.field_desc(field, at);
                    self.free_data(&d, &field.ty, self.data_location(field.cuda));
                }
                described_bytes(program, field)
            } else {
                let view = self.field_view(field, at);
                self.free_fields_of_view(&view, &field.ty);
                let count: i64 = const_bounds(&field.shape).unwrap_or_default().iter().map(|d| d.1).product();
                const_bytes(program, &field.ty).unwrap_or(0) * count as u64
            };
            self.copy_words(at, from.plus(offset), bytes, align(program, &field.ty));
        }
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    fn make_object(&mut self, to: MemRef, id: TypeId, lengths: &[Val], how: Val) {
        let program = self.b.program();
        let is_again = self.b.icmp(CmpOp::Eq, how, Val::i64(AGAIN));
        self.either(is_again, |this| this.b.reset_components(to, id), |this| this.b.begin_components(to, id));
        self.b.hold_lengths(to, id, lengths);
        self.bind_parameters(id, lengths);
        let exists = self.b.icmp(CmpOp::Ne, how, Val::i64(NOT_THERE));
        for field in &program.ty(id).fields {
            let at = to.plus(field.offset as i64);
            if let Some(sized) = &field.sized {
                self.when(exists, |this| this.at(field.span, |this| this.make_sized(field, sized, at, how)));
            } else if is_made_part(program, field) {
                let view = self.b.field_view(field, at);
                let lengths = self.lengths(&field.lengths);
                self.b.make_parts(&view, &field.ty, &lengths, how);
            }
            if let Some(start) = &field.start {
                self.when(exists, |this| this.at(field.span, |this| this.start_field(field, at, start)));
            }
        }
    }

    /// Allocates a component that the parameters decide, if it is not there yet, and gives it its default value.
    fn make_sized(&mut self, field: &'p Field, sized: &'p SizedBy, at: MemRef, how: Val) {
        let d = self.b.field_desc(field, at);
        let location = self.b.data_location(field.cuda);
        let element = match (&sized.len, d.element) {
            (Some(e), _) => {
                let n = self.bound(e);
                self.b.at_least_zero(n)
            }
            (None, element) => element.unwrap_or(Val::i64(0)),
        };
        let dims = self.explicit_dims(&sized.dims, element);
        let shape: Vec<(Val, Val)> = dims.iter().map(|dim| (dim.lower, dim.extent)).collect();
        let is_set = self.b.desc_is_set(&d);
        let how = self.b.select(Ty::I64, is_set, how, Val::i64(FRESH)).into();
        self.either(
            is_set,
            |this| {
                let view = this.b.desc_view(&d);
                if !is_made(this.b.program(), &field.ty) {
                    this.b.free_fields_of_view(&view, &field.ty);
                }
            },
            |this| {
                let may_hold_lengths = this.b.holds_lengths(&field.ty);
                let own = AllocateHow { may_hold_lengths, ..AllocateHow::default() };
                this.b.allocate_data(&d, &shape, element, location, &field.name, own);
            },
        );
        let view = self.b.desc_view(&d);
        if is_made(self.b.program(), &field.ty) {
            let lengths = self.lengths(&field.lengths);
            return self.b.make_parts(&view, &field.ty, &lengths, how);
        }
        match &field.init {
            None => self.b.initialise_data(&d, &field.ty),
            Some(init) => self.store_initial(&view, &field.ty, init),
        }
    }

    /// Stores a default value: a scalar, or an array, which must have the shape.
    pub(crate) fn store_initial(&mut self, view: &ArrayView, ty: &'p Type, init: &'p Const) {
        let Const::Array { bounds, items } = init else {
            let v = self.b.constant_value(init, ty);
            return self.b.fill(view, &v, ty);
        };
        let program = self.b.program();
        let len = match items.first() {
            Some(Const::Char(text)) => Some(Val::i64(text.len() as i64)),
            _ => None,
        };
        let mut bytes = Vec::new();
        encode(program, ty, init, &mut bytes);
        let from = self.b.constant_memory(&bytes, align(program, ty));
        let extents: Vec<Val> = bounds.iter().map(|b| Val::i64(b.1)).collect();
        let element = self.b.element_bytes(ty, len);
        let given = self.b.dense(from, element, len, &extents);
        self.demand_shape(&view.extents(), &extents);
        self.b.copy_array(view, &given, ty);
    }

    /// Stops the program where two shapes differ, checked or not: memory depends on it.
    pub(crate) fn demand_shape(&mut self, wanted: &[Val], given: &[Val]) {
        for (dim, (&wanted, &given)) in wanted.iter().zip(given).enumerate() {
            let differs = self.b.icmp(CmpOp::Ne, wanted, given);
            self.when(differs, |this| {
                this.b.rt(Rt::ErrorShape, vec![wanted, given, Val::i32(dim as i32 + 1)]);
            });
        }
    }

    /// Gives the length parameters of a type, as bounds and lengths of its components name them, these values.
    pub(crate) fn bind_parameters(&mut self, id: TypeId, lengths: &[Val]) {
        let program = self.b.program();
        let mut at = Some(id);
        while let Some(id) = at {
            let def = program.ty(id);
            for (param, &n) in def.open_parameters().zip(lengths) {
                let n = self.b.cast(n, Ty::I64, ir_ty(&param.ty));
                self.storage.set(param.var, VarStorage::Value(Value::Scalar(n)));
            }
            at = def.parent;
        }
    }

    /// Lengths as a declaration or statement writes them.
    pub(crate) fn lengths(&mut self, lengths: &'p [CharLen]) -> Vec<Val> {
        lengths.iter().map(|n| self.length(n).unwrap_or(Val::i64(0))).collect()
    }

    fn length(&mut self, length: &'p CharLen) -> Option<Val> {
        match length {
            CharLen::Const(n) => Some(Val::i64(*n)),
            CharLen::Expr(e) => Some(self.bound(e)),
            CharLen::Assumed | CharLen::Deferred => None,
        }
    }

    /// Evaluates the lengths that the declaration of a variable gives, on entry.
    pub(crate) fn note_lengths(&mut self, v: VarId) {
        let lengths = &self.b.program().var(v).attrs.lengths;
        if !lengths.is_empty() && self.storage.lengths(v).is_none() {
            let values = lengths.iter().map(|n| self.length(n)).collect();
            self.storage.set_lengths(v, values);
        }
    }

    /// The address of the length parameters that the declaration of an object gives.
    pub(crate) fn lengths_word(&mut self, e: &'p Expr) -> Val {
        if let Some(place) = self.lengths_place_of(e) {
            return self.b.address(place);
        }
        let declared = self.declared_lengths(e);
        self.lengths_in_memory(&declared)
    }

    /// The same of a variable.
    pub(crate) fn lengths_word_of(&mut self, v: VarId) -> Val {
        if let Some(place) = self.lengths_place(v) {
            return self.b.address(place);
        }
        let declared = self.storage.lengths(v).unwrap_or_default().to_vec();
        self.lengths_in_memory(&declared)
    }

    fn lengths_in_memory(&mut self, lengths: &[Option<Val>]) -> Val {
        if lengths.is_empty() {
            return Val::i64(0);
        }
        let (_, mem) = self.b.slot(8 * lengths.len() as u64, 8, "lengths", source::Span::NONE);
        for (i, n) in lengths.iter().enumerate() {
            self.b.store_scalar(mem.plus(8 * i as i64), Ty::I64, n.unwrap_or(Val::i64(0)));
        }
        self.b.address(mem)
    }

    /// Takes length parameters of a variable from where the caller or the host procedure has put them, if there are any.
    pub(crate) fn take_lengths(&mut self, v: VarId, word: Option<Val>) {
        let Some(word) = word else { return };
        if self.b.program().var(v).attrs.is_flat {
            let place = MemRef::at(word, self.b.local_space());
            return self.storage.set_lengths_place(v, place);
        }
        let declared = &self.b.program().var(v).attrs.lengths;
        let given: Vec<Option<ir::Reg>> = declared
            .iter()
            .map(|n| matches!(n, CharLen::Assumed | CharLen::Expr(_)).then(|| self.b.mutable(Ty::I64)))
            .collect();
        for &reg in given.iter().flatten() {
            self.b.set(reg, Val::i64(0));
        }
        let is_set = self.b.icmp(CmpOp::Ne, word, Val::i64(0));
        self.when(is_set, |this| {
            let mem = MemRef::at(word, this.b.local_space());
            for (i, reg) in given.iter().enumerate() {
                if let Some(reg) = *reg {
                    let n = this.b.load_scalar(mem.plus(8 * i as i64), Ty::I64);
                    this.b.set(reg, n);
                }
            }
        });
        let constant = |n: &CharLen| if let CharLen::Const(n) = n { Some(Val::i64(*n)) } else { None };
        let lengths = given.iter().zip(declared).map(|(reg, n)| reg.map(Val::from).or(constant(n))).collect();
        self.storage.set_lengths(v, lengths);
    }

    /// The lengths that the declaration of an object gives; `None` for those that it leaves open, and for all of an object
    /// that has no declaration here.
    pub(crate) fn declared_lengths(&mut self, e: &'p Expr) -> Vec<Option<Val>> {
        let program = self.b.program();
        match &e.kind {
            ExprKind::Var(v) if program.var(*v).attrs.is_flat => self.flat_variable_lengths(*v),
            ExprKind::Var(v) => match self.storage.lengths(*v) {
                Some(known) => known.to_vec(),
                None => {
                    let constant = |n: &CharLen| if let CharLen::Const(n) = n { Some(Val::i64(*n)) } else { None };
                    program.var(*v).attrs.lengths.iter().map(constant).collect()
                }
            },
            ExprKind::Field { base, field } => {
                let Some(f) = crate::analysis::designators::field_of(program, base, *field) else { return Vec::new() };
                let lengths = match base.ty {
                    Type::Derived(id) if base.rank == 0 && has_open_lengths(f) && !program.ty(id).is_flat => {
                        let mem = self.object(base);
                        self.lengths_of_field(f, mem, id)
                    }
                    Type::Derived(id) if has_open_lengths(f) => {
                        let held = self.lengths_of(base);
                        self.bind_parameters(id, &held);
                        f.lengths.iter().map(|n| self.length(n)).collect()
                    }
                    _ => f.lengths.iter().map(|n| self.length(n)).collect(),
                };
                self.with_kept_lengths(e, lengths)
            }
            ExprKind::Element { base, .. } | ExprKind::Section { base, .. } => self.declared_lengths(base),
            // What is flat is seen as an object of its parent type, whose parameters come first.
            ExprKind::Seen { base, .. } if is_flat(program, &e.ty) => {
                let Type::Derived(id) = e.ty else { return Vec::new() };
                let mut declared = self.declared_lengths(base);
                declared.truncate(program.ty(id).open_parameters().count());
                declared
            }
            _ if is_flat(program, &e.ty) => {
                let known = self.lengths_of_flat_value(e);
                known.unwrap_or_default().into_iter().map(Some).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The length parameters of the objects that an expression gives: those of the declaration, else what the first one holds.
    pub(crate) fn lengths_of(&mut self, e: &'p Expr) -> Vec<Val> {
        let Type::Derived(id) = e.ty else { return Vec::new() };
        if self.b.program().ty(id).is_flat {
            return self.lengths_of_flat(e);
        }
        let count = self.b.program().ty(id).open_parameters().count();
        let declared: Vec<Val> = self.declared_lengths(e).into_iter().flatten().collect();
        if declared.len() == count {
            return declared;
        }
        let view = self.objects(e);
        self.b.need_lengths(&view, &e.ty);
        self.b.held_lengths(view.mem, id)
    }

    /// Gives an array of no objects, to which an expression is evaluated, the lengths of those of the expression.
    pub(crate) fn hold_lengths_of(&mut self, to: &ArrayView, e: &'p Expr, operands: &Operands) {
        if !self.b.holds_lengths(&e.ty) {
            return;
        }
        let mut at = e;
        let mut is_flat = false;
        loop {
            is_flat |= !is_made(self.b.program(), &at.ty);
            match operands.operand(at).filter(|_| !is_flat) {
                Some(Operand::View(from)) => return self.b.keep_lengths(to, from, &e.ty),
                Some(Operand::Value(v)) => return self.b.keep_lengths_of_value(to, v, &e.ty),
                None => {}
            }
            at = match &at.kind {
                ExprKind::Paren(inner) | ExprKind::Convert(inner) | ExprKind::Let { value: inner, .. } => inner,
                ExprKind::Intrinsic { id: Intrinsic::Merge, args } => match args.first() {
                    Some(Some(first)) => first,
                    _ => return,
                },
                _ => break,
            };
        }
        let extents = to.extents();
        let count = self.b.product(&extents);
        let none = self.b.icmp(CmpOp::Eq, count, Val::i64(0));
        self.when(none, |this| {
            let known = this.with_operands(operands.clone(), |this| match &at.kind {
                _ if is_flat => Some(this.all_lengths_of(at)),
                ExprKind::Call { proc, args } => this.lengths_of_reference(*proc, args, operands),
                ExprKind::Construct { ty, fields, .. } => {
                    let params =
                        this.b.program().ty(*ty).fields.iter().zip(fields).filter(|(field, _)| field.is_parameter);
                    params.map(|(_, value)| value.as_ref().map(|value| this.bound(value))).collect()
                }
                _ => this.declared_lengths(at).into_iter().collect(),
            });
            if let (Type::Derived(id), Some(lengths)) = (&e.ty, known) {
                this.b.hold_lengths(to.mem, *id, &lengths);
            }
        });
    }

    /// A view of the objects that an expression gives, scalar or array.
    pub(crate) fn objects(&mut self, e: &'p Expr) -> ArrayView {
        if e.rank > 0 { self.view(e) } else { self.current_object(e) }
    }

    /// A view of the object that an expression gives, or of the element of an array that is being evaluated.
    pub(crate) fn current_object(&mut self, e: &'p Expr) -> ArrayView {
        let v = self.value(e);
        let mem = self.b.as_object(&v);
        self.b.object_view(mem, &e.ty)
    }

    /// A new object like those that an expression gives, until the end of the current scope.
    pub(crate) fn object_like(&mut self, e: &'p Expr) -> ArrayView {
        let lengths = self.lengths_of(e);
        let object = self.b.temporary_array(&e.ty, None, &[]);
        self.b.make_view(&object, &e.ty, &lengths);
        object
    }

    /// The length parameter of a whole object that its declaration gives: the object need not be there.
    pub(crate) fn declared_parameter(&mut self, object: &'p Expr, field: u32) -> Option<Val> {
        let program = self.b.program();
        let Type::Derived(id) = object.ty else { return None };
        let fields = &program.ty(id).fields;
        let f = fields.get(field as usize).filter(|f| f.is_parameter)?;
        match &object.kind {
            _ if program.ty(id).is_flat => {}
            ExprKind::Field { base, .. } if base.rank > 0 => return None,
            ExprKind::Var(_) | ExprKind::Field { .. } => {}
            _ => return None,
        }
        let at = fields.iter().take(field as usize).filter(|f| f.is_parameter).count();
        let n = self.declared_lengths(object).get(at).copied().flatten()?;
        Some(self.b.cast(n, Ty::I64, ir_ty(&f.ty)))
    }

    /// Gives the length parameters of an object, as bounds and lengths of its components name them, the values that it holds.
    pub(crate) fn bind_held_parameters(&mut self, object: MemRef, id: TypeId) {
        let held = self.b.held_lengths(object, id);
        let held: Vec<Val> = held.into_iter().map(|n| self.b.freeze(n)).collect();
        self.bind_parameters(id, &held);
    }

    /// The lengths that a component of an object is declared with.
    pub(crate) fn lengths_of_field(&mut self, f: &'p Field, object: MemRef, id: TypeId) -> Vec<Option<Val>> {
        if has_open_lengths(f) || f.own_length.is_some() {
            self.bind_held_parameters(object, id);
        }
        f.lengths.iter().map(|n| self.length(n)).collect()
    }

    /// Makes the objects of a variable when it comes to life, or again where it is an INTENT(OUT) dummy.
    pub(crate) fn make_variable(&mut self, v: VarId) {
        let var = self.b.program().var(v);
        let view = match self.storage.get(v).cloned() {
            Some(VarStorage::Array(view)) => view,
            Some(VarStorage::Scalar(mem, _)) => {
                let bytes = const_bytes(self.b.program(), &var.ty).unwrap_or(0);
                self.b.dense(mem, Val::i64(bytes as i64), None, &[])
            }
            _ => return,
        };
        if matches!(var.storage, Storage::Dummy(_)) {
            return self.b.begin_again(&view, &var.ty);
        }
        self.note_lengths(v);
        let lengths: Vec<Val> = self.storage.lengths(v).unwrap_or_default().iter().flatten().copied().collect();
        self.b.make_view(&view, &var.ty, &lengths);
    }

    /// Makes the objects that are there for the whole run.
    pub(crate) fn make_static_objects(&mut self) {
        let program = self.b.program();
        for (index, var) in program.vars.iter().enumerate() {
            let is_described = var.attrs.allocatable || var.attrs.pointer;
            if !matches!(var.storage, Storage::Static) || is_described || !is_made(program, &var.ty) {
                continue;
            }
            let v = VarId(index as u32);
            if self.storage_of(v).is_some() {
                self.make_variable(v);
            }
        }
    }

    /// Checks the lengths of the arguments that a procedure declares with other lengths than `*`.
    pub(crate) fn check_argument_lengths(&mut self, v: VarId) {
        let var = self.b.program().var(v);
        if var.attrs.lengths.is_empty() || var.attrs.is_flat {
            return;
        }
        self.note_lengths(v);
        let wanted = self.storage.lengths(v).unwrap_or_default().to_vec();
        let present = self.presence(v);
        self.at(var.span, |this| this.check_present(present, v, &wanted));
    }

    fn check_present(&mut self, present: Val, v: VarId, wanted: &[Option<Val>]) {
        let var = self.b.program().var(v);
        self.when(present, |this| match this.storage.get(v).cloned() {
            Some(VarStorage::Array(view)) if !view.assumed_size => this.b.check_lengths(&view, &var.ty, wanted),
            Some(VarStorage::Scalar(mem, _)) => {
                let view = this.b.object_view(mem, &var.ty);
                this.b.check_lengths(&view, &var.ty, wanted);
            }
            Some(VarStorage::Described(d)) => {
                let set = this.b.desc_is_set(&d);
                this.when(set, |this| {
                    let view = this.b.desc_view(&d);
                    this.b.check_lengths(&view, &var.ty, wanted);
                });
            }
            _ => {}
        });
    }

    /// Stops the program where a statement gives other lengths than the declaration.
    pub(crate) fn check_given_lengths(&mut self, ty: &Type, declared: &[Option<Val>], given: &[Val]) {
        let Type::Derived(id) = ty else { return };
        let params = self.b.program().ty(*id).open_parameters();
        for ((param, &wanted), &given) in params.zip(declared).zip(given) {
            let Some(wanted) = wanted else { continue };
            let differs = self.b.icmp(CmpOp::Ne, wanted, given);
            self.when(differs, |this| {
                let (text, len) = this.b.name_text(&param.name);
                this.b.rt(Rt::ErrorLength, vec![text, len, wanted, given]);
            });
        }
    }

    /// The value of a component of a constructor that length parameters decide.
    pub(crate) fn construct_sized(&mut self, field: &'p Field, at: MemRef, value: &'p Expr) {
        let d = self.b.field_desc(field, at);
        let view = self.b.desc_view(&d);
        if self.store_part(&view, &field.ty, value) {
            return;
        }
        if value.rank == 0 {
            let v = self.value(value);
            if view.dims.is_empty() {
                return self.b.store_value(element_lvalue(view.mem, view.len), &field.ty, &v);
            }
            return self.b.fill(&view, &v, &field.ty);
        }
        let (operands, given) = self.prepared(value);
        let extents = view.extents();
        self.demand_shape(&extents, &given);
        self.fill_from(&view, operands, &extents, value);
    }
}

/// Whether a component is an object, or objects, that are made with the whole.
fn is_made_part(program: &Program, field: &Field) -> bool {
    !field.allocatable && !field.pointer && is_made(program, &field.ty)
}

/// Whether lengths of the object decide about those of a component.
fn has_open_lengths(f: &Field) -> bool {
    f.lengths.iter().any(|n| matches!(n, CharLen::Expr(_)))
}
