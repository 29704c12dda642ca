//! Scalar expressions.
//!
//! [`FunctionLowering::value`] evaluates an expression. In an element-wise evaluation it first looks for a prepared operand.
//!
//! Contraction: in device code, if the options allow it, `a*b + c`, `c + a*b`, `a*b - c` and `c - a*b` of one real
//! expression become one fused operation (`fma(a, b, c)`, `fma(a, b, -c)`, `fma(-a, b, c)`). The product must be the operand
//! itself, not in parentheses, negated or converted. If both operands are products the left one is fused. No later stage
//! fuses, so all back ends round alike.
//!
//! Not here: array expressions (`array`), arithmetic (`builder::arithmetic`).

pub(crate) mod allocated;
pub(crate) mod char_length;
pub(crate) mod condition;
pub(crate) mod designator;
pub(crate) mod dynamic_type;
pub(crate) mod flat_part;
pub(crate) mod scattered;
pub(crate) mod structure;
pub(crate) mod subscript;
pub(crate) mod twin;

use crate::builder::Builder;
use crate::builder::fast::Fast;
use crate::builder::flow::Flow;
use crate::elements::Operand;
use crate::function::FunctionLowering;
use crate::storage::VarStorage;
use crate::types::ir_ty;
use crate::value::Value;
use ir::op::{BinOp, TriOp, UnOp};
use ir::{Ty, Val};
use sema::checked::{BinaryOp, Const, Expr, ExprKind, Type, UnaryOp};

impl<'p> FunctionLowering<'_, 'p> {
    /// The value of a scalar expression, or of the current element of an array expression.
    pub(crate) fn value(&mut self, e: &'p Expr) -> Value {
        if let Some((operand, index, linear)) = self.lookup(e) {
            return match operand {
                Operand::View(view) => {
                    let mem = self.at(e.span, |this| this.b.element_pos(&view, &index, linear));
                    let place = crate::value::lvalue::element_lvalue(mem, view.len);
                    self.at(e.span, |this| this.b.load_value(place, &e.ty))
                }
                Operand::Value(v) => v,
            };
        }
        self.at(e.span, |this| this.value_inner(e))
    }

    fn value_inner(&mut self, e: &'p Expr) -> Value {
        match &e.kind {
            ExprKind::Const(c) => self.b.constant_value(c, &e.ty),
            ExprKind::Var(_)
            | ExprKind::Field { .. }
            | ExprKind::Element { .. }
            | ExprKind::Substring { .. }
            | ExprKind::Seen { .. }
            | ExprKind::ComplexPart { .. } => {
                if e.rank > 0 && !self.is_current(e) {
                    return self.b.refused(&e.ty, "an array where a scalar is needed");
                }
                if let ExprKind::Var(v) = e.kind
                    && let Some(VarStorage::Value(constant @ Value::Scalar(Val::Imm(_)))) = self.storage_of(v)
                {
                    return constant;
                }
                if matches!(e.ty, Type::Character(_)) {
                    self.check_whole(e);
                }
                let place = self.lvalue(e);
                let place = self.sized_place(place, e);
                self.b.load_value(place, &e.ty)
            }
            ExprKind::Unary { op: UnaryOp::Neg, operand } => {
                let v = self.value(operand);
                negative(&mut self.b, &v, &e.ty)
            }
            ExprKind::Unary { op: UnaryOp::Not, .. } | ExprKind::Compare { .. } | ExprKind::Logic { .. } => {
                Value::Pred(self.pred(e))
            }
            ExprKind::IsType { object, ty, exact } => Value::Pred(self.is_type(object, ty, *exact)),
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right, &e.ty),
            ExprKind::Concat(left, right) => self.concat(left, right),
            ExprKind::Convert(inner) if matches!(e.ty, Type::Derived(_)) => self.converted_object(inner, &e.ty),
            ExprKind::Convert(inner) => {
                let v = self.value(inner);
                self.b.convert(&v, &inner.ty, &e.ty)
            }
            ExprKind::Paren(inner) => self.value(inner),
            ExprKind::Let { vars, value } => {
                for (v, own) in vars {
                    let own_value = self.value(own);
                    if let Some(place) = self.variable_lvalue(*v) {
                        self.b.store_value(place, &own.ty, &own_value);
                    }
                }
                self.value(value)
            }
            ExprKind::Intrinsic { id, args } => self.intrinsic(*id, args.into(), e),
            ExprKind::Call { proc, args } => self.call_function(*proc, args, e),
            ExprKind::Construct { ty, parents, fields } => {
                self.parents_of_constructor(parents);
                self.construct(*ty, fields, e)
            }
            ExprKind::Special { index, add } => {
                let v = self.b.thread_register(*index);
                if *add == 0 {
                    return Value::Scalar(v);
                }
                Value::Scalar(self.b.bin(BinOp::Add, Ty::I32, v, Val::i32(*add)).into())
            }
            ExprKind::Procedure(id) => Value::Scalar(self.procedure_word(*id)),
            ExprKind::Unsupported(what) => self.b.refused(&e.ty, what),
            ExprKind::Array(_) | ExprKind::Section { .. } | ExprKind::Null => {
                self.b.refused(&e.ty, "an array where a scalar is needed")
            }
        }
    }

    /// The operand of an integer, real or logical expression.
    pub(crate) fn scalar(&mut self, e: &'p Expr) -> Val {
        let v = self.value(e);
        self.b.as_scalar(&v, &e.ty)
    }

    /// An integer expression as an `i64`.
    pub(crate) fn int64(&mut self, e: &'p Expr) -> Val {
        let v = self.scalar(e);
        self.b.widen(v, ir_ty(&e.ty))
    }

    /// An integer expression as an `i32`.
    pub(crate) fn int32(&mut self, e: &'p Expr) -> Val {
        let v = self.scalar(e);
        let wide = self.b.widen(v, ir_ty(&e.ty));
        if ir_ty(&e.ty) == Ty::I32 { v } else { self.b.narrow(wide, Ty::I32) }
    }

    /// The factors of a product that may be fused.
    fn product_of(&self, e: &'p Expr) -> Option<(&'p Expr, &'p Expr)> {
        match &e.kind {
            ExprKind::Binary { op: BinaryOp::Mul, left, right }
                if matches!(e.ty, Type::Real(_)) && self.lookup(e).is_none() =>
            {
                Some((left, right))
            }
            _ => None,
        }
    }

    fn contracted(&mut self, op: BinaryOp, left: &'p Expr, right: &'p Expr, ty: Ty) -> Option<Val> {
        if !self.b.contracts() {
            return None;
        }
        if let Some((a, b)) = self.product_of(left) {
            let (a, b, mut c) = (self.scalar(a), self.scalar(b), self.scalar(right));
            if op == BinaryOp::Sub {
                c = self.b.un(UnOp::Neg, ty, c).into();
            }
            return Some(self.b.tri(TriOp::Fma, ty, a, b, c).into());
        }
        let (a, b) = self.product_of(right)?;
        let (c, mut a, b) = (self.scalar(left), self.scalar(a), self.scalar(b));
        if op == BinaryOp::Sub {
            a = self.b.un(UnOp::Neg, ty, a).into();
        }
        Some(self.b.tri(TriOp::Fma, ty, a, b, c).into())
    }

    fn binary(&mut self, op: BinaryOp, left: &'p Expr, right: &'p Expr, ty: &Type) -> Value {
        let part = ir_ty(ty);
        if op == BinaryOp::Pow {
            return self.power(left, right, ty);
        }
        if matches!(ty, Type::Complex(_)) {
            let (a, b) = (self.value(left), self.value(right));
            let (a, b) = (self.b.as_complex(&a, &left.ty), self.b.as_complex(&b, &right.ty));
            let (re, im) = self.b.complex_binary(op, a, b, part);
            return Value::Complex(re, im);
        }
        if matches!(ty, Type::Real(_))
            && matches!(op, BinaryOp::Add | BinaryOp::Sub)
            && let Some(v) = self.contracted(op, left, right, part)
        {
            return Value::Scalar(v);
        }
        let (a, b) = (self.scalar(left), self.scalar(right));
        if op == BinaryOp::Div {
            self.b.check_divisor(b, part);
        }
        let op = match op {
            BinaryOp::Add => BinOp::Add,
            BinaryOp::Sub => BinOp::Sub,
            BinaryOp::Mul => BinOp::Mul,
            BinaryOp::Div | BinaryOp::Pow => BinOp::Div,
        };
        Value::Scalar(self.b.bin(op, part, a, b).into())
    }

    /// `left ** right`
    fn power(&mut self, left: &'p Expr, right: &'p Expr, ty: &Type) -> Value {
        let base = self.value(left);
        if matches!(right.ty, Type::Integer(_)) {
            if let ExprKind::Const(Const::Int(n)) = &right.kind {
                return self.b.constant_power(&base, *n, ty);
            }
            let n = self.int64(right);
            return self.b.integer_power(&base, n, ty);
        }
        // A whole power is a product, which a negative base has too.
        if let ExprKind::Const(Const::Real4(n)) = &right.kind
            && n.fract() == 0.0
            && n.abs() <= 64.0
            && self.b.is_fast()
            && matches!(left.ty, Type::Real(4))
        {
            return self.b.constant_power(&base, *n as i64, ty);
        }
        let exponent = self.value(right);
        if self.b.is_fast() && [&left.ty, &right.ty].iter().all(|ty| matches!(ty, Type::Real(4))) {
            let (a, b) = (self.b.as_scalar(&base, &left.ty), self.b.as_scalar(&exponent, &right.ty));
            return Value::Scalar(self.b.fast(Fast::Pow, a, b));
        }
        self.b.mathematics("pow", &[(base, left.ty.clone()), (exponent, right.ty.clone())], ty)
    }
}

fn negative(b: &mut Builder<'_, '_>, v: &Value, ty: &Type) -> Value {
    let part = ir_ty(ty);
    match v {
        Value::Complex(re, im) => {
            let re = b.un(UnOp::Neg, part, *re);
            let im = b.un(UnOp::Neg, part, *im);
            Value::Complex(re.into(), im.into())
        }
        _ => {
            let v = b.as_scalar(v, ty);
            Value::Scalar(b.un(UnOp::Neg, part, v).into())
        }
    }
}
