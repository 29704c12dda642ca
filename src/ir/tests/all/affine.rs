//! Affine values against the one-lane evaluator, on random straight-line code.

use crate::generate;
use fastrand::Rng;
use ir::analysis::affine::{self, Affine, Linear, Operation, Recurrence};
use ir::lane::{End, Lane};
use ir::op::{BinOp, TriOp, UnOp};
use ir::{FuncId, FuncKind, FunctionBuilder, InstKind, Module, Reg, Ty, Val};
use scalar::bits;
use std::num::Wrapping;

/// Straight-line code of one integer type; it returns all its registers, parameters first.
fn straight_line(rng: &mut Rng, ty: Ty) -> Module {
    let mut b = FunctionBuilder::new("f", FuncKind::Device, source::Span::NONE);
    let mut regs: Vec<Reg> = (0..3).map(|_| b.param(ty, "p")).collect();
    for _ in 0..12 {
        let val = |rng: &mut Rng, regs: &[Reg]| match rng.usize(..3) {
            0 => Val::Imm(generate::constant(rng, ty)),
            _ => Val::Reg(*rng.choice(regs).unwrap()),
        };
        let (dst, a, second, c) = (b.temp(ty), val(rng, &regs), val(rng, &regs), val(rng, &regs));
        b.push(match rng.usize(..8) {
            0 => InstKind::Un { op: rng.choice([UnOp::Mov, UnOp::Neg, UnOp::Not, UnOp::Popc]).unwrap(), ty, dst, a },
            1 => InstKind::Tri { op: TriOp::Mad, ty, dst, a, b: second, c },
            2 => InstKind::Bin { op: BinOp::Shl, ty, dst, a, b: Val::Imm(rng.usize(..70) as u64 & 0x7f) },
            3 => InstKind::Bin { op: BinOp::Div, ty, dst, a, b: second },
            _ => InstKind::Bin {
                op: rng.choice([BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Shl]).unwrap(),
                ty,
                dst,
                a,
                b: second,
            },
        });
        regs.push(dst);
    }
    regs.iter().for_each(|_| b.result(ty));
    b.ret(regs.into_iter().map(Val::Reg).collect());
    Module { funcs: vec![b.finish()], ..Module::default() }
}

/// For each register its value over the registers that are not followed: parameters, and results that are not affine.
fn values<L: Linear>(module: &Module, symbol: impl Fn(Reg) -> L) -> Vec<L> {
    let f = &module.funcs[0];
    let mut out: Vec<L> = f.params.iter().map(|p| symbol(p.reg)).collect();
    for inst in &f.blocks[0].insts {
        let value = affine::of_instruction(&inst.kind, |val| match val {
            Val::Reg(reg) => Some(out[reg.index()].clone()),
            Val::Imm(_) => None,
        });
        out.push(value.unwrap_or_else(|| symbol(inst.kind.def().unwrap())));
    }
    out
}

#[test]
fn affine_values_are_what_the_evaluator_computes() {
    let (mut composed, mut exact_fits) = (0, 0);
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let ty = rng.choice([Ty::I64, Ty::I64, Ty::I32, Ty::I8]).unwrap();
        let module = straight_line(&mut rng, ty);
        assert_eq!(ir::verify::module(&module), [], "seed {seed}");
        let args: Vec<u64> = (0..3).map(|_| generate::constant(&mut rng, ty)).collect();
        let Ok(End::Returned(regs)) = Lane::new(&module).run(FuncId(0), &args) else { panic!("seed {seed}") };
        let signed = |reg: Reg| bits::signed(ty, regs[reg.index()]);
        let wrapping = values(&module, Affine::<Reg, Wrapping<i64>>::symbol);
        let exact = values(&module, Affine::<Reg, i128>::symbol);
        for (i, &expected) in regs.iter().enumerate() {
            let found = wrapping[i].evaluate(|r| Wrapping(signed(r))).unwrap();
            assert_eq!(bits::canonical(ty, found.0 as u64), expected, "seed {seed}, %{i} modulo 2**64");
            composed += usize::from(wrapping[i].terms.len() > 1);
            let found = exact[i].evaluate(|r| i128::from(signed(r))).unwrap();
            assert_eq!(bits::canonical(ty, found as u64), expected, "seed {seed}, %{i} exact");
            exact_fits += usize::from(found == i128::from(bits::signed(ty, expected)));
        }
    }
    assert!(composed > 1000, "only {composed} sums of several symbols");
    assert!(exact_fits > 10_000, "only {exact_fits} values without a wrap");
}

#[test]
fn recurrences_are_what_the_evaluator_computes_in_each_iteration() {
    let mut stepping = 0;
    for seed in 0..1000 {
        let mut rng = Rng::with_seed(seed);
        let module = straight_line(&mut rng, Ty::I64);
        let starts: Vec<Recurrence> = (0..3)
            .map(|_| Recurrence { first: rng.usize(..1000) as i64 - 500, step: rng.usize(..9) as i64 - 4 })
            .collect();
        // Results that are not affine in the iteration number are unknown, and so is all that comes of them.
        let f = &module.funcs[0];
        let mut values: Vec<Option<Recurrence>> = starts.iter().copied().map(Some).collect();
        for inst in &f.blocks[0].insts {
            values.push(affine::of_instruction(&inst.kind, |val| match val {
                Val::Reg(reg) => values[reg.index()],
                Val::Imm(_) => None,
            }));
        }
        for iteration in 0..5 {
            let at = |r: Recurrence| r.first.wrapping_add(r.step.wrapping_mul(iteration)) as u64;
            let args: Vec<u64> = starts.iter().copied().map(at).collect();
            let Ok(End::Returned(regs)) = Lane::new(&module).run(FuncId(0), &args) else { panic!("seed {seed}") };
            for (value, expected) in values.iter().zip(regs) {
                if let Some(value) = value {
                    assert_eq!(at(*value), expected, "seed {seed}, iteration {iteration}");
                    stepping += usize::from(value.step != 0);
                }
            }
        }
    }
    assert!(stepping > 10_000, "only {stepping} values that change");
}

#[test]
fn too_large_exact_values_are_given_up() {
    let x = Affine::<u32, i128>::symbol(0);
    assert_eq!(x.times(1 << 57), None);
    assert_eq!(x.times(1 << 56).and_then(|f| f.plus(&f, 1)), None);
    assert_eq!(Affine::<u32, i128>::constant(1 << 100).offset(1), None);
    let many = (0..13).try_fold(x, |sum, i| sum.plus(&Affine::symbol(i), 1));
    assert_eq!(many, None);
    assert_eq!(Recurrence { first: i64::MAX, step: 1 }.plus_times(&Recurrence::from_constant(1), 1), None);
}

#[test]
fn sums_have_no_terms_that_cancel() {
    let (x, y) = (Affine::<u32, Wrapping<i64>>::symbol(1), Affine::symbol(2));
    let sum = x.plus(&y, Wrapping(3)).and_then(|s| s.plus(&x, Wrapping(-1))).unwrap();
    assert_eq!(sum.terms, [(2, Wrapping(3))]);
    assert_eq!(sum.coefficient(1), Wrapping(0));
    let shifted: Option<Affine<u32, Wrapping<i64>>> =
        Operation::Shl.apply(Ty::I32, [Some(&sum), Some(&Affine::constant(Wrapping(32))), None]);
    assert_eq!(shifted, None, "a shift by the width leaves nothing");
    assert_eq!(affine::gcd(-12, 18), 6);
    assert_eq!(affine::gcd(0, -7), 7);
}
