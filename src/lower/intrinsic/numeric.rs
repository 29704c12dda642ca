//! Elemental numeric and mathematical functions.

use super::{Args, arg};
use crate::analysis::designators::is_class;
use crate::analysis::mathematics::library_function;
use crate::builder::Builder;
use crate::function::FunctionLowering;
use crate::types::{imm, ir_ty, real_imm};
use crate::value::Value;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use ir::{Ty, Val};
use sema::checked::{Expr, Intrinsic, Type};

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn numeric_function(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        use Intrinsic as I;
        let first = arg(args, 0)?;
        let ty = ir_ty(&e.ty);
        Some(match id {
            I::Abs => {
                let v = self.value(first);
                match v {
                    Value::Complex(re, im) => {
                        let parts = [(Value::Scalar(re), e.ty.clone()), (Value::Scalar(im), e.ty.clone())];
                        self.b.mathematics(library_function(e)?, &parts, &e.ty)
                    }
                    v => unary(&mut self.b, UnOp::Abs, &v, &e.ty),
                }
            }
            I::Aimag => {
                let v = self.value(first);
                Value::Scalar(self.b.as_complex(&v, &first.ty).1)
            }
            I::Conjg => {
                let v = self.value(first);
                let (re, im) = self.b.as_complex(&v, &first.ty);
                Value::Complex(re, self.b.un(UnOp::Neg, ty, im).into())
            }
            I::Cmplx => return Some(self.cmplx(first, arg(args, 1), &e.ty)),
            I::Dble | I::Real | I::Int | I::Logical => {
                let v = self.value(first);
                self.b.convert(&v, &first.ty, &e.ty)
            }
            I::Aint | I::Anint => {
                let v = self.value(first);
                let op = if id == I::Aint { UnOp::Trunc } else { UnOp::Round };
                let v = unary(&mut self.b, op, &v, &first.ty);
                self.b.convert(&v, &first.ty, &e.ty)
            }
            I::Ceiling => self.rounded(CvtOp::CeilI, first, ty),
            I::Floor => self.rounded(CvtOp::FloorI, first, ty),
            I::Nint => self.rounded(CvtOp::Nint, first, ty),
            I::Dprod => {
                let (a, b) = (self.scalar(first), self.scalar(arg(args, 1)?));
                let (a, b) = (self.b.cast(a, Ty::F32, Ty::F64), self.b.cast(b, Ty::F32, Ty::F64));
                Value::Scalar(self.b.bin(BinOp::Mul, Ty::F64, a, b).into())
            }
            I::Max | I::Min => return self.extreme(id, args, e),
            I::Merge => return self.merge(args, e),
            I::Dim | I::Mod | I::Modulo | I::Sign => {
                let (a, b) = (self.scalar(first), self.scalar(arg(args, 1)?));
                Value::Scalar(two_operands(&mut self.b, id, a, b, ty))
            }
            I::Sqrt if matches!(e.ty, Type::Real(_)) => {
                let v = self.value(first);
                unary(&mut self.b, UnOp::Sqrt, &v, &e.ty)
            }
            I::Fma => {
                let (a, b, c) = (self.scalar(first), self.scalar(arg(args, 1)?), self.scalar(arg(args, 2)?));
                Value::Scalar(self.b.tri(TriOp::Fma, ty, a, b, c).into())
            }
            I::Isnan => {
                let v = self.scalar(first);
                Value::Pred(self.b.cmp(CmpOp::Ne, ir_ty(&first.ty), v, v).into())
            }
            I::IsIostatEnd | I::IsIostatEor => {
                let v = self.scalar(first);
                let from = ir_ty(&first.ty);
                let code = if id == I::IsIostatEnd { -1 } else { -2 };
                Value::Pred(self.b.cmp(CmpOp::Eq, from, v, imm(from, code)).into())
            }
            _ if let Some(fast) = self.b.fast_instead_of(id, &e.ty) => {
                let a = self.scalar(first);
                Value::Scalar(self.b.fast(fast, a, a))
            }
            _ => {
                let values = self.argument_values(args);
                self.b.mathematics(library_function(e)?, &values, &e.ty)
            }
        })
    }

    /// A real rounded to an integer.
    fn rounded(&mut self, op: CvtOp, e: &'p Expr, ty: Ty) -> Value {
        let v = self.scalar(e);
        let from = ir_ty(&e.ty);
        if !from.is_real() {
            return Value::Scalar(self.b.cast(v, from, ty));
        }
        Value::Scalar(self.b.cvt(op, from, ty, v).into())
    }

    fn cmplx(&mut self, x: &'p Expr, y: Option<&'p Expr>, ty: &Type) -> Value {
        let part = ir_ty(ty);
        let v = self.value(x);
        if matches!(x.ty, Type::Complex(_)) {
            return self.b.convert(&v, &x.ty, ty);
        }
        let re = self.b.as_scalar(&v, &x.ty);
        let re = self.b.cast(re, ir_ty(&x.ty), part);
        let im = match y {
            Some(y) => {
                let im = self.scalar(y);
                self.b.cast(im, ir_ty(&y.ty), part)
            }
            None => Val::Imm(0),
        };
        Value::Complex(re, im)
    }

    fn extreme(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        let op = if id == Intrinsic::Max { BinOp::Max } else { BinOp::Min };
        let mut best: Option<Value> = None;
        let mut longest = Val::i64(0);
        for (at, a) in args.written.iter().enumerate().filter_map(|(at, _)| Some((at, arg(args, at)?))) {
            let v = self.value(a);
            if let Value::Char(_, len) = v {
                longest = self.b.bin(BinOp::Max, ir::Ty::I64, longest, len).into();
            }
            let v = if matches!(a.ty, Type::Character(_)) { v } else { self.b.convert(&v, &a.ty, &e.ty) };
            best = Some(match best {
                None => v,
                Some(old) if matches!(a.ty, Type::Character(_)) => {
                    let relation = if op == BinOp::Max { sema::checked::CmpOp::Ge } else { sema::checked::CmpOp::Le };
                    let mut keeps = self.b.compare_characters(relation, &old, &v);
                    if let Some(absent) = self.is_absent(id, at, a) {
                        keeps = self.b.combine(BinOp::Or, keeps, absent);
                    }
                    choose(&mut self.b, keeps, &old, &v, &a.ty)
                }
                Some(old) => {
                    let (x, y) = (self.b.as_scalar(&old, &e.ty), self.b.as_scalar(&v, &e.ty));
                    Value::Scalar(self.b.bin(op, ir_ty(&e.ty), x, y).into())
                }
            });
        }
        best.map(|v| if matches!(v, Value::Char(..)) { self.b.character_copy(&v, longest) } else { v })
    }

    fn merge(&mut self, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        let mut source = |e: &'p Expr| {
            if self.b.is_host() && is_class(self.b.program(), e) {
                return Value::Object(self.view_of_declared_type(Intrinsic::Merge, e).mem);
            }
            self.value(e)
        };
        let (yes, no) = (source(arg(args, 0)?), source(arg(args, 1)?));
        let mask = self.pred(arg(args, 2)?);
        Some(choose(&mut self.b, mask, &yes, &no, &e.ty))
    }
}

fn unary(b: &mut Builder<'_, '_>, op: UnOp, v: &Value, ty: &Type) -> Value {
    let v = b.as_scalar(v, ty);
    Value::Scalar(b.un(op, ir_ty(ty), v).into())
}

/// One of two values of a type.
fn choose(builder: &mut Builder<'_, '_>, cond: Val, yes: &Value, no: &Value, ty: &Type) -> Value {
    let part = ir_ty(ty);
    match (yes, no) {
        (Value::Complex(a, b), Value::Complex(c, d)) => {
            let re = builder.select(part, cond, *a, *c);
            Value::Complex(re.into(), builder.select(part, cond, *b, *d).into())
        }
        (Value::Char(a, m), Value::Char(b, n)) => {
            let space = if a.space == b.space { a.space } else { ir::Space::Generic };
            let (a, b) = (builder.address(*a), builder.address(*b));
            let addr = builder.select(Ty::I64, cond, a, b);
            let len = if m == n { *m } else { builder.select(Ty::I64, cond, *m, *n).into() };
            Value::Char(crate::value::lvalue::MemRef::at(addr.into(), space), len)
        }
        (Value::Object(a), Value::Object(b)) => {
            let space = if a.space == b.space { a.space } else { ir::Space::Generic };
            let (a, b) = (builder.address(*a), builder.address(*b));
            let addr = builder.select(Ty::I64, cond, a, b);
            Value::Object(crate::value::lvalue::MemRef::at(addr.into(), space))
        }
        (Value::Pred(a), Value::Pred(b)) => Value::Pred(builder.select(Ty::Pred, cond, *a, *b).into()),
        _ => {
            let (a, b) = (builder.as_scalar(yes, ty), builder.as_scalar(no, ty));
            Value::Scalar(builder.select(part, cond, a, b).into())
        }
    }
}

fn two_operands(builder: &mut Builder<'_, '_>, id: Intrinsic, a: Val, b: Val, ty: Ty) -> Val {
    use Intrinsic as I;
    let zero = Val::Imm(0);
    if matches!(id, I::Mod | I::Modulo) {
        builder.check_divisor(b, ty);
    }
    match (id, ty.is_real()) {
        (I::Dim, true) => {
            let low = builder.cmp(CmpOp::Le, ty, a, b);
            let d = builder.bin(BinOp::Sub, ty, a, b);
            builder.select(ty, low, real_imm(ty, 0.0), d).into()
        }
        (I::Dim, false) => {
            let high = builder.cmp(CmpOp::Gt, ty, a, b);
            let d = builder.bin(BinOp::Sub, ty, a, b);
            builder.select(ty, high, d, zero).into()
        }
        (I::Mod, real) => builder.bin(if real { BinOp::Fmod } else { BinOp::Rem }, ty, a, b).into(),
        (I::Modulo, true) => {
            let r = builder.bin(BinOp::Fmod, ty, a, b);
            let signed = builder.bin(BinOp::Copysign, ty, r, b);
            let sum = builder.bin(BinOp::Add, ty, r, b);
            let is_zero = builder.cmp(CmpOp::Eq, ty, r, zero);
            let (below, p_below) = (builder.cmp(CmpOp::Lt, ty, r, zero), builder.cmp(CmpOp::Lt, ty, b, zero));
            let wrong = builder.bin(BinOp::Xor, Ty::Pred, below, p_below);
            let v = builder.select(ty, wrong, sum, r);
            builder.select(ty, is_zero, signed, v).into()
        }
        (I::Modulo, false) => {
            let r = builder.bin(BinOp::Rem, ty, a, b);
            let sum = builder.bin(BinOp::Add, ty, r, b);
            let differ = builder.bin(BinOp::Xor, ty, r, b);
            let wrong = builder.cmp(CmpOp::Lt, ty, differ, zero);
            let some = builder.cmp(CmpOp::Ne, ty, r, zero);
            let wrong = builder.bin(BinOp::And, Ty::Pred, wrong, some);
            // By zero the remainder is the dividend, and stays so.
            let divides = builder.cmp(CmpOp::Ne, ty, b, zero);
            let wrong = builder.bin(BinOp::And, Ty::Pred, wrong, divides);
            builder.select(ty, wrong, sum, r).into()
        }
        (_, true) => builder.bin(BinOp::Copysign, ty, a, b).into(),
        (_, false) => {
            let magnitude = builder.un(UnOp::Abs, ty, a);
            let negative = builder.un(UnOp::Neg, ty, magnitude);
            let below = builder.cmp(CmpOp::Lt, ty, b, imm(ty, 0));
            builder.select(ty, below, negative, magnitude).into()
        }
    }
}
