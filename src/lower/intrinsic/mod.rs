//! Intrinsic procedures, by family.
//!
//! Operations of the IR are made inline. Transcendental functions are calls of the embedded Fortran module `cufemu_math`
//! (`sin_r4`, `pow_r8`, `exp_c4` …, named after the type of the result). A function that the module lacks is refused when it
//! is reached.
//!
//! Not here: constant inquiries, which `sema` folds.

mod array_shift;
mod bits;
mod character;
mod combine;
mod device;
mod domain;
mod inquiry;
mod locate;
mod matmul;
mod model;
mod numeric;
pub(crate) mod random;
mod reduce;
mod reshape;
mod subroutine;

use crate::analysis::designators::is_class;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::types::{has_allocatable, ir_ty};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Allocation, Lvalue, MemRef};
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Reg, Space, Ty, Val};
use sema::checked::{Class, Expr, ExprKind, Intrinsic, Program, Type, VarId};

/// Arguments in the order of the table row.
#[derive(Clone, Copy)]
pub(crate) struct Args<'p> {
    /// Those that are written.
    written: &'p [Option<Expr>],
    /// Bits of those of which it is known whether they are absent, where they might be.
    known: u64,
    /// Bits of those that are absent though they are written.
    absent: u64,
}

impl<'p> From<&'p Vec<Option<Expr>>> for Args<'p> {
    fn from(written: &'p Vec<Option<Expr>>) -> Args<'p> {
        Args { written, known: 0, absent: 0 }
    }
}

impl<'p> Args<'p> {
    /// The arguments that are there.
    pub(crate) fn given(self) -> impl Iterator<Item = &'p Expr> {
        (0..self.written.len()).filter_map(move |i| arg(self, i))
    }

    /// The arguments behind the first one.
    pub(crate) fn rest(self) -> Args<'p> {
        let written = self.written.get(1..).unwrap_or_default();
        Args { written, known: self.known >> 1, absent: self.absent >> 1 }
    }

    fn with(self, i: usize) -> Args<'p> {
        Args { known: self.known | 1 << i, ..self }
    }

    fn without(self, i: usize) -> Args<'p> {
        Args { known: self.known | 1 << i, absent: self.absent | 1 << i, ..self }
    }
}

/// The argument of that position, if it is there.
pub(crate) fn arg(args: Args<'_>, i: usize) -> Option<&Expr> {
    let is_absent = i < 64 && args.absent >> i & 1 == 1;
    args.written.get(i).and_then(Option::as_ref).filter(|_| !is_absent)
}

/// Whether an intrinsic procedure can do without an argument.
fn is_optional(id: Intrinsic, at: usize) -> bool {
    use Intrinsic as I;
    match id {
        I::Max | I::Min => at > 1,
        I::Cmplx => at == 1,
        I::GetCommandArgument | I::GetEnvironmentVariable => at > 0,
        I::DateAndTime | I::GetCommand | I::RandomSeed | I::SystemClock | I::Exit | I::Flush => true,
        I::Merge | I::MergeBits | I::Spread | I::Unpack => false,
        I::Pack => at == 2,
        I::Ishftc => at == 2,
        _ => {
            matches!(id.dummies().get(at), Some(&("back" | "boundary" | "dim" | "mask" | "order" | "pad" | "target")))
        }
    }
}

/// Whether the value or the shape of an argument matters, and it cannot be absent.
pub(crate) fn needs_argument(id: Intrinsic, at: usize) -> bool {
    !(is_optional(id, at) || id == Intrinsic::Transfer && at == 1)
}

/// The optional dummy argument that an argument is, which may be absent; conversions do not hide it.
fn optional_dummy(program: &Program, e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Convert(inner) => optional_dummy(program, inner),
        ExprKind::Var(v) => Some(*v).filter(|&v| program.var(v).attrs.optional),
        _ => None,
    }
}

/// Whether an argument of an elemental intrinsic may be absent: what it is can be asked where it is present only.
pub(crate) fn may_be_absent(program: &Program, id: Intrinsic, at: usize, e: &Expr) -> bool {
    is_optional(id, at) && optional_dummy(program, e).is_some()
}

impl<'p> FunctionLowering<'_, 'p> {
    /// The first argument that may be absent: its position, and the condition under which it is there.
    pub(crate) fn absent_argument(&mut self, id: Intrinsic, args: Args<'p>) -> Option<(usize, Val)> {
        let program = self.b.program();
        let (at, v) = (0..args.written.len().min(64))
            .filter(|&i| is_optional(id, i) && args.known >> i & 1 == 0)
            .find_map(|i| Some((i, optional_dummy(program, arg(args, i)?)?)))?;
        Some((at, self.presence_of_data(v)))
    }

    /// The condition under which an argument is absent; `None` for one that is always there.
    pub(crate) fn is_absent(&mut self, id: Intrinsic, at: usize, e: &Expr) -> Option<Val> {
        let v = optional_dummy(self.b.program(), e).filter(|_| is_optional(id, at))?;
        let present = self.presence_of_data(v);
        Some(self.b.negate(present))
    }

    /// An intrinsic function with a scalar result, or the current element of an elemental one.
    pub(crate) fn intrinsic(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Value {
        let unknown = if matches!(e.ty, Type::Character(_)) { None } else { self.absent_argument(id, args) };
        let Some((at, present)) = unknown else { return self.known_intrinsic(id, args, e) };
        let out = match &e.ty {
            Type::Complex(_) => {
                let part = ir_ty(&e.ty);
                Lvalue::Complex(self.b.mutable(part), self.b.mutable(part))
            }
            ty => Lvalue::Reg(self.b.mutable(ir_ty(ty))),
        };
        self.with_and_without(args, at, present, &mut |this, args| {
            let value = this.intrinsic(id, args, e);
            this.b.store_value(out, &e.ty, &value);
        });
        self.b.load_value(out, &e.ty)
    }

    /// Makes code for the case that an argument is there, and for the case that it is not.
    fn with_and_without(&mut self, args: Args<'p>, at: usize, present: Val, make: &mut dyn FnMut(&mut Self, Args<'p>)) {
        let make = std::cell::RefCell::new(make);
        self.either(
            present,
            |this| make.borrow_mut()(this, args.with(at)),
            |this| make.borrow_mut()(this, args.without(at)),
        );
    }

    fn known_intrinsic(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Value {
        use Intrinsic as I;
        self.demand_dimension(id, args);
        self.check_arguments(id, args);
        let made = match id {
            I::Btest
            | I::Iand
            | I::Ibclr
            | I::Ibits
            | I::Ibset
            | I::Ieor
            | I::Ior
            | I::Ishft
            | I::Ishftc
            | I::Leadz
            | I::Maskl
            | I::Maskr
            | I::Not
            | I::Popcnt
            | I::Poppar
            | I::Shiftl
            | I::Shiftr
            | I::Shifta
            | I::Trailz
            | I::Rshift
            | I::Lshift
            | I::Dshiftl
            | I::Dshiftr
            | I::MergeBits
            | I::Bge
            | I::Bgt
            | I::Ble
            | I::Blt => self.bit_function(id, args, e),
            I::Exponent | I::Fraction | I::Nearest | I::Rrspacing | I::Scale | I::SetExponent | I::Spacing => {
                self.model_function(id, args)
            }
            I::Achar
            | I::Adjustl
            | I::Adjustr
            | I::Char
            | I::Iachar
            | I::Ichar
            | I::Index
            | I::LenTrim
            | I::Lge
            | I::Lgt
            | I::Lle
            | I::Llt
            | I::Scan
            | I::Verify
            | I::Repeat
            | I::Trim
            | I::NewLine => self.character_function(id, args, e),
            _ if id.class() == Class::Elemental => self.numeric_function(id, args, e),
            _ if id.class() == Class::Inquiry => self.inquiry(id, args, e),
            _ if id.class() == Class::Device => self.device_function(id, args, e),
            I::CAssociated | I::CommandArgumentCount => self.inquiry(id, args, e),
            I::Transfer => self.transfer_scalar(args, e),
            I::Reduce => self.combine_scalar(args),
            _ => self.reduction(id, args, e),
        };
        made.unwrap_or_else(|| self.b.refused(&e.ty, &format!("`{}` with these arguments", id.name())))
    }

    /// An intrinsic function with an array result; `None` if it is not made.
    pub(crate) fn array_intrinsic(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let Some((at, present)) = self.absent_argument(id, args) else {
            return self.known_array_intrinsic(id, args, e);
        };
        if !self.b.is_host() || has_allocatable(self.b.program(), &e.ty) {
            return None;
        }
        // Both cases leave their result in memory of their own, of the same form.
        let addr = self.b.mutable(Ty::I64);
        let element = self.b.mutable(Ty::I64);
        let extents: Vec<Reg> = (0..e.rank).map(|_| self.b.mutable(Ty::I64)).collect();
        let mut all_made = true;
        self.with_and_without(args, at, present, &mut |this, args| {
            let Some(view) = this.array_intrinsic(id, args, e) else {
                all_made = false;
                return;
            };
            let view = this.b.local_view(view, &e.ty);
            let shape = view.extents();
            let bytes = this.b.array_bytes(&shape, view.element);
            let memory = this.b.rt(Rt::Alloc, vec![Val::i32(0), bytes, Val::i64(0), Val::i64(0), Val::i32(0)]);
            this.b.set(addr, memory.first().map_or(Val::i64(0), |&r| r.into()));
            this.b.set(element, view.element);
            for (&to, from) in extents.iter().zip(&shape) {
                this.b.set(to, *from);
            }
            let to = this.b.dense(MemRef::at(addr.into(), Space::Host), view.element, view.len, &shape);
            this.b.copy_array(&to, &view, &e.ty);
        });
        if !all_made {
            return None;
        }
        self.b.defer_free(Allocation { location: 0, addr: addr.into(), may_be_null: false });
        let extents: Vec<Val> = extents.into_iter().map(Val::from).collect();
        let len = matches!(e.ty, Type::Character(_)).then_some(element.into());
        Some(self.b.dense(MemRef::at(addr.into(), Space::Host), element.into(), len, &extents))
    }

    /// Polymorphic objects, where an intrinsic function gives ones of their declared type: others are refused when they are met.
    pub(crate) fn view_of_declared_type(&mut self, id: Intrinsic, objects: &'p Expr) -> ArrayView {
        let view = self.class_view(objects);
        let base = self.b.address(view.mem);
        let is_there = self.b.icmp(CmpOp::Ne, base, Val::i64(0));
        let declared = self.b.tag_of(&objects.ty);
        let is_other = self.b.icmp(CmpOp::Ne, view.tag.unwrap_or(declared), declared);
        let differs = self.b.combine(BinOp::And, is_there, is_other);
        self.when(differs, |this| {
            this.b.unsupported(&format!("`{}` of objects whose type extends the declared one", id.name()));
        });
        view
    }

    fn known_array_intrinsic(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        self.check_arguments(id, args);
        use Intrinsic as I;
        let rearranges =
            matches!(id, I::Transpose | I::Reshape | I::Spread | I::Cshift | I::Eoshift | I::Pack | I::Unpack);
        let objects = arg(args, 0).filter(|array| {
            rearranges && self.b.is_host() && is_class(self.b.program(), array) && self.lookup(array).is_none()
        });
        if let Some(objects) = objects {
            let view = self.view_of_declared_type(id, objects);
            return self.with_objects(objects, view, |this| this.known_array_intrinsic(id, args, e));
        }
        match id {
            I::Transpose => self.transpose(args),
            I::Reshape => self.reshape(args, e),
            I::Spread => self.spread(args),
            I::Cshift | I::Eoshift => self.shifted(id, args, e),
            I::Pack => self.pack(args, e),
            I::Unpack => self.unpack(args, e),
            I::Transfer => self.transfer_array(args, e),
            I::Matmul => self.matmul(args, e),
            I::Maxloc | I::Minloc | I::Findloc => self.locate_array(id, args, e),
            I::Shape | I::Lbound | I::Ubound => self.bounds_array(id, args, e),
            I::Reduce => self.combine_array(args, e),
            _ => self.reduction_array(id, args, e),
        }
    }

    /// The values of the arguments that are there.
    pub(crate) fn argument_values(&mut self, args: Args<'p>) -> Vec<(Value, Type)> {
        args.given().map(|a| (self.value(a), a.ty.clone())).collect()
    }
}
