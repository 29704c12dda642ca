//! Arithmetic, comparison and selection (PTX ISA 9.7.1 to 9.7.8).
//!
//! Results are exact on every GPU, not only where the hardware happens to agree:
//! - integer division by zero is selected, because PTX leaves its result open;
//! - sign operations on real(4) work on the bits and then make a NaN canonical, because ptxas may fold a `neg` into an
//!   instruction that would not, unless nobody can see which NaN it is ([`super::sign`]); on real(8) they change the sign bit
//!   alone;
//! - halves away from zero come from truncation and an exact remainder; `cvt.rni` would round them to even.

use super::EmitError;
use super::body::{Body, Width, arithmetic, ins, unsigned};
use super::library::Helper;
use ir::op::{BinOp, CmpOp, TriOp, UnOp};
use ir::{Reg, Ty, Val};
use scalar::bits;

/// The NaN that real(4) operations give.
const NAN32: &str = "0x7fffffff";

/// The sign bit of a real type, and the bits of one.
fn real_bits(ty: Ty) -> (&'static str, &'static str, &'static str) {
    if ty == Ty::F64 {
        ("0x8000000000000000", "0x7fffffffffffffff", "0x3ff0000000000000")
    } else {
        ("0x80000000", "0x7fffffff", "0x3f800000")
    }
}

/// The constant one half as an operand.
fn half(ty: Ty) -> &'static str {
    if ty == Ty::F64 { "0d3FE0000000000000" } else { "0f3F000000" }
}

/// The constant zero as an operand.
pub(super) fn zero(ty: Ty) -> &'static str {
    match ty {
        Ty::F32 => "0f00000000",
        Ty::F64 => "0d0000000000000000",
        Ty::Pred | Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 => "0",
    }
}

impl Body<'_, '_> {
    /// `dst = op a`
    pub(super) fn un(&mut self, op: UnOp, ty: Ty, dst: Reg, a: Val) -> Result<(), EmitError> {
        if !op.class().has(ty) {
            return self.refuse(format!("`{op}` of type `{ty}`"));
        }
        let (d, t, w) = (self.reg(dst), arithmetic(ty), Width::of(ty).bits());
        match op {
            UnOp::Mov => self.mov(ty, dst, a),
            UnOp::Neg | UnOp::Abs if ty.is_real() && !self.hidden_nans.contains(dst.index()) => {
                let a = self.in_register(ty, a);
                let flipped = self.temp(Width::of(ty));
                let (sign, magnitude, _) = real_bits(ty);
                if op == UnOp::Neg {
                    ins!(self, "xor.{w} {flipped}, {a}, {sign}");
                } else {
                    ins!(self, "and.{w} {flipped}, {a}, {magnitude}");
                }
                self.canonical(ty, &d, &flipped, &a);
            }
            UnOp::Neg | UnOp::Abs => {
                let a = self.value(ty, a);
                let wide = self.wide(ty, dst);
                ins!(self, "{}.{t} {wide}, {a}", op.ptx());
                self.settle(ty, dst, &wide);
            }
            UnOp::Not => {
                let a = self.raw(ty, a);
                ins!(self, "not.{w} {d}, {a}");
            }
            UnOp::Sqrt => {
                let a = self.value(ty, a);
                ins!(self, "sqrt.rn.{t} {d}, {a}");
            }
            UnOp::SinApprox
            | UnOp::CosApprox
            | UnOp::Ex2Approx
            | UnOp::Lg2Approx
            | UnOp::SqrtApprox
            | UnOp::RsqrtApprox => {
                let a = self.value(ty, a);
                ins!(self, "{}{}.{t} {d}, {a}", op.ptx(), self.flush());
            }
            UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::RoundEven => {
                let a = self.value(ty, a);
                ins!(self, "{}.{t}.{t} {d}, {a}", op.ptx());
            }
            UnOp::Round => {
                let rounded = self.rounded_away(ty, a);
                ins!(self, "mov.{w} {d}, {rounded}");
            }
            UnOp::Popc | UnOp::Clz | UnOp::Ctz => self.count(op, ty, dst, a),
            UnOp::Brev => {
                let a = self.value(ty, a);
                match ty {
                    Ty::I8 | Ty::I16 => {
                        // The narrow value arrives in the highest bits; an arithmetic shift brings it down with its sign.
                        let wide = self.temp(Width::W32);
                        ins!(self, "brev.b32 {wide}, {a}");
                        ins!(self, "shr.s32 {d}, {wide}, {}", 32 - ty.bytes() * 8);
                    }
                    _ => ins!(self, "brev.{w} {d}, {a}"),
                }
            }
            UnOp::Canon => {
                let a = self.in_register(ty, a);
                self.canonical(ty, &d, &a, &a);
            }
        }
        Ok(())
    }

    /// The suffix of an approximate operation.
    fn flush(&self) -> &'static str {
        if self.unit.options.flushes { ".ftz" } else { "" }
    }

    /// `dst = value`, or for a real(4) the canonical NaN where `test` is a NaN.
    fn canonical(&mut self, ty: Ty, dst: &str, value: &str, test: &str) {
        if ty == Ty::F32 {
            let nan = self.temp(Width::Pred);
            ins!(self, "setp.nan.f32 {nan}, {test}, {test}");
            ins!(self, "selp.b32 {dst}, {NAN32}, {value}, {nan}");
        } else {
            ins!(self, "mov.{} {dst}, {value}", Width::of(ty).bits());
        }
    }

    /// A temporary with the nearest integral value of a real, halves away from zero.
    pub(super) fn rounded_away(&mut self, ty: Ty, a: Val) -> String {
        let (t, width) = (arithmetic(ty), Width::of(ty));
        let w = width.bits();
        let (sign, _, one) = real_bits(ty);
        let a = self.in_register(ty, a);
        let whole = self.temp(width);
        let rest = self.temp(width);
        let unit = self.temp(width);
        let up = self.temp(Width::Pred);
        ins!(self, "cvt.rzi.{t}.{t} {whole}, {a}");
        ins!(self, "sub.rn.{t} {rest}, {a}, {whole}");
        ins!(self, "abs.{t} {rest}, {rest}");
        ins!(self, "setp.ge.{t} {up}, {rest}, {}", half(ty));
        ins!(self, "and.{w} {unit}, {a}, {sign}");
        ins!(self, "or.{w} {unit}, {unit}, {one}");
        ins!(self, "add.rn.{t} {unit}, {whole}, {unit}");
        ins!(self, "selp.{w} {whole}, {unit}, {whole}, {up}");
        whole
    }

    /// Numbers of bits. `popc` and `clz` give 32 bits whatever they count in.
    fn count(&mut self, op: UnOp, ty: Ty, dst: Reg, a: Val) {
        let (d, width) = (self.reg(dst), Width::of(ty));
        let w = width.bits();
        let narrow = 32 - (ty.bytes() * 8).min(32);
        let mut a = self.value(ty, a);
        if op == UnOp::Ctz {
            if narrow > 0 {
                // A bit just above the value stops the count.
                let stopped = self.temp(Width::W32);
                ins!(self, "or.b32 {stopped}, {a}, {}", 1 << (32 - narrow));
                a = stopped;
            }
            let reversed = self.temp(width);
            ins!(self, "brev.{w} {reversed}, {a}");
            a = reversed;
        } else if narrow > 0 {
            a = self.zero_extended(ty, &a);
        }
        let stem = if op == UnOp::Popc { "popc" } else { "clz" };
        let number = if width == Width::W64 { self.temp(Width::W32) } else { d.clone() };
        ins!(self, "{stem}.{w} {number}, {a}");
        if op == UnOp::Clz && narrow > 0 {
            ins!(self, "sub.s32 {d}, {d}, {narrow}");
        }
        if width == Width::W64 {
            ins!(self, "cvt.u64.u32 {d}, {number}");
        }
    }

    /// A temporary with a narrow integer zero-extended to 32 bits.
    pub(super) fn zero_extended(&mut self, ty: Ty, a: &str) -> String {
        let temp = self.temp(Width::W32);
        let mask = if ty == Ty::I8 { 0xff } else { 0xffff };
        ins!(self, "and.b32 {temp}, {a}, {mask}");
        temp
    }

    /// `dst = op a, b`
    pub(super) fn bin(&mut self, op: BinOp, ty: Ty, dst: Reg, a: Val, b: Val) -> Result<(), EmitError> {
        if !op.class().has(ty) {
            return self.refuse(format!("`{op}` of type `{ty}`"));
        }
        let (d, t, w) = (self.reg(dst), arithmetic(ty), Width::of(ty).bits());
        match op {
            // `rcp.rn` gives the same number as a quotient of one, but tests its operand before it begins, and takes longer.
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div if ty.is_real() => {
                let (a, b) = (self.value(ty, a), self.value(ty, b));
                ins!(self, "{}.rn.{t} {d}, {a}, {b}", op.ptx());
            }
            // MUFU.RCP alone; a quotient of one has an addition behind it.
            BinOp::DivApprox if a == Val::Imm(u64::from(1.0f32.to_bits())) => {
                let b = self.value(ty, b);
                ins!(self, "rcp.approx{}.{t} {d}, {b}", self.flush());
            }
            BinOp::DivApprox => {
                let (a, b) = (self.value(ty, a), self.value(ty, b));
                ins!(self, "{}{}.{t} {d}, {a}, {b}", op.ptx(), self.flush());
            }
            BinOp::Mul
                if ty == Ty::I64
                    && let Some((a, b)) = self.wide_factors(a, b) =>
            {
                ins!(self, "mul.wide.s32 {d}, {a}, {b}");
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul => {
                let (a, b) = (self.value(ty, a), self.value(ty, b));
                let wide = self.wide(ty, dst);
                let low = if op == BinOp::Mul { ".lo" } else { "" };
                ins!(self, "{}{low}.{t} {wide}, {a}, {b}", op.ptx());
                self.settle(ty, dst, &wide);
            }
            BinOp::MulHi => {
                let (a, b) = (self.value(ty, a), self.value(ty, b));
                if matches!(ty, Ty::I8 | Ty::I16) {
                    let product = self.temp(Width::W32);
                    ins!(self, "mul.lo.s32 {product}, {a}, {b}");
                    ins!(self, "shr.s32 {d}, {product}, {}", ty.bytes() * 8);
                } else {
                    ins!(self, "mul.hi.{t} {d}, {a}, {b}");
                }
            }
            BinOp::Div | BinOp::Rem => self.divide(op, ty, dst, a, b),
            BinOp::Min | BinOp::Max => {
                let (a, b) = (self.value(ty, a), self.value(ty, b));
                ins!(self, "{}.{t} {d}, {a}, {b}", op.ptx());
            }
            BinOp::And | BinOp::Or | BinOp::Xor => {
                let (a, b) = (self.raw(ty, a), self.raw(ty, b));
                ins!(self, "{}.{w} {d}, {a}, {b}", op.ptx());
            }
            BinOp::Shl
                if ty == Ty::I64
                    && let Some((a, factor)) = self.wide_power(a, b) =>
            {
                ins!(self, "mul.wide.s32 {d}, {a}, {factor}");
            }
            BinOp::Shl => {
                let (a, count) = (self.value(ty, a), self.shift_count(ty, b));
                let wide = self.wide(ty, dst);
                ins!(self, "shl.{w} {wide}, {a}, {count}");
                self.settle(ty, dst, &wide);
            }
            BinOp::ShrU => {
                let (mut a, count) = (self.value(ty, a), self.shift_count(ty, b));
                if matches!(ty, Ty::I8 | Ty::I16) {
                    a = self.zero_extended(ty, &a);
                }
                let wide = self.wide(ty, dst);
                ins!(self, "shr.{} {wide}, {a}, {count}", unsigned(ty));
                self.settle(ty, dst, &wide);
            }
            BinOp::ShrS => {
                let (a, count) = (self.value(ty, a), self.shift_count(ty, b));
                ins!(self, "shr.{t} {d}, {a}, {count}");
            }
            BinOp::Copysign => self.copysign(ty, &d, a, b),
            BinOp::Fmod => {
                let helper = if ty == Ty::F64 { Helper::Fmod64 } else { Helper::Fmod32 };
                let args = [self.raw(ty, a), self.raw(ty, b)];
                self.call_helper(helper, &args, Some(&d));
            }
        }
        Ok(())
    }

    /// The factors of a product whose operands are extended 32-bit integers, a register first.
    fn wide_factors(&mut self, a: Val, b: Val) -> Option<(String, String)> {
        let (a, b) = (self.extended.narrow(a)?, self.extended.narrow(b)?);
        let (a, b) = if matches!(a, Val::Imm(_)) { (b, a) } else { (a, b) };
        matches!(a, Val::Reg(_)).then(|| (self.value(Ty::I32, a), self.value(Ty::I32, b)))
    }

    /// The register and the power of two whose product a shift of an extended 32-bit integer is.
    fn wide_power(&mut self, a: Val, count: Val) -> Option<(String, String)> {
        match count {
            Val::Imm(count) if count < 31 => self.wide_factors(a, Val::Imm(1 << count)),
            _ => None,
        }
    }

    /// A shift count of 32 bits. PTX clamps it to the width of the register; a count at or above a narrower type's width
    /// shifts everything out of that as well, and a negative one is a great unsigned number in both forms.
    fn shift_count(&mut self, ty: Ty, count: Val) -> String {
        match (count, Width::of(ty)) {
            (Val::Imm(word), _) => bits::canonical(ty, word).min(64).to_string(),
            (Val::Reg(_), Width::W64) => {
                let (count, least, low) = (self.raw(ty, count), self.temp(Width::W64), self.temp(Width::W32));
                ins!(self, "min.u64 {least}, {count}, 64");
                ins!(self, "cvt.u32.u64 {low}, {least}");
                low
            }
            (Val::Reg(_), _) => self.raw(ty, count),
        }
    }

    fn divide(&mut self, op: BinOp, ty: Ty, dst: Reg, a: Val, b: Val) {
        let (t, width) = (arithmetic(ty), Width::of(ty));
        let by = match b {
            Val::Imm(word) => Some(bits::canonical(ty, word)),
            Val::Reg(_) => None,
        };
        if by == Some(0) {
            let result = if op == BinOp::Div { Val::Imm(u64::MAX) } else { a };
            return self.mov(ty, dst, result);
        }
        let is_plain = by.is_some() || self.is_not_zero(ty, b);
        let (a, b) = (self.value(ty, a), self.value(ty, b));
        if let Some(by) = by.filter(|by| op == BinOp::Div && ty == Ty::I64 && by.is_power_of_two() && *by < 1 << 63) {
            return self.divide_by_power(dst, &a, by.trailing_zeros());
        }
        if is_plain {
            let wide = self.wide(ty, dst);
            ins!(self, "{}.{t} {wide}, {a}, {b}", op.ptx());
            return self.settle(ty, dst, &wide);
        }
        let (result, is_zero) = (self.temp(width), self.temp(Width::Pred));
        ins!(self, "{}.{t} {result}, {a}, {b}", op.ptx());
        ins!(self, "setp.eq.{t} {is_zero}, {b}, 0");
        let wide = self.wide(ty, dst);
        let otherwise = if op == BinOp::Div { "-1" } else { &a };
        ins!(self, "selp.{} {wide}, {otherwise}, {result}, {is_zero}", width.bits());
        self.settle(ty, dst, &wide);
    }

    /// A 64-bit quotient by a power of two, towards zero. ptxas would call a procedure.
    fn divide_by_power(&mut self, dst: Reg, a: &str, power: u32) {
        let (sign, rest, sum) = (self.temp(Width::W64), self.temp(Width::W64), self.temp(Width::W64));
        let d = self.reg(dst);
        ins!(self, "shr.s64 {sign}, {a}, 63");
        ins!(self, "shr.u64 {rest}, {sign}, {}", 64 - power);
        ins!(self, "add.s64 {sum}, {a}, {rest}");
        ins!(self, "shr.s64 {d}, {sum}, {power}");
    }

    fn copysign(&mut self, ty: Ty, dst: &str, a: Val, b: Val) {
        let width = Width::of(ty);
        let w = width.bits();
        let (sign, magnitude, _) = real_bits(ty);
        let (a, b) = (self.in_register(ty, a), self.in_register(ty, b));
        let (size, of) = (self.temp(width), self.temp(width));
        ins!(self, "and.{w} {size}, {a}, {magnitude}");
        ins!(self, "and.{w} {of}, {b}, {sign}");
        if ty == Ty::F32 {
            // The sign of a NaN is that of the canonical one.
            let nan = self.temp(Width::Pred);
            ins!(self, "setp.nan.f32 {nan}, {b}, {b}");
            ins!(self, "selp.b32 {of}, 0, {of}, {nan}");
        }
        ins!(self, "or.{w} {size}, {size}, {of}");
        self.canonical(ty, dst, &size, &a);
    }

    /// `dst = op a, b, c`
    pub(super) fn tri(&mut self, op: TriOp, ty: Ty, dst: Reg, a: Val, b: Val, c: Val) -> Result<(), EmitError> {
        if !op.class().has(ty) {
            return self.refuse(format!("`{op}` of type `{ty}`"));
        }
        let t = arithmetic(ty);
        let factors = if ty == Ty::I64 { self.wide_factors(a, b) } else { None };
        let power = match (a, b) {
            (Val::Reg(_), Val::Imm(b)) if ty == Ty::I64 && b.is_power_of_two() => Some(b.trailing_zeros()),
            _ => None,
        };
        let (a, b, c) = (self.value(ty, a), self.value(ty, b), self.value(ty, c));
        match op {
            TriOp::Fma => {
                let d = self.reg(dst);
                ins!(self, "fma.rn.{t} {d}, {a}, {b}, {c}");
            }
            TriOp::Mad if let Some((a, b)) = factors => {
                // ptxas makes one instruction of a product and a sum, but several of `mad.wide` with a power of two. In loops it
                // schedules those better.
                let d = self.reg(dst);
                if self.is_in_loop {
                    ins!(self, "mad.wide.s32 {d}, {a}, {b}, {c}");
                } else {
                    let product = self.temp(Width::W64);
                    ins!(self, "mul.wide.s32 {product}, {a}, {b}");
                    ins!(self, "add.s64 {d}, {product}, {c}");
                }
            }
            TriOp::Mad if let Some(count) = power => {
                // A shift and a sum become one pair of instructions, a 64-bit product takes more.
                let (d, scaled) = (self.reg(dst), self.temp(Width::W64));
                ins!(self, "shl.b64 {scaled}, {a}, {count}");
                ins!(self, "add.s64 {d}, {scaled}, {c}");
            }
            TriOp::Mad => {
                let wide = self.wide(ty, dst);
                ins!(self, "mad.lo.{t} {wide}, {a}, {b}, {c}");
                self.settle(ty, dst, &wide);
            }
        }
        Ok(())
    }

    /// `dst = a op b`. Sign extension keeps the unsigned order of narrow integers.
    pub(super) fn cmp(&mut self, op: CmpOp, ty: Ty, dst: Reg, a: Val, b: Val) -> Result<(), EmitError> {
        if !op.class().has(ty) {
            return self.refuse(format!("`{op}` of type `{ty}`"));
        }
        let d = self.reg(dst);
        if ty == Ty::Pred {
            let (a, b) = (self.raw(ty, a), self.raw(ty, b));
            let differ = self.temp(Width::Pred);
            ins!(self, "xor.pred {differ}, {a}, {b}");
            let stem = if op == CmpOp::Eq { "not" } else { "mov" };
            ins!(self, "{stem}.pred {d}, {differ}");
            return Ok(());
        }
        let (a, b) = (self.value(ty, a), self.value(ty, b));
        let (stem, t) = match op {
            CmpOp::Ne if ty.is_real() => ("neu", arithmetic(ty)),
            CmpOp::LtU | CmpOp::GeU => (op.ptx(), unsigned(ty)),
            CmpOp::Eq | CmpOp::Ne | CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge => (op.ptx(), arithmetic(ty)),
        };
        ins!(self, "setp.{stem}.{t} {d}, {a}, {b}");
        Ok(())
    }

    /// `dst = cond ? a : b`
    pub(super) fn select(&mut self, ty: Ty, dst: Reg, cond: Val, a: Val, b: Val) {
        let d = self.reg(dst);
        let (cond, a, b) = (self.raw(Ty::Pred, cond), self.raw(ty, a), self.raw(ty, b));
        if ty == Ty::Pred {
            let (first, second) = (self.temp(Width::Pred), self.temp(Width::Pred));
            ins!(self, "and.pred {first}, {cond}, {a}");
            ins!(self, "not.pred {second}, {cond}");
            ins!(self, "and.pred {second}, {second}, {b}");
            ins!(self, "or.pred {d}, {first}, {second}");
        } else {
            ins!(self, "selp.{} {d}, {a}, {b}, {cond}", Width::of(ty).bits());
        }
    }
}
