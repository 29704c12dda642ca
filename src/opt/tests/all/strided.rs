//! Loops whose step is known at run time only: what two iterations at a time look like, that they are the same iterations, and
//! what is computed again behind a loop.

use crate::gpu_loops::{STRIDED, after, body};
use ir::lane::{End, Lane};
use ir::{FuncId, Module};

/// A kernel in which the threads of a grid take turns at the elements of an array, with shared memory.
fn strided() -> String {
    STRIDED.replace("bb0:", "  shared s0 \"part\" bytes 4 align 4 element 4\nbb0:")
}

#[test]
fn two_iterations_load_together() {
    expect_test::expect![[r#"
        bb0:
          %5 = special.tid.x
          %6 = add.i32 %5, 1
          %7 = special.ctaid.x
          %8 = special.ntid.x
          %9 = mul.i32 %7, %8
          %10 = add.i32 %6, %9
          %11 = special.nctaid.x
          %12 = mul.i32 %11, %8
          %3 = mov.i32 %10
          %31 = sub.i32 %2, %10
          %32 = div.i32 %31, %12
          %22 = cmp.le.i32 %10, %2
          %30 = mov.i32 %32
          branch %22, bb3, bb2
        bb1:
          %23 = cvt.cast.i64.i32 %3
          %24 = shl.i64 %23, 2
          %25 = add.i64 %0, %24
          %26 = load.global.i32 [%25-4]
          %41 = add.i32 %3, %12
          %42 = cmp.ge.u.i32 %2, %41
          branch %42, bb5, bb6
        bb2:
          return
        bb3:
          %33 = load.global.i32 [%1]
          jump bb1
        bb4:
          store.global.i32 [%1], %33
          jump bb2
        bb5:
          %34 = cvt.cast.i64.i32 %41
          %35 = shl.i64 %34, 2
          %36 = add.i64 %0, %35
          %37 = load.global.i32 [%36-4]
          jump bb6
        bb6:
          %27 = mov.i32 %33
          %28 = add.i32 %27, %26
          %33 = mov.i32 %28
          %3 = add.i32 %3, %12
          branch %42, bb7, bb4
        bb7:
          %38 = mov.i32 %33
          %39 = add.i32 %38, %37
          %33 = mov.i32 %39
          %3 = add.i32 %3, %12
          %43 = cmp.ge.u.i32 %2, %3
          branch %43, bb1, bb4
        }"#]]
    .assert_eq(&body(&strided(), "pair-iterations"));
}

#[test]
fn a_loop_that_may_write_what_it_reads_counts_its_iterations() {
    let pairs = |text: &str| body(text, "pair-iterations").contains("cmp.ge.u.i32");
    let with = |from: &str, to: &str| {
        assert!(STRIDED.contains(from));
        pairs(&strided().replace(from, to))
    };
    assert!(pairs(&strided()));
    assert!(!pairs(STRIDED), "more loads at a time are faster");
    assert!(pairs(&STRIDED.replace(
        "%28 = add.i32 %27, %26",
        "%40 = cvt.cast.f32.i32 %26\n  %41 = sqrt.f32 %40\n  %42 = cvt.cast.i32.f32 %41\n  %28 = add.i32 %27, %42"
    )));
    let load = "load.global.i32 [%25-4]";
    assert!(!with("%0: i64 unaliased", "%0: i64"), "the elements may be the sum");
    assert!(!with(load, &format!("{load}\n  store.global.i32 [%25-4], 1")), "the elements are written");
    assert!(!with(load, "load.global.i32.volatile [%25-4]"));
    assert!(!with("%6 = add.i32 %5, 1", "%6 = add.i32 %5, -1"), "the index may be negative");
    assert!(!with("%3 = add.i32 %3, %12", "%3 = add.i32 %3, %11"), "the index has another step");
    assert!(!with("%3 = mov.i32 %10", "%3 = mov.i32 %6"), "the index begins elsewhere");
    assert!(!with(load, &format!("{load}\n  barrier.sync")));
}

/// `do i = first, last, step` that adds up the elements of an array which has as many as `mask` says, each with its index; it
/// leaves the sum, the number of iterations, and the index behind the loop.
const SUMS: &str = "
kernel @k(%0: i64 unaliased, %1: i64 unaliased, %2: i32, %3: i32, %4: i32) {
  reg %5 i32 mutable
  reg %6 i64 mutable
  reg %7 i32 mutable
  reg %8 i32 mutable
  shared s0 \"part\" bytes 4 align 4 element 4
bb0:
  %9 = and.i32 %3, 2147483647
  %10 = and.i32 %4, 1073741823
  %11 = add.i32 %10, 1
  %12 = cvt.cast.i64.i32 %9
  %13 = cvt.cast.i64.i32 %2
  %14 = cvt.cast.i64.i32 %11
  %5 = mov.i32 %9
  %7 = mov.i32 0
  %8 = mov.i32 0
  %15 = sub.i64 %13, %12
  %16 = add.i64 %15, %14
  %17 = div.i64 %16, %14
  %18 = max.i64 %17, 0
  %19 = add.i64 %18, -1
  %20 = cmp.gt.i64 %18, 0
  %6 = mov.i64 %19
  branch %20, bb1, bb2
bb1:
  %21 = and.i32 %5, 31
  %22 = cvt.cast.i64.i32 %21
  %23 = mad.i64 %22, 4, %0
  %24 = load.global.i32 [%23]
  %7 = add.i32 %7, %24
  %8 = add.i32 %8, 1
  %25 = xor.i32 %7, %5
  %7 = mov.i32 %25
  %5 = add.i32 %5, %11
  %26 = cmp.ne.i64 %6, 0
  %6 = add.i64 %6, -1
  branch %26, bb1, bb2
bb2:
  store.global.i32 [%1], %7
  store.global.i32 [%1+4], %8
  store.global.i32 [%1+8], %5
  return
}";

#[test]
fn two_iterations_at_a_time_are_the_same_iterations() {
    let run = |module: &Module, [first, last, step]: [i32; 3]| {
        let mut lane = Lane::new(module);
        let (elements, results) = (lane.memory.alloc(128, 8), lane.memory.alloc(12, 8));
        for i in 0..32 {
            lane.memory.write(elements + 4 * i, ir::Ty::I32, (i * i + 7) * 0x0101_0101).unwrap();
        }
        let words = [last, first, step].map(|word| u64::from(word as u32));
        let args = [elements, results, words[0], words[1], words[2]];
        match lane.run(FuncId(0), &args) {
            Ok(End::Returned(_)) => lane.memory.bytes(results).unwrap().to_vec(),
            other => panic!("{other:?}"),
        }
    };
    let before = ir::parse::module(SUMS).unwrap();
    let now = after(SUMS, "rematerialize", opt::Target::default());
    assert!(!ir::print::module(&now, false).contains("div"), "{}", ir::print::module(&now, false));
    let near = [0, 1, 2, 3, 5, 31, 64, 1000, 2000];
    let far = [1 << 29, (1 << 30) - 1, i32::MAX - 1, i32::MAX];
    for (first, last) in near.into_iter().flat_map(|a| near.into_iter().chain([-1, -5]).map(move |b| (a, b))) {
        for step in near.into_iter().chain(far) {
            assert_eq!(run(&now, [first, last, step]), run(&before, [first, last, step]), "{first} {last} {step}");
        }
    }
    for (first, last) in near.into_iter().chain(far).flat_map(|a| far.into_iter().map(move |b| (a, b))) {
        for step in [1 << 24, (1 << 28) + 5, 1 << 29, (1 << 30) - 2, (1 << 30) - 1] {
            assert_eq!(run(&now, [first, last, step]), run(&before, [first, last, step]), "{first} {last} {step}");
        }
    }
}

/// A kernel whose loop does not read the address that is stored to before and behind it.
const ROUND: &str = "
kernel @k(%0: i64 unaliased, %1: i64 unaliased, %2: i32) {
  reg %3 i32 mutable
  reg %4 f32 mutable
bb0:
  %5 = special.tid.x
  %6 = cvt.cast.i64.i32 %5
  %7 = mad.i64 %6, 4, %1
  store.global.f32 [%7], 0.0
  %3 = mov.i32 %2
  %4 = mov.f32 0.0
  %8 = cmp.gt.i32 %2, 0
  branch %8, bb1, bb2
bb1:
  %9 = cvt.cast.i64.i32 %3
  %10 = mad.i64 %9, 4, %0
  %11 = load.global.f32 [%10]
  %12 = sqrt.f32 %11
  %4 = add.f32 %4, %12
  %13 = shr.s.i32 %3, 1
  %3 = mov.i32 %13
  %14 = cmp.ne.i32 %3, 0
  branch %14, bb1, bb2
bb2:
  store.global.f32 [%7+4], %4
  %15 = cmp.eq.i32 %5, 0
  branch %15, bb3, bb4
bb3:
  store.global.f32 [%0], %4
  jump bb4
bb4:
  return
}";

#[test]
fn an_address_is_computed_again_behind_a_loop() {
    expect_test::expect![[r#"
        bb0:
          %5 = special.tid.x
          %6 = cvt.cast.i64.i32 %5
          %7 = mad.i64 %6, 4, %1
          store.global.f32 [%7], 0.0
          %3 = mov.i32 %2
          %4 = mov.f32 0.0
          %8 = cmp.gt.i32 %2, 0
          branch %8, bb1, bb2
        bb1:
          %9 = cvt.cast.i64.i32 %3
          %10 = mad.i64 %9, 4, %0
          %11 = load.global.f32 [%10]
          %12 = sqrt.f32 %11
          %4 = add.f32 %4, %12
          %13 = shr.s.i32 %3, 1
          %3 = mov.i32 %13
          %14 = cmp.ne.i32 %13, 0
          branch %14, bb1, bb2
        bb2:
          %16 = special.tid.x
          %17 = cvt.cast.i64.i32 %16
          %18 = mad.i64 %17, 4, %1
          store.global.f32 [%18+4], %4
          %15 = cmp.eq.i32 %16, 0
          branch %15, bb3, bb4
        bb3:
          store.global.f32 [%0], %4
          jump bb4
        bb4:
          return
        }"#]]
    .assert_eq(&body(ROUND, "rematerialize"));
}

#[test]
fn what_a_loop_reads_or_what_takes_long_is_kept() {
    let addresses = |from: &str, to: &str| {
        assert!(ROUND.contains(from));
        body(&ROUND.replace(from, to), "rematerialize").matches(", 4, %1\n").count()
    };
    assert_eq!(addresses("store", "store"), 2);
    assert_eq!(addresses("%11 = load.global.f32 [%10]", "%11 = load.global.f32 [%7]"), 1, "the loop reads it");
    assert_eq!(addresses("%7 = mad.i64 %6, 4, %1", "%16 = div.i64 %6, 7\n  %7 = mad.i64 %16, 4, %1"), 1, "a quotient");
    // The base is another one behind the loop.
    let changed = ROUND.replace("  reg %3 i32 mutable", "  reg %1 i64 mutable\n  reg %3 i32 mutable");
    let changed = changed.replace("%3 = mov.i32 %13", "%3 = mov.i32 %13\n  %1 = add.i64 %1, 4");
    let changed = body(&changed.replace("%10 = mad.i64 %9, 4, %0", "%10 = mad.i64 %9, 4, %1"), "rematerialize");
    assert_eq!(changed.matches("mad.i64").count(), 2, "{changed}");
}
