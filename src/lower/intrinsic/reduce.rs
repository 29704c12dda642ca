//! Reductions: SUM, PRODUCT, MAXVAL, MINVAL, ANY, ALL, PARITY, COUNT, IALL, IANY, IPARITY, NORM2, DOT_PRODUCT.
//!
//! A reduction is one loop in array element order with one accumulator, in host and device code alike. In host code a
//! reduction of device data works on a copy. With DIM there is one such loop for each element of the result.

use super::{Args, arg};
use crate::builder::Builder;
use crate::builder::arith::constant;
use crate::builder::flow::Flow;
use crate::elements::Operands;
use crate::function::FunctionLowering;
use crate::types::{Side, imm, ir_ty, real_imm};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, MemRef, element_lvalue};
use ir::op::{BinOp, CmpOp, UnOp};
use ir::{Reg, Ty, Val};
use sema::checked::{BinaryOp, CmpOp as Relation, Expr, ExprKind, Intrinsic, Type};

/// The accumulator of a reduction.
struct Accumulator<'p> {
    id: Intrinsic,
    array: &'p Expr,
    mask: Option<&'p Expr>,
    /// Type of the value that is accumulated.
    ty: Type,
    place: Lvalue,
    /// Of MAXVAL and MINVAL of reals: whether there was an element.
    found: Option<Reg>,
    /// Of NORM2: the sums of the squares of what is too great and too small to be squared, both scaled.
    extremes: Option<(Lvalue, Lvalue)>,
}

/// The numbers of Blue's algorithm for the norm ("A portable Fortran program to find the Euclidean norm of a vector", ACM TOMS
/// 4, 1978), as LAPACK has them: above the first and below the second a number is squared after a multiplication by the third
/// or the fourth.
fn scales(ty: Ty) -> [f64; 4] {
    let exponents = if ty == Ty::F32 { [52, -63, -76, 75] } else { [486, -511, -538, 537] };
    exponents.map(|n| 2f64.powi(n))
}

/// Which arguments of the row are DIM and MASK.
fn positions(id: Intrinsic) -> (Option<usize>, Option<usize>) {
    use Intrinsic as I;
    match id {
        I::All | I::Any | I::Count | I::Norm2 | I::Parity => (Some(1), None),
        _ => (Some(1), Some(2)),
    }
}

impl Builder<'_, '_> {
    /// The extents without that of a dimension, and that one.
    pub(super) fn without_dimension(&mut self, extents: &[Val], dim: Val) -> (Vec<Val>, Val) {
        let (first, last) = (Val::i64(0), Val::i64(extents.len() as i64 - 1));
        if constant(dim).is_none() {
            let number = self.iadd(dim, Val::i64(1));
            let [lower, upper] = [first, last].map(|end| self.iadd(end, Val::i64(1)));
            self.demand_argument("dim", number, lower, upper);
        }
        let along = chosen(self, extents, dim);
        let outer = extents
            .windows(2)
            .enumerate()
            .map(|(i, pair)| before(self, Val::i64(i as i64), dim, pair[0], pair[1]))
            .collect();
        (outer, along)
    }

    /// A position in the other dimensions with the position in that dimension put in.
    pub(super) fn with_dimension(&mut self, index: &[Val], dim: Val, at: Val) -> Vec<Val> {
        let mut full = Vec::with_capacity(index.len() + 1);
        for i in 0..=index.len() {
            let here = Val::i64(i as i64);
            let left = index.get(i).copied().unwrap_or(at);
            let right = i.checked_sub(1).and_then(|i| index.get(i)).copied().unwrap_or(at);
            let equal = self.icmp(CmpOp::Eq, here, dim);
            let other = before(self, here, dim, left, right);
            full.push(pick_one(self, equal, at, other));
        }
        full
    }

    /// The text that MAXVAL or MINVAL has of no elements.
    fn reset_text(&mut self, id: Intrinsic, mem: MemRef, len: Val) {
        let first = if id == Intrinsic::Maxval { 0 } else { -1 };
        self.repeat(len, &mut |this, i| {
            let byte = this.advance(mem, i);
            this.store_scalar(byte, Ty::I8, imm(Ty::I8, first));
        });
    }

    /// Whether `a` comes before `b` in an order, a predicate; used in the search for extremes.
    pub(super) fn precedes(&mut self, op: CmpOp, a: Val, b: Val, ty: Ty) -> Val {
        self.cmp(op, ty, a, b).into()
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// A reduction to a scalar.
    pub(super) fn reduction(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        use Intrinsic as I;
        match id {
            I::DotProduct => return self.dot_product(arg(args, 0)?, arg(args, 1)?, &e.ty),
            I::Maxloc | I::Minloc | I::Findloc => return self.locate_scalar(id, args, e),
            I::Maxval | I::Minval if matches!(e.ty, Type::Character(_)) => return self.text_extreme(id, args),
            _ => {}
        }
        let mut acc = accumulator(&mut self.b, id, args, e)?;
        reset(&mut self.b, &mut acc);
        self.wait_for_stream(id, args);
        let mut operands = Operands::default();
        self.prepare(acc.array, &mut operands);
        let extents = operands.extents(acc.array)?;
        self.prepare_mask(&acc, &mut operands);
        self.for_each_element(operands, &extents, &[], &mut |this, _, _| this.accumulate(&acc));
        total(&mut self.b, &acc, &e.ty)
    }

    /// A reduction of host code in a stream comes after what the stream does.
    fn wait_for_stream(&mut self, id: Intrinsic, args: Args<'p>) {
        let takes_stream = matches!(id, Intrinsic::Sum | Intrinsic::Maxval | Intrinsic::Minval);
        if let Some(stream) = arg(args, 3).filter(|_| takes_stream && self.b.side() == Side::Host) {
            let stream = self.scalar(stream);
            self.b.wait_for_stream(Some(stream));
        }
    }

    /// MAXVAL and MINVAL of characters. Of none it is the text that comes first or last.
    fn text_extreme(&mut self, id: Intrinsic, args: Args<'p>) -> Option<Value> {
        let array = arg(args, 0)?;
        let mask = arg(args, 1).filter(|e| matches!(e.ty, Type::Logical(_))).or_else(|| arg(args, 2));
        let mut operands = Operands::default();
        self.prepare(array, &mut operands);
        let len = self.length_of(array, Some(&operands))?;
        let len = self.b.freeze(len);
        let mem = self.b.temporary(len, 1);
        self.b.reset_text(id, mem, len);
        let extents = operands.extents(array)?;
        if let Some(mask) = mask {
            self.prepare(mask, &mut operands);
        }
        self.b.check_mask(array, mask, &operands);
        self.for_each_element(operands, &extents, &[], &mut |this, _, _| {
            this.take_text(id, array, mask, (mem, len));
        });
        Some(Value::Char(mem, len))
    }

    /// MAXVAL and MINVAL of characters along one dimension.
    fn text_extremes(&mut self, id: Intrinsic, args: Args<'p>) -> Option<ArrayView> {
        let (array, mask) = (arg(args, 0)?, arg(args, 2));
        let dim = self.dimension(arg(args, 1)?);
        let mut operands = Operands::default();
        self.prepare(array, &mut operands);
        let len = self.length_of(array, Some(&operands))?;
        let len = self.b.freeze(len);
        let extents = operands.extents(array)?;
        if let Some(mask) = mask {
            self.prepare(mask, &mut operands);
        }
        self.b.check_mask(array, mask, &operands);
        let (outer, along) = self.b.without_dimension(&extents, dim);
        let result = self.b.temporary_array(&array.ty, Some(len), &outer);
        let view = result.clone();
        self.with_operands(operands, |this| {
            this.nest(&outer, &mut |this, index| {
                let mem = this.b.element_by_position(&view, index);
                this.b.reset_text(id, mem, len);
                this.repeat(along, &mut |this, i| {
                    let full = this.b.with_dimension(index, dim, i);
                    this.move_to(&full);
                    this.take_text(id, array, mask, (mem, len));
                });
            });
        });
        Some(result)
    }

    /// Keeps the text of the current element if it comes before, or behind, what is kept.
    fn take_text(&mut self, id: Intrinsic, array: &'p Expr, mask: Option<&'p Expr>, (mem, len): (MemRef, Val)) {
        let closer = if id == Intrinsic::Maxval { Relation::Gt } else { Relation::Lt };
        let counts = mask.map_or(Val::pred(true), |mask| self.pred(mask));
        self.when(counts, |this| {
            let x = this.value(array);
            let is_closer = this.b.compare_characters(closer, &x, &Value::Char(mem, len));
            this.when(is_closer, |this| this.b.store_value(Lvalue::Char(mem, len), &array.ty, &x));
        });
    }

    /// A reduction along one dimension.
    pub(super) fn reduction_array(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        if matches!(id, Intrinsic::Maxval | Intrinsic::Minval) && matches!(e.ty, Type::Character(_)) {
            return self.text_extremes(id, args);
        }
        let dim = self.dimension(arg(args, positions(id).0?)?);
        let mut acc = accumulator(&mut self.b, id, args, e)?;
        self.wait_for_stream(id, args);
        let mut operands = Operands::default();
        self.prepare(acc.array, &mut operands);
        let extents = operands.extents(acc.array)?;
        self.prepare_mask(&acc, &mut operands);
        let (outer, along) = self.b.without_dimension(&extents, dim);
        let view = self.b.temporary_array(&e.ty, None, &outer);
        let result = view.clone();
        self.with_operands(operands, |this| {
            this.nest(&outer, &mut |this, index| {
                reset(&mut this.b, &mut acc);
                this.repeat(along, &mut |this, i| {
                    let full = this.b.with_dimension(index, dim, i);
                    this.move_to(&full);
                    this.accumulate(&acc);
                });
                if let Some(total) = total(&mut this.b, &acc, &e.ty) {
                    let mem = this.b.element_by_position(&result, index);
                    this.b.store_value(element_lvalue(mem, None), &e.ty, &total);
                }
            });
        });
        Some(view)
    }

    /// DIM counted from 0, a value of the frame.
    pub(super) fn dimension(&mut self, e: &'p Expr) -> Val {
        let dim = self.int64(e);
        let dim = self.b.freeze(dim);
        self.b.iadd(dim, Val::i64(-1))
    }

    fn prepare_mask(&mut self, acc: &Accumulator<'p>, operands: &mut Operands) {
        if let Some(mask) = acc.mask {
            self.prepare(mask, operands);
        }
        self.b.check_mask(acc.array, acc.mask, operands);
    }

    /// Takes in the current element.
    fn accumulate(&mut self, acc: &Accumulator<'p>) {
        match acc.mask {
            None => self.take_in(acc),
            Some(mask) => {
                let p = self.pred(mask);
                self.when(p, |this| this.take_in(acc));
            }
        }
    }

    fn take_in(&mut self, acc: &Accumulator<'p>) {
        use Intrinsic as I;
        let ty = ir_ty(&acc.ty);
        if matches!(acc.id, I::Any | I::All | I::Parity) {
            let p = self.pred(acc.array);
            if let Lvalue::Reg(r) = acc.place {
                let op = match acc.id {
                    I::Any => BinOp::Or,
                    I::All => BinOp::And,
                    _ => BinOp::Xor,
                };
                let joined = self.b.bin(op, Ty::Pred, r, p);
                self.b.set(r, joined);
            }
            return;
        }
        if acc.id == I::Count {
            let p = self.pred(acc.array);
            let one = self.b.select(Ty::I64, p, Val::i64(1), Val::i64(0));
            let old = self.b.load_value(acc.place, &acc.ty);
            let old = self.b.as_scalar(&old, &acc.ty);
            let sum = self.b.iadd(old, one.into());
            return self.b.store_value(acc.place, &acc.ty, &Value::Scalar(sum));
        }
        if acc.id == I::Sum
            && self.b.contracts()
            && let Some((a, b)) = self.fused_factors(acc.array)
        {
            let old = self.b.load_value(acc.place, &acc.ty);
            let new = self.b.multiply_add(&old, &a, &b, &acc.ty);
            return self.b.store_value(acc.place, &acc.ty, &new);
        }
        let x = self.value(acc.array);
        let old = self.b.load_value(acc.place, &acc.ty);
        let scalar_op = match acc.id {
            I::Maxval => Some(BinOp::Max),
            I::Minval => Some(BinOp::Min),
            I::Iall => Some(BinOp::And),
            I::Iany => Some(BinOp::Or),
            I::Iparity => Some(BinOp::Xor),
            _ => None,
        };
        let new = match (acc.id, scalar_op) {
            (_, Some(op)) => {
                let (a, b) = (self.b.as_scalar(&old, &acc.ty), self.b.as_scalar(&x, &acc.ty));
                Value::Scalar(self.b.bin(op, ty, a, b).into())
            }
            (I::Product, _) => self.b.arithmetic(BinaryOp::Mul, &old, &x, &acc.ty),
            (I::Norm2, _) => self.add_square(acc, &old, &x),
            _ => self.b.arithmetic(BinaryOp::Add, &old, &x, &acc.ty),
        };
        self.b.store_value(acc.place, &acc.ty, &new);
        if let Some(found) = acc.found {
            self.b.set(found, Val::pred(true));
        }
    }

    /// Adds the square of a number to the sum of NORM2, or to one of the others if it is out of the common range.
    fn add_square(&mut self, acc: &Accumulator<'p>, sum: &Value, x: &Value) -> Value {
        let (ty, x) = (ir_ty(&acc.ty), self.b.as_scalar(x, &acc.ty));
        let Some((great, small)) = acc.extremes else { return sum.clone() };
        let [above, below, shrink, grow] = scales(ty).map(|n| real_imm(ty, n));
        let size: Val = self.b.un(UnOp::Abs, ty, x).into();
        let (is_great, is_small) = (self.b.cmp(CmpOp::Gt, ty, size, above), self.b.cmp(CmpOp::Lt, ty, size, below));
        let mut common = x;
        for (place, is_one, scale) in [(great, is_great, shrink), (small, is_small, grow)] {
            // Only what is in this range is scaled, since other numbers may overflow.
            let own = self.b.select(ty, is_one, x, real_imm(ty, 0.0));
            let own = Value::Scalar(self.b.bin(BinOp::Mul, ty, own, scale).into());
            common = self.b.select(ty, is_one, real_imm(ty, 0.0), common).into();
            let old = self.b.load_value(place, &acc.ty);
            let new = self.b.multiply_add(&old, &own, &own, &acc.ty);
            self.b.store_value(place, &acc.ty, &new);
        }
        let common = Value::Scalar(common);
        self.b.multiply_add(sum, &common, &common, &acc.ty)
    }

    /// The factors of a real product that a sum takes in, as in `sum(a*b)`.
    fn fused_factors(&mut self, e: &'p Expr) -> Option<(Value, Value)> {
        use sema::checked::ExprKind;
        match &e.kind {
            ExprKind::Binary { op: BinaryOp::Mul, left, right }
                if matches!(e.ty, Type::Real(_)) && self.lookup(e).is_none() =>
            {
                Some((self.value(left), self.value(right)))
            }
            _ => None,
        }
    }

    fn dot_product(&mut self, a: &'p Expr, b: &'p Expr, ty: &Type) -> Option<Value> {
        let mut operands = Operands::default();
        self.prepare(a, &mut operands);
        self.prepare(b, &mut operands);
        self.b.check_conforming(a.span, [a, b], &operands);
        let extents = operands.extents(a)?;
        if matches!(ty, Type::Logical(_)) {
            let any = self.b.mutable(Ty::Pred);
            self.b.set(any, Val::pred(false));
            self.for_each_element(operands, &extents, &[], &mut |this, _, _| {
                let (p, q) = (this.pred(a), this.pred(b));
                let both = this.b.combine(BinOp::And, p, q);
                let joined = this.b.bin(BinOp::Or, Ty::Pred, any, both);
                this.b.set(any, joined);
            });
            return Some(Value::Pred(self.b.freeze(any.into())));
        }
        let place = self.b.variable_of(ty);
        let zero = self.b.zero(ty);
        self.b.store_value(place, ty, &zero);
        self.for_each_element(operands, &extents, &[], &mut |this, _, _| {
            let (x, y) = (this.value(a), this.value(b));
            let (mut x, y) = (this.b.convert(&x, &a.ty, ty), this.b.convert(&y, &b.ty, ty));
            if let Value::Complex(re, im) = x {
                x = Value::Complex(re, this.b.un(UnOp::Neg, ir_ty(ty), im).into());
            }
            let old = this.b.load_value(place, ty);
            let new = this.b.multiply_add(&old, &x, &y, ty);
            this.b.store_value(place, ty, &new);
        });
        let v = self.b.load_value(place, ty);
        Some(self.b.freeze_value(v))
    }
}

/// The greatest integer of a register type.
fn greatest(ty: Ty) -> i64 {
    match ty {
        Ty::I8 => i64::from(i8::MAX),
        Ty::I16 => i64::from(i16::MAX),
        Ty::I32 => i64::from(i32::MAX),
        _ => i64::MAX,
    }
}

/// `a` if dimension `i` lies before `dim`, else `b`.
fn before(builder: &mut Builder<'_, '_>, i: Val, dim: Val, a: Val, b: Val) -> Val {
    let is_before = builder.icmp(CmpOp::Lt, i, dim);
    pick_one(builder, is_before, a, b)
}

fn pick_one(builder: &mut Builder<'_, '_>, cond: Val, a: Val, b: Val) -> Val {
    match cond {
        Val::Imm(bits) => {
            if bits & 1 == 1 {
                a
            } else {
                b
            }
        }
        Val::Reg(_) => builder.select(Ty::I64, cond, a, b).into(),
    }
}

/// The value of a list at a position.
fn chosen(b: &mut Builder<'_, '_>, values: &[Val], at: Val) -> Val {
    let mut result = Val::i64(0);
    for (i, &v) in values.iter().enumerate() {
        let here = b.icmp(CmpOp::Eq, at, Val::i64(i as i64));
        result = pick_one(b, here, v, result);
    }
    result
}

fn accumulator<'p>(b: &mut Builder<'_, 'p>, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<Accumulator<'p>> {
    use Intrinsic as I;
    let array = arg(args, 0)?;
    let (dim_at, mask_at) = positions(id);
    let mut mask = mask_at.and_then(|i| arg(args, i));
    // SUM(array, mask): a logical in the place of DIM is the mask.
    if let Some(second) = dim_at.and_then(|i| arg(args, i))
        && matches!(second.ty, Type::Logical(_))
    {
        mask = Some(second);
    }
    let ty = match id {
        I::Count => Type::Integer(8),
        I::Any | I::All | I::Parity => Type::Logical(4),
        _ => e.ty.clone(),
    };
    let known = matches!(
        id,
        I::Sum
            | I::Product
            | I::Maxval
            | I::Minval
            | I::Any
            | I::All
            | I::Count
            | I::Iall
            | I::Iany
            | I::Iparity
            | I::Norm2
            | I::Parity
    );
    if !known || matches!(ty, Type::Character(_) | Type::Derived(_) | Type::Any) {
        return None;
    }
    let place =
        if matches!(id, I::Any | I::All | I::Parity) { Lvalue::Reg(b.mutable(Ty::Pred)) } else { b.variable_of(&ty) };
    let extreme = matches!(id, I::Maxval | I::Minval) && matches!(ty, Type::Real(_));
    let found = extreme.then(|| b.mutable(Ty::Pred));
    let extremes = (id == I::Norm2).then(|| (b.variable_of(&ty), b.variable_of(&ty)));
    Some(Accumulator { id, array, mask, ty, place, found, extremes })
}

fn reset<'p>(b: &mut Builder<'_, 'p>, acc: &mut Accumulator<'p>) {
    use Intrinsic as I;
    let ty = ir_ty(&acc.ty);
    let start = match acc.id {
        I::Product => b.one(&acc.ty),
        I::Iall => Value::Scalar(imm(ty, -1)),
        I::Maxval if ty.is_real() => Value::Scalar(real_imm(ty, f64::NEG_INFINITY)),
        I::Minval if ty.is_real() => Value::Scalar(real_imm(ty, f64::INFINITY)),
        I::Maxval => Value::Scalar(imm(ty, -greatest(ty) - 1)),
        I::Minval => Value::Scalar(imm(ty, greatest(ty))),
        I::All => return set_flag(b, acc.place, true),
        I::Any | I::Parity => return set_flag(b, acc.place, false),
        _ => b.zero(&acc.ty),
    };
    b.store_value(acc.place, &acc.ty, &start);
    if let Some((great, small)) = acc.extremes {
        b.store_value(great, &acc.ty, &start);
        b.store_value(small, &acc.ty, &start);
    }
    if let Some(found) = acc.found {
        b.set(found, Val::pred(false));
    }
}

fn set_flag(b: &mut Builder<'_, '_>, place: Lvalue, value: bool) {
    if let Lvalue::Reg(r) = place {
        b.set(r, Val::pred(value));
    }
}

/// The result of NORM2, of the sum of the squares in the common range and of the others.
fn norm<'p>(b: &mut Builder<'_, 'p>, acc: &Accumulator<'p>, sum: Val) -> Val {
    let ty = ir_ty(&acc.ty);
    let result = b.mutable(ty);
    let root: Val = b.un(UnOp::Sqrt, ty, sum).into();
    b.set(result, root);
    let Some((great, small)) = acc.extremes else { return Val::from(result) };
    let [_, _, shrink, grow] = scales(ty).map(|n| real_imm(ty, n));
    let part = |b: &mut Builder<'_, 'p>, place: Lvalue, then: &mut dyn FnMut(&mut Builder<'_, 'p>, Val) -> Val| {
        let own = b.load_value(place, &acc.ty);
        let own = b.as_scalar(&own, &acc.ty);
        let any: Val = b.cmp(CmpOp::Ne, ty, own, real_imm(ty, 0.0)).into();
        b.when(any, |b| {
            let norm = then(b, own);
            b.set(result, norm);
        });
    };
    part(b, small, &mut |b, own| {
        let own = b.un(UnOp::Sqrt, ty, own);
        let own = b.bin(BinOp::Div, ty, own, grow);
        let (less, more) = (b.bin(BinOp::Min, ty, own, root), b.bin(BinOp::Max, ty, own, root));
        let ratio = Value::Scalar(b.bin(BinOp::Div, ty, less, more).into());
        let one = b.one(&acc.ty);
        let square = b.multiply_add(&one, &ratio, &ratio, &acc.ty);
        let square = b.as_scalar(&square, &acc.ty);
        let factor = b.un(UnOp::Sqrt, ty, square);
        b.bin(BinOp::Mul, ty, more, factor).into()
    });
    part(b, great, &mut |b, own| {
        let other = Value::Scalar(b.bin(BinOp::Mul, ty, root, shrink).into());
        let all = b.multiply_add(&Value::Scalar(own), &other, &other, &acc.ty);
        let all = b.as_scalar(&all, &acc.ty);
        let scaled = b.un(UnOp::Sqrt, ty, all);
        b.bin(BinOp::Div, ty, scaled, shrink).into()
    });
    b.freeze(result.into())
}

/// The result, of type `to`.
fn total<'p>(b: &mut Builder<'_, 'p>, acc: &Accumulator<'p>, to: &Type) -> Option<Value> {
    use Intrinsic as I;
    let ty = ir_ty(&acc.ty);
    if let (I::Any | I::All | I::Parity, Lvalue::Reg(r)) = (acc.id, acc.place) {
        return Some(Value::Pred(b.freeze(r.into())));
    }
    let v = b.load_value(acc.place, &acc.ty);
    let v = b.freeze_value(v);
    Some(match (acc.id, acc.found) {
        (I::Count, _) => b.convert(&v, &acc.ty, to),
        (I::Norm2, _) => {
            let v = b.as_scalar(&v, &acc.ty);
            Value::Scalar(norm(b, acc, v))
        }
        (_, Some(found)) => {
            // Of no elements at all the result is the least (greatest) finite number.
            let is_half = matches!(&acc.array.kind, ExprKind::Convert(e) if matches!(e.ty, Type::Real(2)));
            let least = match ty {
                _ if is_half => 65504.0,
                Ty::F32 => f64::from(f32::MAX),
                _ => f64::MAX,
            };
            let least = if acc.id == I::Maxval { -least } else { least };
            let v = b.as_scalar(&v, &acc.ty);
            Value::Scalar(b.select(ty, found, v, real_imm(ty, least)).into())
        }
        _ => v,
    })
}
