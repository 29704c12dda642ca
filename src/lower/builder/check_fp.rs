//! `--check fp`: tests after operations of device code that may produce a NaN or an infinity, divide by zero, or convert a
//! real to an integer that cannot hold it.
//!
//! The tests are inserted when a function is complete, so they see the operations that run, fused ones included. A test is
//! cheap and may report too much: the service that it calls (`real.made`) gets operands and result and decides whether the
//! operation is the cause, or an operand was already not finite.
//!
//! A function of the mathematics library counts as one operation and is tested at its call: infinities inside it are normal.
//! Operations of host code, atomics, and integer overflow, which hash functions rely on, are not tested.

use crate::builder::rewrite::Rewrite;
use crate::module::ModuleLowering;
use crate::types::Side;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use ir::rt::Rt;
use ir::{AddrBase, Function, Inst, InstKind, Reg, Ty, Val};
use sema::checked::Type;
use source::Span;
use std::collections::VecDeque;

/// What a test looks for; the number is the first argument of the service.
#[derive(Clone, Copy)]
enum Looks {
    /// A result that is not finite.
    Real = 0,
    /// A real operand that the integer result cannot hold.
    Conversion = 1,
    /// An integer divisor of zero.
    Division = 2,
}

/// A test of one operation.
struct Test {
    looks: Looks,
    /// The operation as the source calls it; of a conversion the type that it converts to.
    name: String,
    /// Real operands, up to three.
    operands: Vec<(Val, Ty)>,
    /// The register to be tested, and its type.
    tested: (Val, Ty),
}

/// Adds the tests to a function of device code.
pub(crate) fn watch(m: &mut ModuleLowering<'_>, f: &mut Function) {
    let mut watch = Watch { m, code: Rewrite::new(f) };
    for at in 0..watch.code.f.blocks.len() {
        watch.code.open(at).into_iter().for_each(|inst| watch.instruction(inst));
        watch.code.close();
    }
}

struct Watch<'w, 'p> {
    m: &'w mut ModuleLowering<'p>,
    code: Rewrite<'w>,
}

impl Watch<'_, '_> {
    fn instruction(&mut self, mut inst: Inst) {
        let tests = self.tests(&mut inst);
        let span = inst.span;
        let is_before = tests.iter().any(|t| !matches!(t.looks, Looks::Real));
        if is_before {
            tests.into_iter().for_each(|t| self.add(t, span));
            self.code.push(inst);
        } else {
            self.code.push(inst);
            tests.into_iter().for_each(|t| self.add(t, span));
        }
    }

    /// The tests of an instruction. An operand that the instruction overwrites is kept first.
    fn tests(&mut self, inst: &mut Inst) -> Vec<Test> {
        let span = inst.span;
        let real = |name: &str, operands: &[Val], ty: Ty, dst: Reg| Test {
            looks: Looks::Real,
            name: name.to_owned(),
            operands: operands.iter().map(|&v| (v, ty)).collect(),
            tested: (dst.into(), ty),
        };
        let mut test = match &inst.kind {
            InstKind::Un { op: UnOp::Sqrt, ty, dst, a } => real("sqrt", &[*a], *ty, *dst),
            InstKind::Bin { op, ty, dst, a, b } if ty.is_real() => {
                let name = match op {
                    BinOp::Add => "+",
                    BinOp::Sub => "-",
                    BinOp::Mul => "*",
                    BinOp::Div => "/",
                    BinOp::Fmod => "mod",
                    _ => return Vec::new(),
                };
                real(name, &[*a, *b], *ty, *dst)
            }
            InstKind::Bin { op: op @ (BinOp::Div | BinOp::Rem), ty, b: b @ Val::Reg(_), .. } => Test {
                looks: Looks::Division,
                name: if *op == BinOp::Div { "/" } else { "mod" }.to_owned(),
                operands: Vec::new(),
                tested: (*b, *ty),
            },
            InstKind::Tri { op: TriOp::Fma, ty, dst, a, b, c } => real("fma", &[*a, *b, *c], *ty, *dst),
            InstKind::Cvt { op: CvtOp::Cast, from: Ty::F64, to: Ty::F32, dst, a } => {
                Test { operands: vec![(*a, Ty::F64)], ..real("real", &[], Ty::F32, *dst) }
            }
            InstKind::Cvt { op: CvtOp::ToHalf, from, dst, a, .. } => {
                Test { operands: vec![(*a, *from)], ..real("real", &[], Ty::I16, *dst) }
            }
            InstKind::Cvt { op, from, to, a, .. } if from.is_real() && to.is_int() => {
                let rounding = match op {
                    CvtOp::Cast => UnOp::Trunc,
                    CvtOp::Nint => UnOp::Round,
                    CvtOp::FloorI => UnOp::Floor,
                    CvtOp::CeilI => UnOp::Ceil,
                    CvtOp::CastU
                    | CvtOp::Bits
                    | CvtOp::PredToInt
                    | CvtOp::IntToPred
                    | CvtOp::FromHalf
                    | CvtOp::ToHalf => return Vec::new(),
                };
                let (from, a, name) = (*from, *a, format!("integer({})", to.bytes()));
                let rounded = self.code.emit(from, span, |dst| InstKind::Un { op: rounding, ty: from, dst, a });
                return vec![Test {
                    looks: Looks::Conversion,
                    name,
                    operands: vec![(a, from)],
                    tested: (rounded.into(), from),
                }];
            }
            InstKind::Call { func, args, results } => {
                let (func, args, results) = (*func, args.clone(), results.clone());
                return self.library(func, &args, &results);
            }
            _ => return Vec::new(),
        };
        if let (Looks::Real, (Val::Reg(dst), _)) = (test.looks, test.tested) {
            let overwritten: Vec<usize> =
                test.operands.iter().enumerate().filter(|(_, o)| o.0 == Val::Reg(dst)).map(|(i, _)| i).collect();
            for i in overwritten {
                let (a, ty) = test.operands[i];
                let kept = self.code.emit(ty, span, |dst| InstKind::Un { op: UnOp::Mov, ty, dst, a });
                test.operands[i].0 = kept.into();
            }
        }
        vec![test]
    }

    /// The tests of a call, if it is one of the mathematics library: one for each part of the result.
    fn library(&self, func: ir::FuncId, args: &[Val], results: &[Reg]) -> Vec<Test> {
        let Some((name, mut operands)) = library_call(self.m, func, args) else { return Vec::new() };
        operands.truncate(3);
        let of = |&dst: &Reg| (Val::from(dst), self.code.f.regs[dst.index()].ty);
        let reals = results.iter().map(of).filter(|(_, ty)| ty.is_real());
        reals
            .map(|tested| Test { looks: Looks::Real, name: name.clone(), operands: operands.clone(), tested })
            .collect()
    }

    /// Adds a test: if it holds, the service is called.
    fn add(&mut self, mut test: Test, span: Span) {
        if let (Looks::Real, (a, from @ Ty::I16)) = (test.looks, test.tested) {
            // A real(2) is looked at as real(4).
            let kind = |dst| InstKind::Cvt { op: CvtOp::FromHalf, from, to: Ty::F32, dst, a };
            test.tested = (self.code.emit(Ty::F32, span, kind).into(), Ty::F32);
        }
        let (value, ty) = test.tested;
        let cond = match test.looks {
            Looks::Real => {
                // The product with zero is a NaN for a NaN and for infinities only.
                let product =
                    self.code.emit(ty, span, |dst| InstKind::Bin { op: BinOp::Mul, ty, dst, a: value, b: Val::Imm(0) });
                let (a, b) = (product.into(), product.into());
                self.code.emit(Ty::Pred, span, |dst| InstKind::Cmp { op: CmpOp::Ne, ty, dst, a, b })
            }
            Looks::Conversion => {
                // The limits are powers of two, which are exact.
                let bytes = test.name.trim_start_matches("integer(").trim_end_matches(')').parse().unwrap_or(4i32);
                let limit = 2f64.powi(bytes * 8 - 1);
                let real = |v: f64| if ty == Ty::F32 { Val::f32(v as f32) } else { Val::f64(v) };
                let (low, high) = (real(-limit), real(limit));
                let above =
                    self.code.emit(Ty::Pred, span, |dst| InstKind::Cmp { op: CmpOp::Ge, ty, dst, a: value, b: low });
                let below =
                    self.code.emit(Ty::Pred, span, |dst| InstKind::Cmp { op: CmpOp::Lt, ty, dst, a: value, b: high });
                let (a, b) = (above.into(), below.into());
                let fits =
                    self.code.emit(Ty::Pred, span, |dst| InstKind::Bin { op: BinOp::And, ty: Ty::Pred, dst, a, b });
                let a = fits.into();
                self.code.emit(Ty::Pred, span, |dst| InstKind::Un { op: UnOp::Not, ty: Ty::Pred, dst, a })
            }
            Looks::Division => {
                self.code.emit(Ty::Pred, span, |dst| InstKind::Cmp { op: CmpOp::Eq, ty, dst, a: value, b: Val::Imm(0) })
            }
        };
        let behind = self.code.branch(cond.into(), span);
        self.call(&test, span);
        self.code.join(behind);
    }

    /// The call of the service.
    fn call(&mut self, test: &Test, span: Span) {
        let text = self.m.constant(test.name.as_bytes(), 1, Side::Device);
        let address = self.code.emit(Ty::I64, span, |dst| InstKind::Addr { dst, base: AddrBase::Global(text) });
        let kind = test.operands.first().map_or(test.tested.1, |o| o.1).bytes() as i32;
        let mut args = vec![
            Val::i32(test.looks as i32),
            address.into(),
            Val::i64(test.name.len() as i64),
            Val::i32(kind),
            Val::i32(test.operands.len() as i32),
        ];
        for i in 0..3 {
            let operand = test.operands.get(i).map_or(Val::f64(0.0), |&(v, ty)| self.wide(v, ty, span));
            args.push(operand);
        }
        args.push(if test.tested.1.is_real() { self.wide(test.tested.0, test.tested.1, span) } else { Val::f64(0.0) });
        let kind = InstKind::Rt { rt: Rt::RealMade, args, results: Vec::new() };
        self.code.push(Inst::new(kind, span));
    }

    /// A real as a real(8), which holds it exactly.
    fn wide(&mut self, a: Val, ty: Ty, span: Span) -> Val {
        match a {
            _ if ty == Ty::F64 => a,
            Val::Imm(bits) => Val::Imm(scalar::bits::convert(ty, Ty::F64, bits)),
            Val::Reg(_) => self
                .code
                .emit(Ty::F64, span, |dst| InstKind::Cvt { op: CvtOp::Cast, from: ty, to: Ty::F64, dst, a })
                .into(),
        }
    }
}

/// The function of the mathematics library that a call calls, by its name without the kind, and its real operands.
pub(crate) fn library_call(m: &ModuleLowering<'_>, func: ir::FuncId, args: &[Val]) -> Option<(String, Vec<(Val, Ty)>)> {
    let name = m.function_name(func);
    let name = name.strip_prefix("cufemu_math.")?.split('.').next()?;
    let proc = m.mathematics(name)?;
    let program = m.program();
    let mut words: VecDeque<Val> = args.iter().copied().collect();
    let mut operands = Vec::new();
    for &param in &program.proc(proc).params {
        let ty = &program.var(param).ty;
        let count = if matches!(ty, Type::Complex(_)) { 2 } else { 1 };
        for word in words.drain(..count.min(words.len())) {
            match ty {
                Type::Real(4) | Type::Complex(4) => operands.push((word, Ty::F32)),
                Type::Real(8) | Type::Complex(8) => operands.push((word, Ty::F64)),
                _ => {}
            }
        }
    }
    let name = name.rsplit_once('_').map_or(name, |(name, _)| name);
    Some((name.to_owned(), operands))
}
