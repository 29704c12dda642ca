//! IEEE exceptions and directions of rounding in host code, for programs that ask for them (Fortran 2018, clause 17).
//!
//! When a function is complete, its real operations are followed by calls of the service `real.op`, which rounds as the program has
//! asked and raises flags. As long as a variable of the module `ieee_exceptions` is zero, the direction is to nearest, nothing halts and
//! the inexact flag is up already, as it mostly is: then the service is called only where the result is not a normal number.
//!
//! Not here: which programs ask (`analysis::usage`), the saving of flags by procedures (`procedure::entry`), device code, which has
//! neither flags nor directions.

use crate::builder::check_fp::library_call;
use crate::builder::rewrite::Rewrite;
use crate::module::ModuleLowering;
use crate::types::Side;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use ir::rt::Rt;
use ir::{Access, AddrBase, Function, GlobalId, Inst, InstKind, Reg, Space, Ty, Val};
use sema::checked::VarId;
use source::Span;

/// What the service does beside operations, by its number.
const CONVERT: i32 = 6;
const FROM_INTEGER: i32 = 7;
const TO_INTEGER: i32 = 8;
const COMPARE: i32 = 9;
const EXACT: i32 = 10;
const FUNCTION: i32 = 11;

/// Functions that have poles elsewhere than at zero.
const WITH_POLES: [&str; 8] = ["log", "log10", "log2", "log1p", "atanh", "gamma", "log_gamma", "bessel_yn"];
/// Functions whose zeros are results that are too small.
const EXPONENTIAL: [&str; 5] = ["exp", "exp2", "exp10", "pow", "erfc"];

/// Whether a procedure of module `ieee_arithmetic` is an operation of IEEE 754 that its own operations make: they raise its flags.
pub(crate) fn is_operation(name: &str) -> bool {
    ["cufemu_signaling_", "cufemu_rint_", "cufemu_logb_", "cufemu_fma_", "cufemu_scalb_"]
        .iter()
        .any(|stem| name.starts_with(stem))
}

/// Has the real operations of a function raise flags; `word` is the variable that is zero as long as most of them need not.
pub(crate) fn raise(m: &mut ModuleLowering<'_>, f: &mut Function, word: VarId) {
    let word = m.global(word, Side::Host);
    let mut raising = Raising { m, code: Rewrite::new(f), word };
    for at in 0..raising.code.f.blocks.len() {
        raising.code.open(at).into_iter().for_each(|inst| raising.instruction(inst));
        raising.code.close();
    }
}

struct Raising<'r, 'p> {
    m: &'r ModuleLowering<'p>,
    code: Rewrite<'r>,
    word: GlobalId,
}

/// A call of the service: its number, the type of the operands, and they.
struct Told {
    number: i32,
    ty: Ty,
    operands: Vec<(Val, Ty)>,
}

/// When the service need not be called if the word is zero.
enum Harmless {
    /// The result is a normal number.
    Normal(Reg),
    /// The result is finite: a sum is exact where it is small.
    Finite(Reg),
    /// The real is of less than this magnitude.
    Below(Val, Ty, f64),
}

impl Raising<'_, '_> {
    fn instruction(&mut self, mut inst: Inst) {
        let span = inst.span;
        let told =
            |number, ty, operands: &[Val]| Told { number, ty, operands: operands.iter().map(|&a| (a, ty)).collect() };
        match &mut inst.kind {
            &mut InstKind::Un { op: UnOp::Sqrt, ty, dst, a } => {
                self.operation(inst, told(4, ty, &[a]), dst, Harmless::Normal(dst));
            }
            &mut InstKind::Bin { op: BinOp::Fmod, ty, dst, a, b } if ty.is_real() => {
                let [a, b] = self.kept([a, b], ty, dst, span);
                self.code.push(inst);
                self.unless(Harmless::Finite(dst), span, |this| {
                    this.tell(&Told { number: EXACT, ty, operands: vec![(a, ty), (b, ty), (dst.into(), ty)] }, span);
                });
            }
            &mut InstKind::Bin { op, ty, dst, a, b } if ty.is_real() => {
                let (number, harmless) = match op {
                    BinOp::Add => (0, Harmless::Finite(dst)),
                    BinOp::Sub => (1, Harmless::Finite(dst)),
                    BinOp::Mul => (2, Harmless::Normal(dst)),
                    BinOp::Div => (3, Harmless::Normal(dst)),
                    _ => return self.code.push(inst),
                };
                let operands = self.kept([a, b], ty, dst, span);
                self.operation(inst, told(number, ty, &operands), dst, harmless);
            }
            &mut InstKind::Tri { op: TriOp::Fma, ty, dst, a, b, c } => {
                let operands = self.kept([a, b, c], ty, dst, span);
                self.operation(inst, told(5, ty, &operands), dst, Harmless::Normal(dst));
            }
            &mut InstKind::Cvt { op, from, to, dst, a }
                if matches!((op, from, to), (CvtOp::Cast, Ty::F64, Ty::F32) | (CvtOp::ToHalf, _, Ty::I16)) =>
            {
                let mut convert = told(CONVERT, from, &[a]);
                convert.operands.push((Val::i64(to.bytes().into()), Ty::I64));
                self.operation(inst, convert, dst, Harmless::Normal(dst));
            }
            &mut InstKind::Cvt { op: CvtOp::Cast, from, to, dst, a } if from.is_int() && to.is_real() => {
                let operands = vec![(a, from)];
                self.operation(inst, Told { number: FROM_INTEGER, ty: to, operands }, dst, Harmless::Finite(dst));
            }
            &mut InstKind::Cvt { op, from, to, a, .. } if from.is_real() && to.is_int() => {
                let rounding = match op {
                    CvtOp::Cast => UnOp::Trunc,
                    CvtOp::Nint => UnOp::Round,
                    CvtOp::FloorI => UnOp::Floor,
                    CvtOp::CeilI => UnOp::Ceil,
                    _ => return self.code.push(inst),
                };
                let limit = 2f64.powi(8 * to.bytes() as i32 - 1) - 1.0;
                self.unless(Harmless::Below(a, from, limit), span, |this| {
                    let whole = this.code.emit(from, span, |dst| InstKind::Un { op: rounding, ty: from, dst, a });
                    let bytes = (Val::i64(to.bytes().into()), Ty::I64);
                    let operands = vec![(a, from), (whole.into(), from), bytes];
                    this.tell(&Told { number: TO_INTEGER, ty: from, operands }, span);
                });
                self.code.push(inst);
            }
            &mut InstKind::Cmp { op: CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge, ty, a, b, .. } if ty.is_real() => {
                // Only a NaN differs from itself.
                let nan = [a, b].map(|x| {
                    self.code.emit(Ty::Pred, span, |dst| InstKind::Cmp { op: CmpOp::Ne, ty, dst, a: x, b: x })
                });
                let [a_is, b_is] = nan.map(Val::from);
                let any = self.code.emit(Ty::Pred, span, |dst| InstKind::Bin {
                    op: BinOp::Or,
                    ty: Ty::Pred,
                    dst,
                    a: a_is,
                    b: b_is,
                });
                self.when(any.into(), span, |this| this.tell(&told(COMPARE, ty, &[a, b]), span));
                self.code.push(inst);
            }
            InstKind::Call { func, args, results } => match library_call(self.m, *func, args) {
                Some((name, operands)) => {
                    let results = results.clone();
                    self.function(inst, &name, operands, &results);
                }
                None => self.code.push(inst),
            },
            _ => self.code.push(inst),
        }
    }

    /// A function of the mathematics library with one real operand or two. Those of integers, and complex ones, raise the flags of
    /// what is asked of their real operands.
    fn function(&mut self, inst: Inst, name: &str, mut operands: Vec<(Val, Ty)>, results: &[Reg]) {
        let span = inst.span;
        operands.truncate(2);
        for operand in &mut operands {
            for &result in results {
                [operand.0] = self.kept([operand.0], operand.1, result, span);
            }
        }
        self.code.push(inst);
        let Some(&(_, ty)) = operands.first() else { return };
        let growth = match name {
            name if WITH_POLES.contains(&name) => 2,
            name if EXPONENTIAL.contains(&name) => 4,
            _ => 0,
        };
        let number = FUNCTION + i32::from(operands.len() > 1) + growth;
        for &result in results {
            if self.code.f.regs[result.index()].ty == ty {
                let mut operands = operands.clone();
                operands.push((result.into(), ty));
                self.unless(Harmless::Normal(result), span, |this| {
                    this.tell(&Told { number, ty, operands }, span);
                });
            }
        }
    }

    /// An operation whose result the service may change.
    fn operation(&mut self, inst: Inst, told: Told, dst: Reg, harmless: Harmless) {
        let span = inst.span;
        let mut told = told;
        for operand in &mut told.operands {
            [operand.0] = self.kept([operand.0], operand.1, dst, span);
        }
        self.code.push(inst);
        self.code.f.regs[dst.index()].mutable = true;
        self.unless(harmless, span, |this| {
            let word = this.tell(&told, span).into();
            let to = this.code.f.regs[dst.index()].ty;
            let (op, from, a) = match to {
                Ty::F64 => (CvtOp::Bits, Ty::I64, word),
                Ty::F32 => (CvtOp::Bits, Ty::I32, this.cast(CvtOp::Cast, Ty::I64, Ty::I32, word, span)),
                _ => (CvtOp::Cast, Ty::I64, word),
            };
            this.code.push(Inst::new(InstKind::Cvt { op, from, to, dst, a }, span));
        });
    }

    /// Operands, those that the instruction overwrites as copies.
    fn kept<const N: usize>(&mut self, operands: [Val; N], ty: Ty, dst: Reg, span: Span) -> [Val; N] {
        operands.map(|a| {
            if a == Val::Reg(dst) {
                self.code.emit(ty, span, |dst| InstKind::Un { op: UnOp::Mov, ty, dst, a }).into()
            } else {
                a
            }
        })
    }

    /// Does something unless it is harmless and the word is zero.
    fn unless(&mut self, harmless: Harmless, span: Span, then: impl FnOnce(&mut Self)) {
        let base = AddrBase::Global(self.word);
        let addr = self.code.emit(Ty::I64, span, |dst| InstKind::Addr { dst, base }).into();
        let (ty, space, access) = (Ty::I32, Space::Host, Access::Plain);
        let word = self.code.emit(ty, span, |dst| InstKind::Load { ty, space, access, dst, addr, offset: 0 }).into();
        let pred = |op, ty, a, b| move |dst| InstKind::Cmp { op, ty, dst, a, b };
        let minds = self.code.emit(Ty::Pred, span, pred(CmpOp::Ne, Ty::I32, word, Val::i32(0)));
        let (result, least) = match harmless {
            Harmless::Normal(result) => (result, true),
            Harmless::Finite(result) => (result, false),
            Harmless::Below(a, ty, limit) => {
                let magnitude = self.code.emit(ty, span, |dst| InstKind::Un { op: UnOp::Abs, ty, dst, a }).into();
                let limit = if ty == Ty::F32 { Val::f32(limit as f32) } else { Val::f64(limit) };
                let fits = self.code.emit(Ty::Pred, span, pred(CmpOp::Lt, ty, magnitude, limit)).into();
                let ty = Ty::Pred;
                let beyond = self.code.emit(ty, span, |dst| InstKind::Un { op: UnOp::Not, ty, dst, a: fits });
                return self.either(minds, beyond, span, then);
            }
        };
        // The exponent of a number that is not normal has all bits or none.
        let ty = self.code.f.regs[result.index()].ty;
        let bits = self.word(result.into(), ty, span);
        let (shift, most) = match ty {
            Ty::I16 => (10, 31),
            Ty::F32 => (23, 255),
            _ => (52, 2047),
        };
        let ty = Ty::I64;
        let int = |op, a, b| move |dst| InstKind::Bin { op, ty, dst, a, b };
        let shifted = self.code.emit(ty, span, int(BinOp::ShrU, bits, Val::i64(shift))).into();
        let mut exponent = self.code.emit(ty, span, int(BinOp::And, shifted, Val::i64(most))).into();
        if least {
            exponent = self.code.emit(ty, span, int(BinOp::Sub, exponent, Val::i64(1))).into();
        }
        let end = Val::i64(if least { most - 1 } else { most });
        let above = self.code.emit(Ty::Pred, span, pred(CmpOp::Ge, ty, exponent, end));
        let below = self.code.emit(Ty::Pred, span, pred(CmpOp::Lt, ty, exponent, Val::i64(0)));
        let (a, b) = (above.into(), below.into());
        let odd = self.code.emit(Ty::Pred, span, |dst| InstKind::Bin { op: BinOp::Or, ty: Ty::Pred, dst, a, b });
        self.either(minds, odd, span, then);
    }

    fn either(&mut self, a: Reg, b: Reg, span: Span, then: impl FnOnce(&mut Self)) {
        let (a, b) = (a.into(), b.into());
        let any = self.code.emit(Ty::Pred, span, |dst| InstKind::Bin { op: BinOp::Or, ty: Ty::Pred, dst, a, b });
        self.when(any.into(), span, then);
    }

    fn when<R>(&mut self, cond: Val, span: Span, then: impl FnOnce(&mut Self) -> R) {
        let behind = self.code.branch(cond, span);
        then(self);
        self.code.join(behind);
    }

    /// The call of the service; gives its result.
    fn tell(&mut self, told: &Told, span: Span) -> Reg {
        let mut args = vec![Val::i32(told.number), Val::i32(told.ty.bytes() as i32)];
        args.extend(told.operands.iter().map(|&(a, ty)| self.word(a, ty, span)).collect::<Vec<_>>());
        args.resize(5, Val::i64(0));
        let base = AddrBase::Global(self.word);
        args.push(self.code.emit(Ty::I64, span, |dst| InstKind::Addr { dst, base }).into());
        self.code.emit(Ty::I64, span, |dst| InstKind::Rt { rt: Rt::RealOp, args, results: vec![dst] })
    }

    /// The bits of a real, or an integer, as an integer(8).
    fn word(&mut self, a: Val, ty: Ty, span: Span) -> Val {
        match (a, ty) {
            (Val::Imm(bits), ty) if ty.is_int() => Val::i64(scalar::bits::signed(ty, bits)),
            (Val::Imm(_), _) | (_, Ty::I64) => a,
            (_, Ty::F64) => self.cast(CvtOp::Bits, Ty::F64, Ty::I64, a, span),
            (_, Ty::F32) => {
                let bits = self.cast(CvtOp::Bits, Ty::F32, Ty::I32, a, span);
                self.cast(CvtOp::CastU, Ty::I32, Ty::I64, bits, span)
            }
            (_, ty) => self.cast(CvtOp::Cast, ty, Ty::I64, a, span),
        }
    }

    fn cast(&mut self, op: CvtOp, from: Ty, to: Ty, a: Val, span: Span) -> Val {
        self.code.emit(to, span, |dst| InstKind::Cvt { op, from, to, dst, a }).into()
    }
}
