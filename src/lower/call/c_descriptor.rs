//! Descriptors of C (`CFI_cdesc_t`): made of what is passed to a procedure of C, and read where C calls one of the program.
//!
//! A dummy of a procedure with `bind(c)` that is allocatable, a pointer, of assumed shape, rank or length goes by such a descriptor
//! (Fortran 2018, 18.3.6). It has addresses of C; services translate them. What C does to an allocatable or a pointer is in the
//! program's own descriptor behind the call.
//!
//! Not here: the other arguments (`foreign`, `callback`), the functions that C has for descriptors (crate `foreign`).

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::module::ArgKey;
use crate::types::align;
use crate::value::arguments::{CopyBack, Passed};
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::MemRef;
use ast::Intent;
use ir::c_descriptor::{self as layout, Class};
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Reg, Space, Ty, Val};
use sema::checked::{CharLen, Expr, ExprKind, Program, Shape, Storage, Type, VarId, Variable};
use source::Span;

/// Whether C gets a dummy of a procedure with `bind(c)` by a descriptor.
pub(super) fn has_c_descriptor(dummy: &Variable) -> bool {
    if matches!(dummy.storage, Storage::Procedure) {
        return false;
    }
    dummy.attrs.allocatable
        || dummy.attrs.pointer
        || matches!(dummy.shape, Shape::AssumedShape(_) | Shape::AssumedRank)
        || matches!(dummy.ty, Type::Character(CharLen::Assumed))
}

/// How far above the bytes of an element the type of a `type(*)` array is.
const TYPE_SHIFT: i64 = 48;

/// The number that C has for a type.
fn type_number(program: &Program, ty: &Type) -> i64 {
    match ty {
        Type::Integer(kind) => layout::type_number(Class::Integer, *kind),
        Type::Logical(kind) => layout::type_number(Class::Logical, *kind),
        Type::Real(kind) => layout::type_number(Class::Real, *kind),
        Type::Complex(kind) => layout::type_number(Class::Complex, *kind),
        Type::Character(_) => layout::type_number(Class::Character, 1),
        Type::Any => layout::type_number(Class::Other, 0),
        Type::Derived(id) => {
            let def = program.ty(*id);
            let class = match &*def.name {
                "c_ptr" => Class::DataPointer,
                "c_funptr" => Class::ProcedurePointer,
                _ if def.is_bound => Class::Struct,
                _ => Class::Other,
            };
            layout::type_number(class, 0)
        }
    }
}

/// Whether the elements of what C gets for a dummy follow each other.
fn must_be_contiguous(dummy: &Variable) -> bool {
    dummy.attrs.contiguous || matches!(dummy.shape, Shape::Explicit(_) | Shape::AssumedSize(..))
}

/// What a descriptor of C says beside its data.
struct Kind {
    ty: Val,
    attribute: i64,
    /// Whether its lower bounds are those of the data, not 0.
    has_bounds: bool,
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Passes an expression or variable to a procedure of C by a descriptor.
    pub(super) fn pass_to_c(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        out.keys.push(ArgKey::Any);
        if dummy.attrs.class {
            self.b.unsupported("a polymorphic argument of a procedure of C");
            out.words.push(Val::i64(0));
            return;
        }
        let present = self.presence_of_argument(dummy, e);
        let address = self.b.mutable(Ty::I64);
        self.b.set(address, Val::i64(0));
        let rank = match dummy.shape {
            Shape::AssumedRank => self.rank_of(e),
            _ if dummy.shape.rank() > 0 => dummy.shape.rank(),
            _ => 0,
        };
        // In front of it the run time finds the data.
        let (_, place) = self.b.slot(layout::IN_FRONT as u64 + layout::bytes(rank), 8, "descriptor for C", Span::NONE);
        let c = place.plus(layout::IN_FRONT);
        let is_plain = !dummy.attrs.allocatable && !dummy.attrs.pointer;
        if let Some(present) = present {
            let may_be_absent = !matches!(present, Val::Imm(_));
            let copied = (is_plain && may_be_absent && must_be_contiguous(dummy))
                .then(|| self.optional_for_c(dummy, e, present, out));
            self.when(present, |this| {
                match copied {
                    Some(view) => {
                        let ty = this.number_for_c(dummy, e);
                        this.b.fill_for_c(c, &view, &Kind { ty, attribute: layout::OTHER, has_bounds: false });
                    }
                    None => this.describe_for_c(dummy, e, rank, c, present, out),
                }
                let made = this.b.address(c);
                this.b.set(address, made);
            });
        }
        out.words.push(address.into());
    }

    /// The number that C has for the type of an argument.
    fn type_for_c(&self, e: &Expr) -> Val {
        let known = match &e.kind {
            ExprKind::Var(v) => self.types_for_c.get(v).copied(),
            _ => None,
        };
        known.unwrap_or_else(|| Val::i64(type_number(self.b.program(), &e.ty)))
    }

    /// The number that C has for the type of what is passed for a dummy.
    fn number_for_c(&self, dummy: &Variable, e: &Expr) -> Val {
        match &dummy.ty {
            Type::Any => self.type_for_c(e),
            ty => Val::i64(type_number(self.b.program(), ty)),
        }
    }

    /// What is passed behind the shape of a `type(*)` array: the bytes of an element, and above them the number that C has for its type.
    pub(super) fn element_word(&mut self, element: Val, e: &Expr) -> Val {
        let number = self.type_for_c(e);
        self.b.element_word(element, number)
    }

    /// Takes such a word apart, of a dummy: gives the bytes of an element.
    pub(crate) fn take_element_word(&mut self, v: VarId, word: Val) -> Val {
        let number = self.b.bin(BinOp::ShrS, Ty::I64, word, Val::i64(TYPE_SHIFT)).into();
        self.types_for_c.insert(v, number);
        self.b.bin(BinOp::And, Ty::I64, word, Val::i64((1 << TYPE_SHIFT) - 1)).into()
    }

    /// Whether there is something to pass; `None` if there surely is nothing.
    pub(crate) fn presence_of_argument(&mut self, dummy: &Variable, e: &'p Expr) -> Option<Val> {
        let is_described = dummy.attrs.allocatable || dummy.attrs.pointer;
        if !dummy.attrs.optional {
            return Some(Val::pred(true));
        }
        match &e.kind {
            ExprKind::Null if !is_described => None,
            ExprKind::Var(v) if is_described => Some(self.presence(*v)),
            // What is not allocated or associated is absent.
            ExprKind::Var(v) => Some(self.presence_of_data(*v)),
            _ => match self.descriptor(e) {
                Some(d) if !is_described => Some(self.b.desc_is_set(&d)),
                _ => Some(Val::pred(true)),
            },
        }
    }

    /// Fills the descriptor of C for an argument.
    fn describe_for_c(&mut self, dummy: &'p Variable, e: &'p Expr, rank: u8, c: MemRef, when: Val, out: &mut Passed) {
        let number = self.number_for_c(dummy, e);
        if dummy.attrs.allocatable || dummy.attrs.pointer {
            let attribute = if dummy.attrs.allocatable { layout::ALLOCATABLE } else { layout::POINTER };
            let kind = Kind { ty: number, attribute, has_bounds: true };
            let own = if matches!(e.kind, ExprKind::Null) { None } else { self.descriptor(e) };
            let view = match &own {
                Some(d) => {
                    if dummy.attrs.allocatable && dummy.attrs.intent == Some(Intent::Out) {
                        self.b.free_data(d, &e.ty, 0);
                        self.b.desc_clear(d);
                    }
                    self.b.desc_view(d)
                }
                None if matches!(e.kind, ExprKind::Null) => {
                    let element = self.b.element_bytes(&dummy.ty, None);
                    let nothing = MemRef::at(Val::i64(0), Space::Host);
                    self.b.dense(nothing, element, None, &vec![Val::i64(0); usize::from(rank)])
                }
                None => self.target_for_c(e, out),
            };
            self.b.fill_for_c(c, &view, &kind);
            if let Some(to) = own.filter(|_| dummy.attrs.intent != Some(Intent::In)) {
                out.back.push(CopyBack::OfC { when, from: c, to, is_allocatable: dummy.attrs.allocatable });
            }
            return;
        }
        let mut view = self.plain_for_c(dummy, e, out);
        if must_be_contiguous(dummy) {
            view = self.b.contiguous_for_c(view, &e.ty, dummy, out);
        }
        self.b.fill_for_c(c, &view, &Kind { ty: number, attribute: layout::OTHER, has_bounds: false });
    }

    /// The array that a dummy is which is neither allocatable nor a pointer.
    fn plain_for_c(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) -> ArrayView {
        let view = self.target_for_c(e, out);
        let mut view = if matches!(dummy.ty, Type::Any) { view } else { self.b.plain_view(view, &e.ty) };
        let is_sequence = matches!(dummy.shape, Shape::Explicit(_) | Shape::AssumedSize(..));
        if is_sequence && view.dims.len() != usize::from(dummy.shape.rank()) {
            self.b.unsupported("an array of another rank for an argument of assumed length of a procedure of C");
        }
        view.assumed_size |= matches!(dummy.shape, Shape::AssumedSize(..));
        view
    }

    /// The same for a dummy that may be absent and whose elements follow each other: a section is copied before anything depends on
    /// whether it is there, since the copy has to go back. What is absent is an array of no elements.
    fn optional_for_c(&mut self, dummy: &'p Variable, e: &'p Expr, present: Val, out: &mut Passed) -> ArrayView {
        let (base, element) = (self.b.mutable(Ty::I64), self.b.mutable(Ty::I64));
        let dims: Vec<[Reg; 2]> = (0..self.rank_of(e)).map(|_| [(); 2].map(|()| self.b.mutable(Ty::I64))).collect();
        for &reg in [base, element].iter().chain(dims.iter().flatten()) {
            self.b.set(reg, Val::i64(0));
        }
        let mut model = None;
        self.when(present, |this| {
            let view = this.plain_for_c(dummy, e, out);
            let address = this.b.address(view.mem);
            this.b.set(base, address);
            this.b.set(element, view.element);
            for (&[extent, stride], dim) in dims.iter().zip(&view.dims) {
                this.b.set(extent, dim.extent);
                this.b.set(stride, dim.stride);
            }
            model = Some(view);
        });
        let space = model.as_ref().map_or(Space::Host, |view| view.mem.space);
        let dim = |&[extent, stride]: &[Reg; 2]| ArrayDim {
            lower: Val::i64(1),
            extent: extent.into(),
            stride: stride.into(),
            gather: None,
        };
        let view = ArrayView {
            mem: MemRef::at(base.into(), space),
            origin: None,
            dims: dims.iter().map(dim).collect(),
            element: element.into(),
            len: model.as_ref().and_then(|view| view.len).map(|_| element.into()),
            tag: None,
            contiguity: model.as_ref().map_or(Contiguity::Unknown, |view| view.contiguity),
            assumed_size: model.is_some_and(|view| view.assumed_size),
        };
        self.b.contiguous_for_c(view, &e.ty, dummy, out)
    }

    /// What an argument that is neither allocatable nor a pointer names, or the value that it has.
    fn target_for_c(&mut self, e: &'p Expr, out: &mut Passed) -> ArrayView {
        let is_value = !sema::checked::is_designator(e) && self.rank_of(e) == 0;
        if is_value {
            let value = self.value(e);
            let mem = match value {
                crate::value::Value::Char(mem, len) => return self.b.dense(mem, len, Some(len), &[]),
                other => self.b.spill(&other, &e.ty),
            };
            let element = self.b.element_bytes(&e.ty, None);
            return self.b.dense(mem, element, None, &[]);
        }
        match self.assumed_rank_view(e) {
            Some(view) => view,
            None if e.rank == 0 => self.view_of_anything(e, out),
            None => match self.readable_view(e) {
                Some(view) if !view.gathers() => view,
                _ => self.own_view(e),
            },
        }
    }
}

impl Builder<'_, '_> {
    fn element_word(&mut self, element: Val, number: Val) -> Val {
        let above = self.imul(number, Val::i64(1 << TYPE_SHIFT));
        self.iadd(element, above)
    }

    /// An array whose elements follow each other, if need be as a copy that goes back.
    fn contiguous_for_c(&mut self, view: ArrayView, ty: &Type, dummy: &Variable, out: &mut Passed) -> ArrayView {
        if view.is_contiguous() {
            return view;
        }
        let address = self.contiguous_address(&view, ty, dummy, out);
        let mem = MemRef::at(address, view.mem.space);
        let dense = self.dense(mem, view.element, view.len, &view.extents());
        ArrayView { tag: view.tag, assumed_size: view.assumed_size, ..dense }
    }

    /// The descriptor of C of what was passed as to a procedure of Fortran, where it is known behind the passing only that the
    /// procedure is one of C. Gives its address, and what takes back behind the call what C does to an allocatable or a pointer.
    pub(super) fn describe_words_for_c(
        &mut self,
        var: &Variable,
        key: Option<ArgKey>,
        words: &[Val],
    ) -> Result<(Val, Option<CopyBack>), String> {
        let (rank, assumed_size) = match key {
            Some(ArgKey::Rank { rank, assumed_size }) => (rank, assumed_size),
            _ => (var.shape.rank(), false),
        };
        let is_open = matches!(var.shape, Shape::AssumedSize(..));
        if matches!(var.shape, Shape::Explicit(_)) || is_open && rank > 1 {
            return Err(format!("with argument `{}` of assumed length and other extents, through a pointer", var.name));
        }
        let Some(&given) = words.first() else { return Ok((Val::i64(0), None)) };
        let (_, place) = self.slot(layout::IN_FRONT as u64 + layout::bytes(rank), 8, "descriptor for C", Span::NONE);
        let c = place.plus(layout::IN_FRONT);
        let made = self.address(c);
        let is_described = var.attrs.allocatable || var.attrs.pointer;
        let present = if var.attrs.optional { self.icmp(CmpOp::Ne, given, Val::i64(0)) } else { Val::pred(true) };
        let number = Val::i64(type_number(self.program(), &var.ty));
        if is_described {
            let at = DescriptorAt::Mem(MemRef::at(given, self.local_space()));
            let d = self.desc_of((&var.ty, false), rank, at, Space::Host, var.attrs.allocatable, None);
            let attribute = if var.attrs.allocatable { layout::ALLOCATABLE } else { layout::POINTER };
            self.when(present, |this| {
                if var.attrs.allocatable && var.attrs.intent == Some(Intent::Out) {
                    this.free_data(&d, &var.ty, 0);
                    this.desc_clear(&d);
                }
                let view = this.desc_view(&d);
                this.fill_for_c(c, &view, &Kind { ty: number, attribute, has_bounds: true });
            });
            let address = self.select(Ty::I64, present, made, Val::i64(0)).into();
            let is_allocatable = var.attrs.allocatable;
            let back = CopyBack::OfC { when: present, from: c, to: d, is_allocatable };
            return Ok((address, (var.attrs.intent != Some(Intent::In)).then_some(back)));
        }
        let (is_char, is_any) = (matches!(var.ty, Type::Character(_)), matches!(var.ty, Type::Any));
        let last = words.last().copied().unwrap_or(given);
        let (element, number) = match (is_char, is_any) {
            (true, _) => (last, number),
            (_, true) => {
                let number = self.bin(BinOp::ShrS, Ty::I64, last, Val::i64(TYPE_SHIFT)).into();
                (self.bin(BinOp::And, Ty::I64, last, Val::i64((1 << TYPE_SHIFT) - 1)).into(), number)
            }
            _ => (self.element_bytes(&var.ty, None), number),
        };
        let pairs: Vec<(Val, Val)> = if is_open {
            vec![(Val::i64(0), element)]
        } else {
            words[1..].chunks_exact(2).take(usize::from(rank)).map(|pair| (pair[0], pair[1])).collect()
        };
        let dims =
            pairs.into_iter().map(|(extent, stride)| ArrayDim { lower: Val::i64(1), extent, stride, gather: None });
        let view = ArrayView {
            mem: MemRef::at(given, Space::Host),
            origin: None,
            dims: dims.collect(),
            element,
            len: is_char.then_some(element),
            tag: None,
            contiguity: Contiguity::Unknown,
            assumed_size: assumed_size || is_open,
        };
        self.when(present, |this| {
            this.fill_for_c(c, &view, &Kind { ty: number, attribute: layout::OTHER, has_bounds: false });
        });
        Ok((self.select(Ty::I64, present, made, Val::i64(0)).into(), None))
    }

    /// The address that C has for one of the program's.
    fn native_address(&mut self, address: Val) -> Val {
        let native = self.rt(Rt::ForeignNative, vec![address]);
        native.first().map_or(Val::i64(0), |&native| native.into())
    }

    /// The address that the program has for one of C's.
    fn address_of_native(&mut self, native: Val) -> Val {
        let address = self.rt(Rt::ForeignPlace, vec![native]);
        address.first().map_or(Val::i64(0), |&address| address.into())
    }

    /// Makes a descriptor of C one of that array.
    fn fill_for_c(&mut self, c: MemRef, view: &ArrayView, kind: &Kind) {
        let base = self.address(view.mem);
        self.store_scalar(c.plus(-layout::IN_FRONT), Ty::I64, base);
        let native = self.native_address(base);
        self.store_scalar(c.plus(layout::BASE), Ty::I64, native);
        self.store_scalar(c.plus(layout::ELEMENT_BYTES), Ty::I64, view.element);
        self.store_scalar(c.plus(layout::VERSION), Ty::I32, Val::i32(layout::THIS_VERSION));
        self.store_scalar(c.plus(layout::RANK), Ty::I8, Val::i64(view.dims.len() as i64));
        self.store_scalar(c.plus(layout::ATTRIBUTE), Ty::I8, Val::i64(kind.attribute));
        let ty = self.cast(kind.ty, Ty::I64, Ty::I16);
        self.store_scalar(c.plus(layout::TYPE), Ty::I16, ty);
        self.put_dims(c, view, kind.has_bounds);
        if let (true, Some(last)) = (view.assumed_size, view.dims.len().checked_sub(1)) {
            self.store_scalar(c.plus(layout::lower(last) + 8), Ty::I64, Val::i64(layout::UNKNOWN_EXTENT));
        }
    }

    fn put_dims(&mut self, c: MemRef, view: &ArrayView, has_bounds: bool) {
        for (i, dim) in view.dims.iter().enumerate() {
            let lower = if has_bounds { dim.lower } else { Val::i64(0) };
            for (offset, value) in [(0, lower), (8, dim.extent), (16, dim.stride)] {
                self.store_scalar(c.plus(layout::lower(i) + offset), Ty::I64, value);
            }
        }
    }

    /// The data of a descriptor of C of that rank.
    fn view_from_c(&mut self, c: MemRef, rank: u8, (element, is_char): (Option<Val>, bool), data: Space) -> ArrayView {
        let native = self.load_word(c.plus(layout::BASE));
        let base = self.address_of_native(native);
        let element = match element {
            Some(bytes) => bytes,
            None => self.load_word(c.plus(layout::ELEMENT_BYTES)),
        };
        let mut dims = Vec::with_capacity(usize::from(rank));
        for i in 0..usize::from(rank) {
            let [lower, extent, stride] = [0, 8, 16].map(|offset| self.load_word(c.plus(layout::lower(i) + offset)));
            dims.push(ArrayDim { lower, extent, stride, gather: None });
        }
        ArrayView {
            mem: MemRef::at(base, data),
            origin: None,
            dims,
            element,
            len: is_char.then_some(element),
            tag: None,
            contiguity: Contiguity::Unknown,
            assumed_size: false,
        }
    }

    /// Makes the program's descriptor of an allocatable or pointer what that of C is after a call.
    pub(super) fn take_from_c(&mut self, c: MemRef, to: &Descriptor, is_allocatable: bool) {
        let native = self.load_word(c.plus(layout::BASE));
        let base = self.address_of_native(native);
        if is_allocatable {
            // C has deallocated what it was given, or allocated something in its place.
            let old = self.desc_base(to);
            let old = self.freeze(old);
            let has_changed = self.icmp(CmpOp::Ne, base, old);
            // What C has allocated before it has given back itself.
            let is_own = self.icmp(CmpOp::Lt, old, Val::i64(layout::OWN_END));
            let is_left = self.bin(BinOp::And, Ty::Pred, has_changed, is_own).into();
            self.when(is_left, |this| this.free_if_set(to, 0));
        }
        self.desc_clear(to);
        let is_set = self.icmp(CmpOp::Ne, base, Val::i64(0));
        self.when(is_set, |this| {
            let view = this.view_from_c(c, to.rank, (to.element, to.is_char), to.data);
            this.desc_set(to, &view);
        });
    }

    /// The program's descriptor of an allocatable or pointer that C passes by the descriptor at an address; absent is 0.
    pub(super) fn descriptor_from_c(&mut self, var: &Variable, rank: u8, c: MemRef) -> (Val, Descriptor) {
        let slot = self.empty_descriptor(rank);
        let (contiguous, len) = (var.attrs.allocatable, None);
        let d = self.desc_of((&var.ty, false), rank, DescriptorAt::Mem(slot), Space::Host, contiguous, len);
        let given = self.address(c);
        let present = self.icmp(CmpOp::Ne, given, Val::i64(0));
        self.when(present, |this| {
            let view = this.view_from_c(c, rank, (d.element, d.is_char), Space::Host);
            this.desc_set(&d, &view);
        });
        let own = self.address(slot);
        let address = self.select(Ty::I64, present, own, Val::i64(0));
        (address.into(), d)
    }

    /// Makes the descriptor of C of an allocatable or pointer what the program's is after a call by C.
    pub(super) fn give_to_c(&mut self, c: MemRef, from: &Descriptor) {
        let given = self.address(c);
        let present = self.icmp(CmpOp::Ne, given, Val::i64(0));
        self.when(present, |this| {
            let view = this.desc_view(from);
            let base = this.address(view.mem);
            let native = this.native_address(base);
            this.store_scalar(c.plus(layout::BASE), Ty::I64, native);
            let is_set = this.icmp(CmpOp::Ne, base, Val::i64(0));
            this.when(is_set, |this| {
                this.store_scalar(c.plus(layout::ELEMENT_BYTES), Ty::I64, view.element);
                this.put_dims(c, &view, true);
            });
        });
    }

    /// Passes what C passes by the descriptor at an address to a procedure of the program; the argument has that rank.
    pub(super) fn pass_from_c(
        &mut self,
        var: &Variable,
        key: ArgKey,
        c: MemRef,
        out: &mut Passed,
    ) -> Option<Descriptor> {
        let (rank, assumed_size) = match key {
            ArgKey::Rank { rank, assumed_size } => (rank, assumed_size),
            _ => (var.shape.rank(), false),
        };
        out.keys.push(key);
        if var.attrs.allocatable || var.attrs.pointer {
            let (address, d) = self.descriptor_from_c(var, rank, c);
            out.words.push(address);
            return Some(d);
        }
        let is_char = matches!(var.ty, Type::Character(_));
        let element = match crate::types::const_bytes(self.program(), &var.ty) {
            Some(bytes) if !matches!(var.ty, Type::Any) => Some(Val::i64(bytes as i64)),
            _ => None,
        };
        let has_shape = matches!(var.shape, Shape::AssumedShape(_) | Shape::AssumedRank);
        let dims = if has_shape { rank } else { 0 };
        // What is absent has nothing behind its address.
        let given = self.address(c);
        let present = self.icmp(CmpOp::Ne, given, Val::i64(0));
        let (_, nothing) =
            self.slot(layout::bytes(dims), align(self.program(), &Type::Integer(8)), "absent", Span::NONE);
        for offset in (0..layout::bytes(dims) as i64).step_by(8) {
            self.store_scalar(nothing.plus(offset), Ty::I64, Val::i64(0));
        }
        let absent = self.address(nothing);
        let addr = self.select(Ty::I64, present, given, absent).into();
        let mut view = self.view_from_c(MemRef::at(addr, Space::Host), dims, (element, is_char), Space::Host);
        if var.attrs.contiguous && dims > 0 && !assumed_size {
            // The length is that of the descriptor.
            let ty = if is_char { Type::Character(CharLen::Assumed) } else { var.ty.clone() };
            let address = self.contiguous_address(&view, &ty, var, out);
            let mem = MemRef::at(address, view.mem.space);
            view = self.dense(mem, view.element, view.len, &view.extents());
        }
        let base = self.address(view.mem);
        out.words.push(base);
        for (i, dim) in view.dims.iter().enumerate() {
            let is_open = assumed_size && i + 1 == view.dims.len();
            out.words.extend([if is_open { Val::i64(0) } else { dim.extent }, dim.stride]);
        }
        if is_char {
            out.words.push(view.element);
        } else if matches!(var.ty, Type::Any) {
            let number = self.load_scalar(MemRef::at(addr, Space::Host).plus(layout::TYPE), Ty::I16).into();
            let number = self.cast(number, Ty::I16, Ty::I64);
            let word = self.element_word(view.element, number);
            out.words.push(word);
        }
        None
    }

    /// The rank that a descriptor of C has, and whether it is of an assumed-size array, as one number: twice the rank, and 1 more.
    /// What is absent counts as a scalar.
    pub(super) fn rank_from_c(&mut self, c: MemRef) -> Val {
        let found = self.mutable(Ty::I64);
        self.set(found, Val::i64(0));
        let given = self.address(c);
        let present = self.icmp(CmpOp::Ne, given, Val::i64(0));
        self.when(present, |this| {
            let rank = this.load_scalar(c.plus(layout::RANK), Ty::I8).into();
            let rank = this.cast(rank, Ty::I8, Ty::I64);
            let twice = this.imul(rank, Val::i64(2));
            this.set(found, twice);
            let is_array = this.icmp(CmpOp::Gt, rank, Val::i64(0));
            this.when(is_array, |this| {
                let skip = this.imul(rank, Val::i64(24));
                let address = this.address(c);
                let last = this.iadd(address, skip);
                let extent = this.load_word(MemRef::at(last, Space::Host).plus(8));
                let is_open = this.icmp(CmpOp::Eq, extent, Val::i64(layout::UNKNOWN_EXTENT));
                this.when(is_open, |this| {
                    let more = this.iadd(twice, Val::i64(1));
                    this.set(found, more);
                });
            });
        });
        found.into()
    }
}
