//! Ranges of registers on small texts, and of operations against the evaluator.

use ir::analysis::{Cfg, Dominators, Range, Ranges};
use ir::op::BinOp;
use ir::{Bb, Function, Module, Reg, Ty, Val, eval};
use scalar::bits;

fn parse(text: &str) -> Module {
    let module = ir::parse::module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(ir::verify::module(&module), []);
    module
}

/// The range of a 32-bit register in a block.
fn at(f: &Function, threads: u64, bb: u32, reg: u32) -> (i64, i64) {
    let cfg = Cfg::new(f);
    let Range { low, high } =
        Ranges::new(f, &cfg, &Dominators::new(&cfg), threads).at(Bb(bb), Ty::I32, Val::Reg(Reg(reg)));
    (low, high)
}

const ALL: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

#[test]
fn indices_of_threads_are_limited_by_the_threads_of_a_grid() {
    let module = parse(
        "
kernel @k(%0: i64) {
bb0:
  %1 = special.tid.x
  %2 = special.ctaid.x
  %3 = special.ntid.x
  %4 = mul.i32 %3, %2
  %5 = add.i32 %1, %4
  %6 = special.nctaid.x
  %7 = mul.i32 %6, %3
  %8 = special.ntid.y
  %9 = mul.i32 %6, %8
  %10 = and.i32 %5, 31
  store.global.i32 [%0], %10
  return
}",
    );
    let at = |threads, reg| at(&module.funcs[0], threads, 0, reg);
    assert_eq!(at(1 << 30, 1), (0, 1023));
    assert_eq!(at(1 << 30, 5), (0, (1 << 30) + 1022));
    assert_eq!(at(1 << 30, 7), (1, 1 << 30));
    assert_eq!(at(u64::MAX, 7), ALL, "the product may wrap");
    assert_eq!(at(1 << 30, 9), ALL, "of different directions");
    assert_eq!(at(u64::MAX, 10), (0, 31));
}

#[test]
fn a_branch_says_something_of_both_sides_where_it_leads_only() {
    let module = parse(
        "
kernel @k(%0: i64, %1: i32) {
  reg %9 i32 mutable
bb0:
  %2 = special.tid.x
  %9 = mov.i32 %1
  %3 = cmp.ge.i32 %2, %1
  %4 = cmp.ge.i32 %2, 100
  %5 = or.pred %3, %4
  %6 = cmp.gt.i32 %9, 7
  %7 = or.pred %5, %6
  branch %7, bb1, bb2
bb1:
  jump bb3
bb2:
  store.global.i32 [%0], %1
  jump bb3
bb3:
  return
}",
    );
    let at = |bb, reg| at(&module.funcs[0], 1 << 30, bb, reg);
    assert_eq!(at(2, 2), (0, 99));
    assert_eq!(at(2, 1), (1, i64::from(i32::MAX)), "more than a thread's index");
    assert_eq!(at(2, 9), ALL, "it may have been assigned since");
    assert_eq!((at(1, 1), at(3, 1), at(3, 2)), (ALL, ALL, (0, 1023)));
}

#[test]
fn what_operations_give_is_in_the_range_of_the_result() {
    let ends = [i32::MIN, i32::MIN + 1, -100, -8, -1, 0, 1, 2, 7, 31, 1000, i32::MAX - 1, i32::MAX];
    let ops = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::Min,
        BinOp::Max,
        BinOp::And,
        BinOp::Shl,
        BinOp::ShrU,
        BinOp::ShrS,
    ];
    let mut narrower = 0;
    for op in ops {
        for (i, &low) in ends.iter().enumerate() {
            for &high in &ends[i..] {
                for by in ends {
                    let text = format!(
                        "
device @f(%0: i32) -> i32 {{
bb0:
  %1 = max.i32 %0, {low}
  %2 = min.i32 %1, {high}
  %3 = {}.i32 %2, {by}
  return %3
}}",
                        op.mnemonic()
                    );
                    let module = parse(&text);
                    let (least, most) = at(&module.funcs[0], 1 << 30, 0, 3);
                    narrower += usize::from((least, most) != ALL);
                    for a in ends.into_iter().filter(|a| (low..=high).contains(a)) {
                        let word = |n: i32| u64::from(n as u32);
                        let found = bits::signed(Ty::I32, eval::eval_bin(op, Ty::I32, word(a), word(by)));
                        assert!((least..=most).contains(&found), "{a} {op} {by} = {found}, not {least}..={most}");
                    }
                }
            }
        }
    }
    assert!(narrower > 5000, "only {narrower} ranges say anything");
}
