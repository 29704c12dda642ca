//! Each operation that the compiler knows, with each type, against the evaluator.

use crate::frame::{TestFrame, class, empty, instruction_sets, routine};
use ir::Ty;
use ir::eval::eval_cvt;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use jit::{Class, InstructionSet, Out, Value};

/// The lowest bits of a word, which a type has.
fn canonical(ty: Ty, word: u64) -> u64 {
    eval_cvt(CvtOp::Bits, ty, ty, word)
}

/// The value of a slot of a type.
fn slot(ty: Ty, number: u32) -> Value {
    match class(ty) {
        Class::Pred => Value::Pred(number),
        Class::Long => Value::Long(number),
        _ => Value::Word(number),
    }
}

/// Compares an operation on rows of these types; the last value is the result.
fn compare(set: InstructionSet, operands: &[Ty], value: Value, result: Ty, rng: &mut fastrand::Rng) {
    let mut segment = empty();
    segment.values = operands.iter().enumerate().map(|(i, &ty)| slot(ty, i as u32)).collect();
    segment.values.push(value);
    let last = segment.values.len() as u32 - 1;
    segment.outs.push(Out { class: class(result), slot: 5, value: last });
    // And with the result in the place of an operand.
    if operands[0] == result {
        segment.outs.push(Out { class: class(result), slot: 0, value: last });
    }
    let routine = routine(segment);
    for _ in 0..12 {
        let mut got = TestFrame::new(rng);
        // Narrow integers are zero-extended.
        for (row, ty) in got.words.iter_mut().zip(operands) {
            row.iter_mut().for_each(|word| *word = canonical(*ty, u64::from(*word)) as u32);
        }
        let mut expected = got.clone();
        let before = got.clone();
        got.run(&routine, set).unwrap_or_else(|e| panic!("{value:?} with {set:?}: {e:?}"));
        assert!(expected.reference(&routine.segments[0]));
        if got != expected {
            for i in (0..32).filter(|i| got.mask >> i & 1 != 0) {
                let of = |f: &TestFrame| match class(result) {
                    Class::Pred => u64::from(f.preds[5] >> i & 1),
                    Class::Long => f.longs[5][i],
                    _ => u64::from(f.words[5][i]),
                };
                let operand = |n: usize| match class(operands[n]) {
                    Class::Pred => u64::from(before.preds[n] >> i & 1),
                    Class::Long => before.longs[n][i],
                    _ => u64::from(before.words[n][i]),
                };
                let shown: Vec<String> = (0..operands.len()).map(|n| format!("{:#x}", operand(n))).collect();
                assert_eq!(
                    of(&got),
                    of(&expected),
                    "{value:?} with {set:?} of {shown:?}, lane {i}: {:#x} {:#x}",
                    of(&got),
                    of(&expected)
                );
            }
            panic!("{value:?}: what does not run was changed");
        }
    }
}

#[test]
fn every_operation_on_rows_gives_what_the_evaluator_gives() {
    instruction_sets().into_iter().for_each(check_rows);
}

fn check_rows(set: InstructionSet) {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut count = 0;
    let mut check = |operands: &[Ty], value: Value, result: Ty| {
        if jit::is_known(&value) {
            count += 1;
            compare(set, operands, value, result, &mut rng);
        }
    };
    for ty in Ty::ALL {
        for &op in UnOp::ALL.iter().filter(|op| op.class().has(ty)) {
            check(&[ty], Value::Un(op, ty, 0), ty);
        }
        for &op in BinOp::ALL.iter().filter(|op| op.class().has(ty)) {
            check(&[ty, ty], Value::Bin(op, ty, 0, 1), ty);
            check(&[ty], Value::Bin(op, ty, 0, 0), ty);
        }
        for &op in TriOp::ALL.iter().filter(|op| op.class().has(ty)) {
            check(&[ty, ty, ty], Value::Tri(op, ty, 0, 1, 2), ty);
            check(&[ty, ty], Value::Tri(op, ty, 0, 0, 1), ty);
            check(&[ty, ty], Value::Tri(op, ty, 0, 1, 0), ty);
        }
        for &op in CmpOp::ALL.iter().filter(|op| op.class().has(ty)) {
            if !(ty.is_real() && matches!(op, CmpOp::LtU | CmpOp::GeU)) {
                check(&[ty, ty], Value::Cmp(op, ty, 0, 1), Ty::Pred);
            }
        }
        for to in Ty::ALL {
            for &op in CvtOp::ALL {
                check(&[ty], Value::Cvt(op, ty, to, 0), to);
            }
        }
        check(&[Ty::Pred, ty, ty], Value::Select(class(ty), 0, 1, 2), ty);
    }
    assert!(count > 130, "{count} operations");
}

#[test]
fn every_operation_on_scalars_gives_what_the_evaluator_gives() {
    instruction_sets().into_iter().for_each(check_scalars);
}

fn check_scalars(set: InstructionSet) {
    let mut rng = fastrand::Rng::with_seed(2);
    let mut all = Vec::new();
    for ty in Ty::ALL {
        all.extend(UnOp::ALL.iter().map(|&op| (Value::ScalarUn(op, ty, 2), ty)));
        all.extend(BinOp::ALL.iter().map(|&op| (Value::ScalarBin(op, ty, 2, 3), ty)));
        all.extend(TriOp::ALL.iter().map(|&op| (Value::ScalarTri(op, ty, 2, 3, 2), ty)));
        all.extend(CmpOp::ALL.iter().map(|&op| (Value::ScalarCmp(op, ty, 2, 3), ty)));
        all.extend(
            Ty::ALL.iter().flat_map(|&to| CvtOp::ALL.iter().map(move |&op| (Value::ScalarCvt(op, ty, to, 2), ty))),
        );
    }
    all.retain(|(value, _)| jit::is_known(value));
    assert!(all.len() > 60, "{} operations", all.len());
    for (value, ty) in all {
        for _ in 0..20 {
            let mut frame = TestFrame::new(&mut rng);
            // Scalars are canonical words of their type.
            frame.scalars.iter_mut().for_each(|s| *s = canonical(ty, *s));
            let mut segment = empty();
            segment.values = vec![Value::Scalar(4), Value::Scalar(5), Value::Scalar(0), Value::Scalar(1), value];
            segment.outs.push(Out { class: Class::Scalar, slot: 7, value: 4 });
            // Two scalars change places.
            segment.outs.push(Out { class: Class::Scalar, slot: 4, value: 1 });
            segment.outs.push(Out { class: Class::Scalar, slot: 5, value: 0 });
            let routine = routine(segment);
            let mut expected = frame.clone();
            let before = frame.clone();
            frame.run(&routine, set).unwrap_or_else(|e| panic!("{value:?} with {set:?}: {e:?}"));
            assert!(expected.reference(&routine.segments[0]));
            assert_eq!(
                frame.scalars, expected.scalars,
                "{value:?} of {:#x} {:#x}",
                before.scalars[0], before.scalars[1]
            );
            assert!(frame == expected);
        }
    }
}
