//! Bit functions (Fortran 2018, 16.3).
//!
//! Shift counts that the standard does not define act as in `scalar::int`.

use super::{Args, arg};
use crate::builder::Builder;
use crate::function::FunctionLowering;
use crate::types::{imm, ir_ty};
use crate::value::Value;
use ir::op::{BinOp, CmpOp, UnOp};
use ir::{Ty, Val};
use sema::checked::{Expr, Intrinsic};

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn bit_function(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        use Intrinsic as I;
        let first = arg(args, 0)?;
        let ty = if matches!(id, I::Maskl | I::Maskr) { ir_ty(&e.ty) } else { ir_ty(&first.ty) };
        let a = self.count_of(first, ty);
        let bin = |this: &mut Self, op: BinOp, x: Val, y: Val| -> Val { this.b.bin(op, ty, x, y).into() };
        let second = match arg(args, 1) {
            Some(b) => self.count_of(b, ty),
            None => Val::Imm(0),
        };
        let one = imm(ty, 1);
        let v = match id {
            I::Btest => {
                let shifted = bin(self, BinOp::ShrU, a, second);
                let bit = bin(self, BinOp::And, shifted, one);
                return Some(Value::Pred(self.b.cmp(CmpOp::Ne, ty, bit, Val::Imm(0)).into()));
            }
            I::Iand => bin(self, BinOp::And, a, second),
            I::Ior => bin(self, BinOp::Or, a, second),
            I::Ieor => bin(self, BinOp::Xor, a, second),
            I::Ibset => {
                let bit = bin(self, BinOp::Shl, one, second);
                bin(self, BinOp::Or, a, bit)
            }
            I::Ibclr => {
                let bit = bin(self, BinOp::Shl, one, second);
                let others = self.b.un(UnOp::Not, ty, bit);
                bin(self, BinOp::And, a, others.into())
            }
            I::Ibits => {
                let len = self.count_of(arg(args, 2)?, ty);
                let shifted = bin(self, BinOp::ShrU, a, second);
                let mask = low_mask(&mut self.b, ty, len);
                bin(self, BinOp::And, shifted, mask)
            }
            I::Ishft => shift_either_way(&mut self.b, ty, a, second),
            I::Ishftc => {
                let width = match arg(args, 2) {
                    Some(size) => self.count_of(size, ty),
                    None => imm(ty, i64::from(ty.bytes()) * 8),
                };
                rotate(&mut self.b, ty, a, second, width)
            }
            I::Dshiftl | I::Dshiftr => {
                let n = self.count_of(arg(args, 2)?, ty);
                let rest = bin(self, BinOp::Sub, imm(ty, i64::from(ty.bytes()) * 8), n);
                let (left, right) = if id == I::Dshiftl { (n, rest) } else { (rest, n) };
                let high = bin(self, BinOp::Shl, a, left);
                let low = bin(self, BinOp::ShrU, second, right);
                bin(self, BinOp::Or, high, low)
            }
            I::MergeBits => {
                let mask = self.count_of(arg(args, 2)?, ty);
                let others = self.b.un(UnOp::Not, ty, mask);
                let yes = bin(self, BinOp::And, a, mask);
                let no = bin(self, BinOp::And, second, others.into());
                bin(self, BinOp::Or, yes, no)
            }
            I::Bge | I::Bgt | I::Ble | I::Blt => {
                let (x, y) = if matches!(id, I::Bge | I::Blt) { (a, second) } else { (second, a) };
                let op = if matches!(id, I::Bge | I::Ble) { CmpOp::GeU } else { CmpOp::LtU };
                return Some(Value::Pred(self.b.cmp(op, ty, x, y).into()));
            }
            I::Not => self.b.un(UnOp::Not, ty, a).into(),
            I::Leadz | I::Popcnt | I::Trailz | I::Poppar => {
                let op = match id {
                    I::Leadz => UnOp::Clz,
                    I::Trailz => UnOp::Ctz,
                    _ => UnOp::Popc,
                };
                let mut n: Val = self.b.un(op, ty, a).into();
                if id == I::Poppar {
                    n = bin(self, BinOp::And, n, one);
                }
                self.b.cast(n, ty, ir_ty(&e.ty))
            }
            I::Maskr => low_mask(&mut self.b, ty, a),
            I::Maskl => {
                let rest = bin(self, BinOp::Sub, imm(ty, i64::from(ty.bytes()) * 8), a);
                bin(self, BinOp::Shl, imm(ty, -1), rest)
            }
            I::Shiftl | I::Lshift => bin(self, BinOp::Shl, a, second),
            I::Shiftr | I::Rshift => bin(self, BinOp::ShrU, a, second),
            I::Shifta => bin(self, BinOp::ShrS, a, second),
            _ => return None,
        };
        Some(Value::Scalar(v))
    }

    /// An integer argument as the type that the operation has.
    fn count_of(&mut self, e: &'p Expr, ty: Ty) -> Val {
        let v = self.scalar(e);
        self.b.cast(v, ir_ty(&e.ty), ty)
    }
}

/// The lowest `n` bits.
fn low_mask(b: &mut Builder<'_, '_>, ty: Ty, n: Val) -> Val {
    let high = b.bin(BinOp::Shl, ty, imm(ty, -1), n);
    b.un(UnOp::Not, ty, high).into()
}

fn shift_either_way(b: &mut Builder<'_, '_>, ty: Ty, a: Val, n: Val) -> Val {
    if let Val::Imm(bits) = n {
        let n = scalar::bits::signed(ty, bits);
        let op = if n < 0 { BinOp::ShrU } else { BinOp::Shl };
        return b.bin(op, ty, a, imm(ty, n.wrapping_abs())).into();
    }
    let left = b.bin(BinOp::Shl, ty, a, n);
    let back = b.un(UnOp::Neg, ty, n);
    let right = b.bin(BinOp::ShrU, ty, a, back);
    let is_left = b.cmp(CmpOp::Ge, ty, n, Val::Imm(0));
    b.select(ty, is_left, left, right).into()
}

/// The lowest `width` bits rotated left by `n`, which may be negative.
fn rotate(b: &mut Builder<'_, '_>, ty: Ty, a: Val, n: Val, width: Val) -> Val {
    let mask = low_mask(b, ty, width);
    let below = b.cmp(CmpOp::Lt, ty, n, Val::Imm(0));
    let wrapped = b.bin(BinOp::Add, ty, n, width);
    let n = b.select(ty, below, wrapped, n);
    let rest = b.bin(BinOp::Sub, ty, width, n);
    let low = b.bin(BinOp::And, ty, a, mask);
    let (up, down) = (b.bin(BinOp::Shl, ty, low, n), b.bin(BinOp::ShrU, ty, low, rest));
    let both = b.bin(BinOp::Or, ty, up, down);
    let turned = b.bin(BinOp::And, ty, both, mask);
    let others = b.un(UnOp::Not, ty, mask);
    let kept = b.bin(BinOp::And, ty, a, others);
    b.bin(BinOp::Or, ty, turned, kept).into()
}
