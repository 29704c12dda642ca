//! Registers that are never live together share rows; what a variable holds stays where a debugger finds it.

use crate::support::{ONE_WARP, compile, context};
use ir::FuncId;
use mem::Memory;
use mem::address::Region;
use source::Span;
use std::fmt::Write;
use vm::{Arg, Program, Stop, Warp, WindowTable};

/// Runs a kernel whose argument is an array of one word a thread.
fn run(program: &Program, budget: u64) -> (Vec<u32>, Warp<32>) {
    let mut memory = Memory::new();
    let out = memory.alloc(Region::Device(0), 128, "out", Span::NONE).unwrap();
    memory.write(out, &[0; 128]).unwrap();
    let mut warp: Warp<32> = Warp::new(program, 0, u32::MAX, FuncId(0), &[Arg::Bits(out)]);
    while {
        let mut windows = WindowTable::default();
        let mut ctx = context(&mut memory, &mut [], &mut windows, ONE_WARP, budget);
        match warp.run(program, &mut ctx, None) {
            Stop::Budget => true,
            Stop::Done => false,
            other => panic!("{other:?}"),
        }
    } {}
    let mut bytes = [0; 128];
    memory.read(out, &mut bytes).unwrap();
    (bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect(), warp)
}

/// A kernel that adds `1` to the thread's index `steps` times, each time into another register; lanes above 15 subtract.
fn chain(steps: u32) -> String {
    let mut text = String::from(
        "type t0 \"integer(4)\" bytes 4 integer\nkernel @k(%0: i64 \"out\") {\n  reg %2 i32 mutable\n  \
         reg %3 i32 mutable\n  var v0 \"seen\" t0 scalar reg %2 source 1\nbb0:\n  %1 = special.tid.x\n  %2 = mov.i32 %1\n  \
         %4 = cmp.lt.i32 %1, 16\n  branch %4, bb1, bb2\n",
    );
    let mut next = 10;
    for (block, op) in [(1, "add"), (2, "sub")] {
        let _ = writeln!(text, "bb{block}:");
        let mut last = 1;
        for _ in 0..steps {
            let _ = writeln!(text, "  %{next} = {op}.i32 %{last}, %{}", if last == 1 { 1 } else { last - 1 });
            let _ = writeln!(text, "  %{} = {op}.i32 %{next}, 1", next + 1);
            last = next + 1;
            next += 2;
        }
        let _ = writeln!(text, "  %3 = mov.i32 %{last}\n  jump bb3");
    }
    text.push_str(
        "bb3:\n  %5 = cvt.cast.i64.i32 %1\n  %6 = mad.i64 %5, 4, %0\n  store.global.i32 [%6], %3\n  \
         %7 = load.global.i32 [%6]\n  store.global.i32 [%6], %7\n  exit\n}\n",
    );
    text
}

#[test]
fn registers_that_are_not_live_together_share_rows() {
    // Miri takes a shorter chain.
    let steps = if cfg!(miri) { 8 } else { 60 };
    let (short, long) = (compile(&chain(3)), compile(&chain(steps)));
    let words = |p: &Program| p.frame_rows(FuncId(0))[1];
    assert_eq!(words(&short), words(&long));
    assert!(words(&long) < 16, "{} rows of words", words(&long));
    assert!(long.register_words(FuncId(0)) > 4 * steps, "virtual registers are counted as before");
    let step = |x: u32, before: u32, sign: bool| {
        let op = |a: u32, b: u32| if sign { a.wrapping_add(b) } else { a.wrapping_sub(b) };
        let first = op(x, before);
        (op(first, 1), first)
    };
    let expected: Vec<u32> =
        (0..32).map(|lane| (0..steps).fold((lane, lane), |(x, before), _| step(x, before, lane < 16)).0).collect();
    for budget in [u64::MAX, 1] {
        assert_eq!(run(&long, budget).0, expected);
    }
}

/// The lanes that leave a loop early keep what they hold, though others go on in it and beyond.
#[test]
fn lanes_that_have_parted_keep_their_values() {
    let text = r#"
type t0 "integer(4)" bytes 4 integer
kernel @k(%0: i64 "out") {
  reg %2 i32 mutable
  reg %3 i32 mutable
  var v0 "n" t0 scalar reg %2 source 1
bb0:
  %1 = special.tid.x
  %2 = mov.i32 %1
  %3 = mov.i32 0
  %9 = mul.i32 %1, 7
  jump bb1
bb1:
  %4 = cmp.ge.i32 %3, %1
  branch %4, bb3, bb2
bb2:
  %5 = mul.i32 %3, 3
  %6 = add.i32 %5, %9
  %2 = add.i32 %2, %6
  %3 = add.i32 %3, 1
  backedge
  jump bb1
bb3:
  %7 = cvt.cast.i64.i32 %1
  %8 = mad.i64 %7, 4, %0
  store.global.i32 [%8], %2
  exit
}
"#;
    let program = compile(text);
    let expected: Vec<u32> = (0..32u32).map(|t| t + (0..t).map(|i| 3 * i + 7 * t).sum::<u32>()).collect();
    for budget in [u64::MAX, 3, 1] {
        let (words, _) = run(&program, budget);
        assert_eq!(words, expected, "budget {budget}");
    }
    let mut exact = program.clone();
    exact.set_materialise_all(true);
    assert_eq!(run(&exact, u64::MAX).0, expected);
}
