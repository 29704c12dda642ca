//! Polymorphic expressions: where an object is and which dynamic type it has; passing it, associating a name with it.
//!
//! Not here: tags and calls by dynamic type (`object::dynamic_type`).

use crate::analysis::designators::{is_class, is_pointer, is_pointer_result, keeps_bounds, may_be_unset};
use crate::analysis::expressions::is_elementwise;

use crate::builder::flow::Flow;
use crate::elements::Operand;
use crate::function::FunctionLowering;
use crate::module::ArgKey;
use crate::object::convention::{ResultForm, result_form};
use crate::storage::VarStorage;
use crate::types::HOST_MEMORY;
use crate::value::arguments::Passed;
use crate::value::array_view::{ArrayDim, ArrayView};
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::MemRef;
use ir::op::{BinOp, CmpOp};
use ir::{Ty, Val};
use sema::checked::{Expr, ExprKind, Shape, Type, VarId, Variable, is_designator};

impl<'p> FunctionLowering<'_, 'p> {
    /// Where an object is, with its tag: a designator's own memory, or that of a value.
    pub(crate) fn class_view(&mut self, e: &'p Expr) -> ArrayView {
        let view = match self.lookup(e) {
            Some((Operand::View(view), index, linear)) => {
                let mem = self.b.element_pos(&view, &index, linear);
                ArrayView { tag: view.tag, ..self.b.dense(mem, view.element, view.len, &[]) }
            }
            Some((Operand::Value(value), ..)) => self.b.view_of_value(&value, e),
            None => match &e.kind {
                ExprKind::Paren(inner) => {
                    let view = self.class_view(inner);
                    self.class_copy(view, e)
                }
                _ if e.rank > 0 && self.is_current(e) => {
                    let mem = self.object(e);
                    let element = self.b.element_bytes(&e.ty, None);
                    self.b.dense(mem, element, None, &[])
                }
                // The element that is evaluated, of a value that nothing holds as a whole.
                _ if e.rank > 0 && is_elementwise(self.b.program(), e) => {
                    let value = self.own_value(e);
                    self.b.view_of_value(&value, e)
                }
                _ => self.whole_class_view(e),
            },
        };
        self.b.tagged(view, &e.ty)
    }

    /// A copy of objects, which what is done to them does not change.
    fn class_copy(&mut self, view: ArrayView, e: &'p Expr) -> ArrayView {
        let view = self.b.tagged(view, &e.ty);
        if !self.b.is_host() {
            return view;
        }
        if !is_class(self.b.program(), e) {
            let copy = self.b.temporary_array(&e.ty, view.len, &view.extents());
            self.b.copy_array(&copy, &view, &e.ty);
            return ArrayView { tag: view.tag, ..copy };
        }
        let copy = self.b.copy_of_objects(&e.ty, &view, None);
        let own = self.b.desc_view(&copy);
        let ty = e.ty.clone();
        self.b.defer(move |b| b.of_copies(|b| b.free_data(&copy, &ty, HOST_MEMORY)));
        own
    }

    /// Objects for a use that lasts: the memory of a designator, or else objects that later assignments to variables do not
    /// change. Those that vector subscripts choose are copied too.
    fn own_class_view(&mut self, e: &'p Expr) -> ArrayView {
        if !is_class(self.b.program(), e) {
            let view = self.own_view(e);
            return self.b.tagged(view, &e.ty);
        }
        let view = self.whole_class_view(e);
        let view = self.b.tagged(view, &e.ty);
        if view.gathers() { self.class_copy(view, e) } else { view }
    }

    pub(crate) fn whole_class_view(&mut self, e: &'p Expr) -> ArrayView {
        match self.lookup(e) {
            Some((Operand::View(view), ..)) => return view,
            Some((Operand::Value(value), ..)) => return self.b.view_of_value(&value, e),
            None => {}
        }
        if let Some(view) = self.readable_view(e) {
            return view;
        }
        match &e.kind {
            ExprKind::Paren(inner) => {
                let view = self.whole_class_view(inner);
                self.class_copy(view, e)
            }
            ExprKind::Call { proc, args }
                if matches!(result_form(self.b.program(), self.b.program().proc(*proc)), ResultForm::Hidden(_))
                    && !self.b.program().proc(*proc).elemental =>
            {
                self.call_array(*proc, args, e)
            }
            _ if e.rank > 0 => self.view(e),
            _ => {
                let value = self.own_value(e);
                self.b.view_of_value(&value, e)
            }
        }
    }

    /// Whether the dynamic type of an object is `ty`, or an extension of it unless `exact`.
    pub(crate) fn is_type(&mut self, object: &'p Expr, ty: &Type, exact: bool) -> Val {
        let (tag, _) = self.dynamic_tag(object);
        match ty {
            Type::Derived(id) if !exact => {
                let (first, last) = self.b.tags()[id.0 as usize];
                self.b.is_within(tag, first, last)
            }
            _ => {
                let wanted = self.b.tag_of(ty);
                self.b.icmp(CmpOp::Eq, tag, wanted)
            }
        }
    }

    /// The tag of an object; what is not allocated or associated has its declared type. Of a polymorphic one also whether it is set.
    fn dynamic_tag(&mut self, e: &'p Expr) -> (Val, Option<Val>) {
        let declared = self.b.tag_of(&e.ty);
        if !is_class(self.b.program(), e) {
            return (declared, None);
        }
        let view = self.class_view(e);
        let base = self.b.address(view.mem);
        let set = self.b.icmp(CmpOp::Ne, base, Val::i64(0));
        (self.b.select(Ty::I64, set, view.tag.unwrap_or(declared), declared).into(), Some(set))
    }

    /// SAME_TYPE_AS and EXTENDS_TYPE_OF.
    pub(crate) fn compare_types(&mut self, a: &'p Expr, b: &'p Expr, extends: bool) -> Val {
        let ((x, _), (y, is_set)) = (self.dynamic_tag(a), self.dynamic_tag(b));
        let mut result = self.b.icmp(CmpOp::Eq, x, y);
        if !extends {
            return result;
        }
        for &(first, last) in self.b.tags() {
            if last > first {
                let is_this = self.b.icmp(CmpOp::Eq, y, Val::i64(first as i64));
                let within = self.b.is_within(x, first, last);
                let both = self.b.combine(BinOp::And, is_this, within);
                result = self.b.combine(BinOp::Or, result, both);
            }
        }
        if let (Type::Any, Some(is_set), true) = (&b.ty, is_set, is_designator(b)) {
            // Every type extends what has none (Fortran 2018, 16.9.76).
            let unset = self.b.negate(is_set);
            result = self.b.combine(BinOp::Or, result, unset);
        }
        result
    }

    /// Passes an object for a polymorphic dummy that is no allocatable and no pointer: the address of a descriptor.
    pub(crate) fn pass_class(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        // A sequence of elements has the shape that the dummy's declaration gives.
        let is_sequence = matches!(dummy.shape, Shape::Explicit(_) | Shape::AssumedSize(..));
        let is_ranked = self.b.module().is_ranked(dummy);
        let rank = if is_ranked { self.rank_of(e) } else { dummy.shape.rank() };
        // With `ignore_tkr` an array may be passed for a scalar, which is its first element then.
        let is_first = rank == 0 && e.rank > 0 && dummy.attrs.ignore_tkr.contains('r') && self.lookup(e).is_none();
        // A designator is evaluated once: what has no tag is asked for its view only.
        let has_tag = is_class(self.b.program(), e);
        let whole = if has_tag && self.lookup(e).is_none() && !is_first && !(is_sequence && e.rank != rank) {
            self.descriptor(e)
        } else {
            None
        };
        let addr = match whole {
            Some(d @ Descriptor { at: DescriptorAt::Mem(mem), .. }) => {
                if is_sequence && e.rank > 0 {
                    self.refuse_gaps(&d, e);
                }
                // The dummy is the target, whatever becomes of the pointer meanwhile (Fortran 2018, 15.5.2.4).
                let addr =
                    if is_pointer(self.b.program(), e) { self.copied_descriptor(&d, e) } else { self.b.address(mem) };
                if dummy.attrs.optional {
                    // What is not allocated or associated is absent.
                    let set = match e.kind {
                        ExprKind::Var(v) => self.presence_of_data(v),
                        _ => {
                            let base = self.b.load_word(mem.plus(ir::descriptor::BASE));
                            self.b.icmp(CmpOp::Ne, base, Val::i64(0))
                        }
                    };
                    self.b.select(Ty::I64, set, addr, Val::i64(0)).into()
                } else {
                    addr
                }
            }
            _ => {
                let mut view = if let Some(view) = self.assumed_rank_view(e) {
                    self.b.tagged(view, &e.ty)
                } else if is_first {
                    let view = self.own_class_view(e);
                    ArrayView { dims: Vec::new(), ..view }
                } else if rank == 0 {
                    self.class_view(e)
                } else {
                    self.own_class_view(e)
                };
                if is_sequence {
                    if is_class(self.b.program(), e) {
                        let test = self.b.contiguity_test(&view);
                        let scattered = self.b.negate(test);
                        self.when(scattered, |this| {
                            this.b
                                .unsupported("a polymorphic array section with gaps as an argument of this procedure");
                        });
                    } else {
                        let addr = self.b.contiguous_address(&view, &e.ty, dummy, out);
                        view.mem = MemRef::at(addr, view.mem.space);
                    }
                    let stride = view.element;
                    let dim = ArrayDim { lower: Val::i64(1), extent: Val::i64(1), stride, gather: None };
                    view.dims.resize(usize::from(rank), dim);
                }
                let addr = self.b.descriptor_of(&view);
                match self.presence_of_object(dummy, e, &view) {
                    Some(present) => self.b.select(Ty::I64, present, addr, Val::i64(0)).into(),
                    None => addr,
                }
            }
        };
        out.words.push(addr);
        out.keys.push(ArgKey::Any);
    }

    /// Stops the program at a polymorphic array with gaps whose elements must follow each other.
    fn refuse_gaps(&mut self, d: &Descriptor, e: &'p Expr) {
        let present = self.is_present(e);
        self.when(present, |this| {
            let view = this.b.desc_view(d);
            let test = this.b.contiguity_test(&view);
            let scattered = this.b.negate(test);
            this.when(scattered, |this| {
                this.b.unsupported("a polymorphic array with gaps as an argument of this procedure");
            });
        });
    }

    /// The address of a copy of a pointer's descriptor. That of an absent dummy has no contents.
    fn copied_descriptor(&mut self, d: &Descriptor, e: &'p Expr) -> Val {
        let slot = self.b.empty_descriptor(d.rank);
        let own = Descriptor { at: DescriptorAt::Mem(slot), ..d.clone() };
        let present = self.is_present(e);
        self.when(present, |this| {
            let view = this.b.desc_view(d);
            this.b.desc_set(&own, &view);
        });
        self.b.address(slot)
    }

    /// Whether an object is there for an optional dummy, if it may not be: an optional dummy, what need not be allocated or associated,
    /// and a function that may give a pointer to nothing (Fortran 2018, 15.5.2.12).
    fn presence_of_object(&mut self, dummy: &Variable, e: &'p Expr, view: &ArrayView) -> Option<Val> {
        let program = self.b.program();
        match e.kind {
            _ if !dummy.attrs.optional => None,
            ExprKind::Var(v) if program.var(v).attrs.optional => Some(self.presence_of_data(v)),
            _ if may_be_unset(program, e) || is_pointer_result(program, e) => {
                let base = self.b.address(view.mem);
                Some(self.b.icmp(CmpOp::Ne, base, Val::i64(0)))
            }
            _ => None,
        }
    }

    /// The descriptor of a polymorphic array dummy with the bounds that its declaration gives.
    pub(crate) fn with_declared_bounds(&mut self, v: VarId, d: Descriptor) -> Descriptor {
        let var = self.b.program().var(v);
        let DescriptorAt::Mem(given) = d.at.clone() else { return d };
        let slot = self.b.empty_descriptor(d.rank);
        let present = self.b.presence_of(v, given);
        let own = Descriptor { at: DescriptorAt::Mem(slot), ..d.clone() };
        self.when(present, |this| {
            let mut view = this.b.desc_view(&d);
            match &var.shape {
                Shape::AssumedShape(lowers) => {
                    for (dim, lower) in view.dims.iter_mut().zip(lowers) {
                        dim.lower = this.bound(lower);
                    }
                }
                Shape::Explicit(dims) => view.dims = this.explicit_dims(dims, view.element),
                Shape::AssumedSize(dims, lower) => {
                    let mut all = this.explicit_dims(dims, view.element);
                    let mut stride = view.element;
                    for dim in &all {
                        stride = this.b.imul(stride, dim.extent);
                    }
                    let lower = this.bound(lower);
                    all.push(ArrayDim { lower, extent: Val::i64(0), stride, gather: None });
                    view.dims = all;
                }
                Shape::AssumedRank => {
                    view.dims.iter_mut().for_each(|dim| dim.lower = Val::i64(1));
                    if let (true, Some(last)) = (d.assumed_size, view.dims.last_mut()) {
                        // Fortran 2018, 16.9.172 and 16.9.207.
                        last.extent = Val::i64(-1);
                    }
                }
                _ => {}
            }
            this.b.desc_set(&own, &view);
        });
        if !var.attrs.optional {
            return own;
        }
        // An absent one stays one: its descriptor has no address.
        let (given, own_addr) = (self.b.address(given), self.b.address(slot));
        let addr = self.b.select(Ty::I64, present, own_addr, given);
        Descriptor { at: DescriptorAt::Mem(MemRef::at(addr.into(), slot.space)), ..own }
    }

    /// An ASSOCIATE name or that of SELECT TYPE that is polymorphic: a descriptor of what it stands for, as it is now.
    pub(crate) fn associate_class(&mut self, v: VarId, e: &'p Expr) {
        let parts = if self.is_scattered(e) { self.parts_view(e) } else { None };
        let mut view = match parts {
            Some(parts) => self.b.tagged(parts, &e.ty),
            None => self.own_class_view(e),
        };
        if !keeps_bounds(self.b.program(), e) {
            view.dims.iter_mut().for_each(|d| d.lower = Val::i64(1));
        }
        let addr = self.b.descriptor_of(&view);
        let space = self.b.local_space();
        let d = self.desc(v, DescriptorAt::Mem(MemRef::at(addr, space)));
        self.storage
            .set(v, VarStorage::Described(Descriptor { data: view.mem.space, contiguous: view.is_contiguous(), ..d }));
    }
}
