//! Passes for a GPU that change what loops count and where they keep what they add up: what each leaves behind it, and that loops
//! have the iterations that they had.

use ir::lane::{End, Lane};
use ir::{FuncId, Module};

/// The module after the last run of a pass for a GPU.
pub(crate) fn after(text: &str, pass: &str, target: opt::Target) -> Module {
    let mut module = ir::parse::module(text).unwrap();
    assert_eq!(ir::verify::module(&module), []);
    let mut found = None;
    opt::run_for_gpu_observed(&mut module, target, &mut |name, now| {
        assert_eq!(ir::verify::module(now), [], "after {name}");
        if name == pass {
            found = Some(now.clone());
        }
    });
    found.unwrap()
}

/// The text of the blocks of its first function.
pub(crate) fn body(text: &str, pass: &str) -> String {
    let module = after(text, pass, opt::Target::default());
    let text = ir::print::function(&module, &module.funcs[0], false);
    text.lines().skip_while(|l| !l.starts_with("bb0")).collect::<Vec<_>>().join("\n")
}

/// A kernel in which the threads of a grid take turns at the elements of an array, as lowering makes it.
pub(crate) const STRIDED: &str = "
kernel @k(%0: i64 unaliased, %1: i64 unaliased, %2: i32) {
  reg %3 i32 mutable
  reg %4 i64 mutable
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
  %13 = cvt.cast.i64.i32 %10
  %14 = cvt.cast.i64.i32 %2
  %15 = cvt.cast.i64.i32 %12
  %16 = cmp.eq.i64 %15, 0
  branch %16, bb1, bb2
bb1:
  trap zero_step
bb2:
  %17 = sub.i64 %14, %13
  %18 = add.i64 %17, %15
  %19 = div.i64 %18, %15
  %20 = max.i64 %19, 0
  %21 = add.i64 %20, -1
  %22 = cmp.gt.i64 %20, 0
  %4 = mov.i64 %21
  branch %22, bb3, bb4
bb3:
  %23 = cvt.cast.i64.i32 %3
  %24 = shl.i64 %23, 2
  %25 = add.i64 %0, %24
  %26 = load.global.i32 [%25-4]
  %27 = load.global.i32 [%1]
  %28 = add.i32 %27, %26
  store.global.i32 [%1], %28
  %3 = add.i32 %3, %12
  %29 = cmp.ne.i64 %4, 0
  %4 = add.i64 %4, -1
  branch %29, bb3, bb4
bb4:
  return
}";

#[test]
fn the_step_of_a_grid_is_not_zero_unless_a_grid_may_have_too_many_threads() {
    let text = |target| ir::print::module(&after(STRIDED, "range-facts", target), false);
    let exact = opt::Target::default();
    assert!(text(exact).contains("%16 = mov.pred false"), "{}", text(exact));
    let any = opt::Target { threads: u64::MAX, ..exact };
    assert!(text(any).contains("%16 = cmp.eq"), "{}", text(any));
}

#[test]
fn a_loop_of_32_bit_integers_counts_in_32_bits() {
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
          %13 = cvt.cast.i64.i32 %10
          %14 = cvt.cast.i64.i32 %2
          %15 = cvt.cast.i64.i32 %12
          %16 = mov.pred false
          %17 = sub.i64 %14, %13
          %18 = add.i64 %17, %15
          %19 = div.i64 %18, %15
          %20 = max.i64 %19, 0
          %31 = sub.i32 %2, %10
          %32 = div.i32 %31, %12
          %21 = add.i64 %20, -1
          %22 = cmp.le.i32 %10, %2
          %30 = mov.i32 %32
          branch %22, bb1, bb2
        bb1:
          %23 = cvt.cast.i64.i32 %3
          %24 = shl.i64 %23, 2
          %25 = add.i64 %0, %24
          %26 = load.global.i32 [%25-4]
          %27 = load.global.i32 [%1]
          %28 = add.i32 %27, %26
          store.global.i32 [%1], %28
          %3 = add.i32 %3, %12
          %29 = cmp.ne.i32 %30, 0
          %30 = add.i32 %30, -1
          branch %29, bb1, bb2
        bb2:
          return
        }"#]]
    .assert_eq(&body(STRIDED, "narrow-counts"));
}

#[test]
fn a_sum_in_memory_is_kept_in_a_register_for_the_time_of_the_loop() {
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
          %27 = mov.i32 %33
          %28 = add.i32 %27, %26
          %33 = mov.i32 %28
          %3 = add.i32 %3, %12
          %29 = cmp.ne.i32 %30, 0
          %30 = add.i32 %30, -1
          branch %29, bb1, bb4
        bb2:
          return
        bb3:
          %33 = load.global.i32 [%1]
          jump bb1
        bb4:
          store.global.i32 [%1], %33
          jump bb2
        }"#]]
    .assert_eq(&body(STRIDED, "promote-in-loops"));
}

#[test]
fn a_sum_in_memory_stays_there_if_somebody_may_look() {
    let stores_in_loop = |text: &str| {
        let module = after(text, "promote-in-loops", opt::Target::default());
        let f = &module.funcs[0];
        let is_in_loop = |b: usize| f.blocks[b].term.successors().contains(&ir::Bb(b as u32));
        (0..f.blocks.len())
            .any(|b| is_in_loop(b) && f.blocks[b].insts.iter().any(|i| matches!(i.kind, ir::InstKind::Store { .. })))
    };
    let store = "store.global.i32 [%1], %28";
    let with = |from: &str, to: &str| {
        assert!(STRIDED.contains(from));
        stores_in_loop(&STRIDED.replace(from, to))
    };
    assert!(!stores_in_loop(STRIDED));
    assert!(with("%0: i64 unaliased", "%0: i64"), "the elements may be the sum");
    assert!(with(store, &format!("{store}\n  barrier.sync")));
    assert!(with(store, &format!("{store}\n  fence.device")));
    assert!(with(store, "store.global.i32.volatile [%1], %28"));
    assert!(with(store, &format!("{store}\n  store.global.i32 [%1+2], 1")), "a part of it is stored to");
}

/// `do i = first, last, step` that counts its iterations, with the values of `i` added up.
fn counted(first: &str, last: &str, step: i64) -> String {
    format!(
        "
device @f(%0: i32, %1: i32) -> i32, i32 {{
  reg %2 i32 mutable
  reg %3 i64 mutable
  reg %4 i32 mutable
  reg %5 i32 mutable
bb0:
  %6 = and.i32 %0, 1023
  %7 = cvt.cast.i64.i32 {first}
  %8 = cvt.cast.i64.i32 {last}
  %2 = mov.i32 {first}
  %4 = mov.i32 0
  %5 = mov.i32 0
  %9 = sub.i64 %8, %7
  %10 = add.i64 %9, {step}
  %11 = div.i64 %10, {step}
  %12 = max.i64 %11, 0
  %13 = add.i64 %12, -1
  %14 = cmp.gt.i64 %12, 0
  %3 = mov.i64 %13
  branch %14, bb1, bb2
bb1:
  %4 = add.i32 %4, 1
  %5 = add.i32 %5, %2
  %2 = add.i32 %2, {step}
  %15 = cmp.ne.i64 %3, 0
  %3 = add.i64 %3, -1
  branch %15, bb1, bb2
bb2:
  return %4, %5
}}"
    )
}

#[test]
fn loops_that_count_in_32_bits_have_the_same_iterations() {
    let run = |module: &Module, args: [i32; 2]| {
        let args = args.map(|a| u64::from(a as u32));
        match Lane::new(module).run(FuncId(0), &args) {
            Ok(End::Returned(values)) => values,
            other => panic!("{other:?}"),
        }
    };
    let mut narrow = 0;
    for step in [2, 3, 16, 1 << 20, 700_000_001, -3, -8, -(1 << 21)] {
        // Masked, so that it is not negative; anything; a constant.
        for (first, last) in [("%6", "%1"), ("%0", "%1"), ("1", "%1"), ("%1", "%6"), ("%0", "7")] {
            let text = counted(first, last, step);
            let before = ir::parse::module(&text).unwrap();
            let now = after(&text, "dce-for-gpu", opt::Target::default());
            narrow += usize::from(!ir::print::module(&now, false).contains("div.i64"));
            let far = step.abs() >= 1 << 20;
            let near = [-1000, -17, -1, 0, 1, 2, 5, 16, 17, 1023, 3000];
            let ends = [i32::MIN, i32::MIN + 1, -1 << 30, i32::MAX - 1, i32::MAX];
            let numbers = || near.iter().chain(ends.iter().filter(|_| far)).copied();
            for (a, b) in numbers().flat_map(|a| numbers().map(move |b| (a, b))) {
                assert_eq!(run(&now, [a, b]), run(&before, [a, b]), "{first}, {last}, {step}: {a} {b}\n{text}");
            }
        }
    }
    assert!(narrow >= 30, "only {narrow} of 40 loops count in 32 bits");
}

#[test]
fn a_quotient_of_small_numbers_is_one_of_32_bits() {
    let text = |divisor: &str| {
        format!(
            "
device @f(%0: i32, %1: i32) -> i64 {{
bb0:
  %2 = and.i32 %0, 4095
  %3 = cvt.cast.i64.i32 %2
  %4 = and.i32 %1, 7
  %5 = add.i32 %4, 1
  %6 = cvt.cast.i64.i32 %5
  %7 = cvt.cast.i64.i32 %4
  %8 = div.i64 %3, {divisor}
  return %8
}}"
        )
    };
    let small = |divisor: &str| ir::print::module(&after(&text(divisor), "range-facts", opt::Target::default()), false);
    assert!(small("%6").contains("div.i32"));
    assert!(small("%7").contains("div.i64"), "it may be zero");
    assert!(small("8").contains("shr.u.i64"));
}

#[test]
fn an_index_goes_before_a_division_if_it_takes_the_place_of_two_registers() {
    let text = |more: &str| {
        format!(
            "
kernel @k(%0: i64, %1: f32, %2: i64) {{
bb0:
  %3 = special.tid.x
  %4 = special.ctaid.x
  %5 = div.f32 %1, 3.0
  %6 = shl.i32 %4, 8
  %7 = add.i32 %3, %6
  %8 = cvt.cast.i64.i32 %7
  %9 = add.i64 %0, %8
  store.global.f32 [%9], %5
  {more}
  return
}}"
        )
    };
    let is_before = |more: &str| {
        let text = body(&text(more), "hoist-loads");
        text.find("shl").unwrap() < text.find("div").unwrap()
    };
    assert!(is_before(""));
    // One of the two registers is needed behind it all the same.
    assert!(!is_before("store.global.i32 [%2], %3"));
}

#[test]
fn rows_above_each_other_are_one_stride_apart() {
    let load =
        |k: i64| format!("  %{} = mad.i64 %3, {}, %5\n  %{} = load.global.f32 [%{}]\n", 10 + k, 4 * k, 20 + k, 10 + k);
    let text = format!(
        "
kernel @k(%0: i64 unaliased, %1: i64 unaliased, %2: i32) {{
bb0:
  %3 = cvt.cast.i64.i32 %2
  %4 = special.tid.x
  %6 = cvt.cast.i64.i32 %4
  %5 = mad.i64 %6, 4, %0
{}{}{}
  %7 = add.f32 %21, %22
  %8 = add.f32 %7, %23
  store.global.f32 [%1], %8
  return
}}",
        load(1),
        load(2),
        load(3)
    );
    expect_test::expect![[r#"
        bb0:
          %4 = special.tid.x
          %24 = add.i32 %4, %2
          %25 = cvt.cast.i64.i32 %24
          %26 = mad.i64 %25, 4, %0
          %21 = load.global.f32 [%26]
          %27 = add.i32 %24, %2
          %28 = cvt.cast.i64.i32 %27
          %29 = mad.i64 %28, 4, %0
          %22 = load.global.f32 [%29]
          %30 = add.i32 %27, %2
          %31 = cvt.cast.i64.i32 %30
          %32 = mad.i64 %31, 4, %0
          %23 = load.global.f32 [%32]
          %7 = add.f32 %21, %22
          %8 = add.f32 %7, %23
          store.global.f32 [%1], %8
          return
        }"#]]
    .assert_eq(&body(&text, "dce-for-gpu"));
}

#[test]
fn a_load_from_shared_memory_stays_behind_a_division() {
    let text = "
kernel @k(%0: i64, %1: f32) {
  shared s0 \"t\" bytes 64 align 4 element 4
bb0:
  %2 = addr s0
  %3 = div.f32 %1, 3.0
  %4 = div.f32 %3, %1
  %5 = load.shared.f32 [%2]
  %6 = mul.f32 %5, %4
  store.global.f32 [%0], %6
  return
}";
    let text = body(text, "hoist-loads");
    let at = |what: &str| text.find(what).unwrap();
    assert!(at("div.f32 %3") < at("%5 = load"), "{text}");
}
