//! Every operation gives what the evaluator gives, with each instruction set, in all lanes and in a part of them, whether its
//! operands differ by lane or are the same for all.

use crate::support::{ONE_WARP, context};
use fastrand::Rng;
use ir::eval;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use ir::{FuncId, Ty};
use mem::Memory;
use mem::address::Region;
use scalar::bits;
use source::Span;
use std::sync::Arc;
use vm::{Arg, InstructionSet, Stop, Warp, WindowTable};

const TYPES: [Ty; 7] = [Ty::Pred, Ty::I8, Ty::I16, Ty::I32, Ty::I64, Ty::F32, Ty::F64];

/// A value of a type: often one at the edge of something.
fn value(rng: &mut Rng, ty: Ty) -> u64 {
    let raw = rng.u64(..);
    let word = match (ty, rng.u64(..4)) {
        (Ty::F32, 0) => u64::from(
            [
                0.0,
                -0.0,
                1.0,
                -1.5,
                f32::MAX,
                f32::MIN_POSITIVE,
                f32::INFINITY,
                f32::NAN,
                1e-42,
                2.5e9,
                16_777_217.0,
                0.5,
            ][rng.usize(..12)]
            .to_bits(),
        ),
        (Ty::F32, 1) => u64::from((rng.u64(..4000) as f32 / 16.0 - 100.0).to_bits()),
        (Ty::F64, 0) => [0.0, -0.0, 1.0, -1.5, f64::MAX, 2.3e-308, f64::NEG_INFINITY, f64::NAN, 5e-324, 1e19, 3e9, 0.5]
            [rng.usize(..12)]
        .to_bits(),
        (Ty::F64, 1) => (rng.u64(..4000) as f64 / 16.0 - 100.0).to_bits(),
        (_, 0) => [0, 1, 2, 31, 32, 63, 64, u64::MAX, 1 << 31, 1 << 63, 0x7fff_ffff, 255][rng.usize(..12)],
        (_, 1) => rng.u64(..100).wrapping_sub(50),
        _ => raw,
    };
    if ty == Ty::Pred { word & 1 } else { bits::canonical(ty, word) }
}

/// A kernel that applies an operation to its operands, which lie 8 bytes apart by lane, or are those of lane 0.
struct Case {
    text: String,
    from: Vec<Ty>,
    to: Ty,
    expected: Box<dyn Fn(&[u64]) -> u64>,
}

fn case(name: &str, from: &[Ty], to: Ty, shared: bool, expected: impl Fn(&[u64]) -> u64 + 'static) -> Case {
    let mut text = "kernel @k(%0: i64, %1: i64, %2: i64, %3: i64) {\nbb0:\n  %4 = special.laneid\n".to_owned();
    text += "  %5 = cvt.cast.i64.i32 %4\n  %6 = shl.i64 %5, 3\n";
    let mut operands = Vec::new();
    for (i, &ty) in from.iter().enumerate() {
        let (at, n) = (10 + 4 * i, 11 + 4 * i);
        text += &if shared { format!("  %{at} = add.i64 %{i}, 0\n") } else { format!("  %{at} = add.i64 %{i}, %6\n") };
        if ty == Ty::Pred {
            text += &format!("  %{n} = load.global.i32 [%{at}]\n  %{} = cmp.ne.i32 %{n}, 0\n", n + 1);
            operands.push(format!("%{}", n + 1));
        } else {
            text += &format!("  %{n} = load.global.{ty} [%{at}]\n");
            operands.push(format!("%{n}"));
        }
    }
    text += &format!("  %30 = {name} {}\n  %31 = add.i64 %3, %6\n", operands.join(", "));
    text += &match to {
        Ty::Pred => "  %32 = cvt.p2i.i32.pred %30\n  store.global.i32 [%31], %32\n".to_owned(),
        _ => format!("  store.global.{to} [%31], %30\n"),
    };
    text += "  return\n}";
    Case { text, from: from.to_vec(), to, expected: Box::new(expected) }
}

fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    for shared in [false, true] {
        for ty in TYPES {
            for &op in UnOp::ALL.iter().filter(|op| op.class().has(ty)) {
                let name = format!("{}.{ty}", op.mnemonic());
                out.push(case(&name, &[ty], ty, shared, move |v| eval::eval_un(op, ty, v[0])));
            }
            for &op in BinOp::ALL.iter().filter(|op| op.class().has(ty)) {
                let name = format!("{}.{ty}", op.mnemonic());
                out.push(case(&name, &[ty, ty], ty, shared, move |v| eval::eval_bin(op, ty, v[0], v[1])));
            }
            for &op in TriOp::ALL.iter().filter(|op| op.class().has(ty)) {
                let name = format!("{}.{ty}", op.mnemonic());
                out.push(case(&name, &[ty, ty, ty], ty, shared, move |v| eval::eval_tri(op, ty, v[0], v[1], v[2])));
            }
            for &op in CmpOp::ALL.iter().filter(|op| op.class().has(ty)) {
                let name = format!("cmp.{}.{ty}", op.mnemonic());
                let holds = move |v: &[u64]| u64::from(eval::eval_cmp(op, ty, v[0], v[1]));
                out.push(case(&name, &[ty, ty], Ty::Pred, shared, holds));
            }
            let chosen = |v: &[u64]| if v[0] != 0 { v[1] } else { v[2] };
            out.push(case(&format!("select.{ty}"), &[Ty::Pred, ty, ty], ty, shared, chosen));
            for to in TYPES {
                for &op in CvtOp::ALL {
                    let name = format!("cvt.{}.{to}.{ty}", op.mnemonic());
                    out.push(case(&name, &[ty], to, shared, move |v| eval::eval_cvt(op, ty, to, v[0])));
                }
            }
        }
    }
    out
}

#[test]
fn every_instruction_set_gives_what_the_evaluator_gives() {
    let mut rng = Rng::with_seed(5);
    let mut checked = 0;
    // Miri takes a part of them.
    for case in cases().into_iter().step_by(if cfg!(miri) { 397 } else { 1 }) {
        let Ok(module) = ir::parse::module(&case.text) else { continue };
        // Not every operation goes with every pair of types.
        if !ir::verify::module(&module).is_empty() {
            continue;
        }
        checked += 1;
        let is_shared = case.text.contains("add.i64 %0, 0");
        let mut program = vm::compile(Arc::new(module), Vec::new()).unwrap();
        let operands: Vec<[u64; 32]> =
            case.from.iter().map(|&ty| std::array::from_fn(|_| value(&mut rng, ty))).collect();
        for set in InstructionSet::available() {
            for mask in [u32::MAX, 0x07ff_ffff, 0x8421_a5f0] {
                program.set_instruction_set(set);
                program.set_engine(vm::Engine::Interpreter);
                let mut memory = Memory::new();
                let mut place = |words: &[u64; 32]| {
                    let at = memory.alloc(Region::Device(0), 256, "words", Span::NONE).unwrap();
                    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                    memory.write(at, &bytes).unwrap();
                    at
                };
                let mut args: Vec<Arg> =
                    (0..3).map(|i| Arg::Bits(place(operands.get(i).unwrap_or(&[0; 32])))).collect();
                let out = place(&[u64::MAX / 3; 32]);
                args.push(Arg::Bits(out));
                let mut warp: Warp<32> = Warp::new(&program, 0, mask, FuncId(0), &args);
                let mut windows = WindowTable::default();
                let mut ctx = context(&mut memory, &mut [], &mut windows, ONE_WARP, u64::MAX);
                assert_eq!(warp.run(&program, &mut ctx, None), Stop::Done, "{}", case.text);
                let mut bytes = [0; 256];
                memory.read(out, &mut bytes).unwrap();
                for lane in 0..32 {
                    let mut word = [0; 8];
                    word.copy_from_slice(&bytes[8 * lane..8 * lane + 8]);
                    let from = if is_shared { 0 } else { lane };
                    let values: Vec<u64> = operands.iter().map(|o| o[from]).collect();
                    let mut expected = u64::MAX / 3;
                    if mask >> lane & 1 != 0 {
                        let (result, ty) = match case.to {
                            Ty::Pred => (((case.expected)(&values) & 1).wrapping_neg(), Ty::I32),
                            ty => ((case.expected)(&values), ty),
                        };
                        let ones = if ty.bytes() == 8 { u64::MAX } else { (1 << (8 * ty.bytes())) - 1 };
                        expected = expected & !ones | result & ones;
                    }
                    let found = u64::from_le_bytes(word);
                    assert_eq!(found, expected, "{set:?}, lane {lane} of {mask:#x}, {values:x?}\n{}", case.text);
                }
            }
        }
    }
    assert!(cfg!(miri) || checked > 250, "only {checked} operations");
}
