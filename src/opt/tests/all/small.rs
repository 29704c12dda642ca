//! What the passes make of small functions.

const WATCHED: opt::Options = opt::Options { level: 2, watched: true, keeps_frames: true, keeps_points: true };

/// The text of the first function after level 2, without its head.
fn body(text: &str) -> String {
    let mut module = ir::parse::module(text).unwrap();
    assert_eq!(ir::verify::module(&module), []);
    opt::run(&mut module, WATCHED);
    assert_eq!(ir::verify::module(&module), []);
    let text = ir::print::function(&module, &module.funcs[0], false);
    text.lines().skip_while(|l| !l.starts_with("bb0")).collect::<Vec<_>>().join("\n")
}

#[test]
fn neighbouring_elements_share_one_address() {
    let text = "
kernel @k(%0: i64, %1: i64, %30: i64) {
bb0:
  %2 = sub.i64 %1, 1
  %3 = mul.i64 %2, 8
  %4 = add.i64 %0, %3
  %5 = load.global.f64 [%4]
  %6 = add.i64 %1, 1
  %7 = sub.i64 %6, 1
  %8 = mul.i64 %7, 8
  %9 = add.i64 %0, %8
  %10 = load.global.f64 [%9]
  %11 = add.f64 %5, %10
  store.global.f64 [%30], %11
  return
}";
    assert_eq!(
        body(text),
        "\
bb0:
  %31 = shl.i64 %1, 3
  %32 = add.i64 %0, %31
  %5 = load.global.f64 [%32-8]
  %10 = load.global.f64 [%32]
  %11 = add.f64 %5, %10
  store.global.f64 [%30], %11
  return
}"
    );
}

#[test]
fn a_mutable_register_is_known_only_until_it_is_assigned() {
    let text = "
device @f(%0: i32) -> i32, i32 {
  reg %1 i32 mutable
bb0:
  %1 = mov.i32 5
  %2 = add.i32 %1, %0
  %3 = mov.i32 %1
  %1 = mov.i32 %0
  %4 = add.i32 %1, %0
  %5 = mul.i32 %3, %4
  return %5, %2
}";
    assert_eq!(
        body(text),
        "\
bb0:
  %2 = add.i32 %0, 5
  %4 = add.i32 %0, %0
  %5 = mul.i32 %4, 5
  return %5, %2
}"
    );
}

#[test]
fn a_constant_condition_removes_the_other_way_but_no_statement_of_its_own() {
    let text = "
device @f(%0: i32) -> i32 {
  reg %1 i32 mutable
bb0:
  stmt
  %2 = cmp.lt.i32 3, 4
  %3 = cvt.p2i.i32.pred %2
  %4 = cvt.i2p.pred.i32 %3
  branch %4, bb1, bb2
bb1:
  stmt
  %1 = mov.i32 1
  jump bb3
bb2:
  stmt
  %1 = mov.i32 2
  jump bb3
bb3:
  stmt
  return %1
}";
    assert_eq!(body(text), "bb0:\n  stmt\n  stmt\n  stmt\n  return 1\n}");
}

#[test]
fn a_logical_test_becomes_the_comparison_itself() {
    let text = "
device @f(%0: i32) -> i32 {
bb0:
  %1 = cmp.lt.i32 %0, 4
  %2 = cvt.p2i.i32.pred %1
  %3 = not.i32 %2
  %4 = cvt.i2p.pred.i32 %3
  branch %4, bb1, bb2
bb1:
  return 1
bb2:
  return 2
}";
    assert_eq!(
        body(text),
        "bb0:\n  %1 = cmp.lt.i32 %0, 4\n  branch %1, bb2, bb1\nbb1:\n  return 1\nbb2:\n  return 2\n}"
    );
}

#[test]
fn real_arithmetic_is_left_alone_where_bits_could_differ() {
    let text = "
device @f(%0: f32) -> f32 {
bb0:
  %1 = add.f32 %0, 0.0
  %2 = mul.f32 %1, 1.0
  %3 = sub.f32 %2, %2
  return %3
}";
    assert_eq!(
        body(text),
        "bb0:\n  %1 = add.f32 %0, 0.0\n  %2 = mul.f32 %1, 1.0\n  %3 = sub.f32 %2, %2\n  return %3\n}"
    );
}

#[test]
fn accesses_and_schedule_points_stay() {
    let text = "
kernel @k(%0: i64) {
bb0:
  stmt
  %1 = load.global.i32 [%0]
  %2 = load.global.i32 [%0]
  store.global.i32 [%0], 1
  store.global.i32 [%0], 1
  barrier.sync
  barrier.sync
  jump bb1
bb1:
  stmt
  jump bb2
bb2:
  backedge
  return
}";
    let expected: String = text
        .lines()
        .skip(2)
        .filter(|l| !l.starts_with("bb1") && !l.starts_with("bb2") && !l.contains("jump"))
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(body(text), expected);
}

#[test]
fn variables_keep_their_assignments() {
    let text = "
type t0 \"integer(4)\" bytes 4 integer
device @f(%0: i32) -> i32 {
  reg %1 i32 mutable v0
  var v0 \"i\" t0 scalar reg %1 source 3
bb0:
  %1 = mov.i32 7
  stmt
  %1 = add.i32 %0, 1
  stmt
  return 3
}";
    assert_eq!(body(text), "bb0:\n  %1 = mov.i32 7\n  stmt\n  %1 = add.i32 %0, 1\n  stmt\n  return 3\n}");
}

#[test]
fn a_small_function_is_inlined_with_its_variables() {
    let text = "
type t0 \"real(4)\" bytes 4 real
device @f(%0: f32) -> f32 {
bb0:
  %1:f32 = call @square(%0)
  %2:f32 = call @square(%1)
  return %2
}
device @square(%0: f32) -> f32 {
  reg %1 f32 mutable v0
  var v0 \"s\" t0 scalar reg %1 source 4
bb0:
  stmt
  %1 = mul.f32 %0, %0
  return %1
}";
    let mut module = ir::parse::module(text).unwrap();
    opt::run(&mut module, WATCHED);
    let f = &module.funcs[0];
    let names: Vec<&str> = f.vars.iter().map(|v| &*v.name).collect();
    assert_eq!(names, ["square.s", "square.s"]);
    let text = ir::print::function(&module, f, false);
    assert!(!text.contains("call"), "{text}");
    assert_eq!(text.matches("mul.f32").count(), 2, "{text}");
    assert_eq!(text.matches("stmt").count(), 2, "{text}");
}

/// A function that calls one with a table is inlined if both are of the mathematical library. Of others a finding may name the call.
#[test]
fn functions_of_the_library_are_inlined_though_they_call_others() {
    let text = |module: &str| {
        format!(
            "
global g0 \"table\" global bytes 8 align 4 read_only init x\"0000000000000000\"
device @f(%0: i32) -> i32 {{
bb0:
  %1:i32 = call @{module}.sine(%0)
  return %1
}}
device @{module}.sine(%0: i32) -> i32 {{
bb0:
  %1:i32 = call @{module}.entry(%0)
  %2 = add.i32 %1, 1
  return %2
}}
device @{module}.entry(%0: i32) -> i32 {{
bb0:
  %1 = addr g0
  %2 = cvt.cast.i64.i32 %0
  %3 = mad.i64 %2, 4, %1
  %4 = load.global.i32 [%3]
  return %4
}}"
        )
    };
    let called = |module: &str| unwatched(&text(module)).lines().find(|l| l.contains("call")).unwrap().to_owned();
    assert!(called("cufemu_math").contains("@cufemu_math.entry(%0)"));
    assert!(called("user").contains("@user.sine(%0)"));
}

/// The text of the first function without a debugger, without its head.
fn unwatched(text: &str) -> String {
    let mut module = ir::parse::module(text).unwrap();
    opt::run(&mut module, opt::Options { level: 1, watched: false, keeps_frames: true, keeps_points: true });
    assert_eq!(ir::verify::module(&module), []);
    let text = ir::print::function(&module, &module.funcs[0], false);
    text.lines().skip_while(|l| !l.starts_with("bb0")).collect::<Vec<_>>().join("\n")
}

/// A branch on %1 around an assignment of a variable.
fn branching(condition: &str, inside: &str) -> String {
    format!(
        "
type t0 \"real(4)\" bytes 4 real
kernel @k(%0: i64, %9: i32) {{
  reg %2 f32 mutable v0
  var v0 \"c\" t0 scalar reg %2 source 3
bb0:
  stmt
  %2 = mov.f32 1.0
  %3 = special.tid.x
  {condition}
  branch %1, bb1, bb2
bb1:
  stmt
  {inside}
  jump bb2
bb2:
  stmt
  store.global.f32 [%0], %2
  return
}}"
    )
}

#[test]
fn a_small_branch_of_lanes_that_disagree_becomes_a_selection() {
    let text = branching("%1 = cmp.gt.i32 %3, 5", "%2 = mul.f32 %2, 2.0");
    assert_eq!(
        unwatched(&text),
        "\
bb0:
  %3 = special.tid.x
  %1 = cmp.gt.i32 %3, 5
  %2 = select.f32 %1, 2.0, 1.0
  store.global.f32 [%0], %2
  return
}"
    );
}

#[test]
fn branches_that_lanes_share_or_that_touch_memory_stay() {
    let shared = unwatched(&branching("%1 = cmp.gt.i32 %9, 5", "%2 = mul.f32 %2, 2.0"));
    assert!(shared.contains("branch %1"), "{shared}");
    let access = unwatched(&branching("%1 = cmp.gt.i32 %3, 5", "%2 = load.global.f32 [%0]"));
    assert!(access.contains("branch %1"), "{access}");
}

#[test]
fn functions_that_touch_memory_are_called() {
    let text = "
device @f(%0: i64) -> i32 {
bb0:
  %1:i32 = call @get(%0)
  return %1
}
device @get(%0: i64) -> i32 {
bb0:
  %1 = load.global.i32 [%0]
  return %1
}";
    assert_eq!(body(text), "bb0:\n  %1:i32 = call @get(%0)\n  return %1\n}");
}

#[test]
fn a_remainder_of_a_power_of_two_that_is_only_compared_is_bits() {
    let text = "
device @f(%0: i64, %1: i32) -> pred, pred, pred {
bb0:
  %2 = rem.i64 %0, 2
  %3 = cmp.eq.i64 %2, 0
  %4 = rem.i32 %1, 8
  %5 = cmp.ne.i32 %4, 3
  %6 = cmp.eq.i32 %4, -3
  return %3, %5, %6
}";
    assert_eq!(
        body(text),
        "\
bb0:
  %7 = and.i64 %0, 1
  %3 = cmp.eq.i64 %7, 0
  %4 = rem.i32 %1, 8
  %8 = and.i32 %1, -2147483641
  %5 = cmp.ne.i32 %8, 3
  %6 = cmp.eq.i32 %4, -3
  return %3, %5, %6
}"
    );
}

#[test]
fn a_logical_that_is_tested_is_its_lowest_bit() {
    let text = "
device @f(%0: i32, %1: pred) -> pred, pred {
bb0:
  %2 = cvt.i2p.pred.i32 %0
  %3 = cvt.p2i.i32.pred %1
  %4 = and.i32 %3, 1
  %5 = cmp.ne.i32 %4, 0
  return %2, %5
}";
    assert_eq!(body(text), "bb0:\n  %6 = and.i32 %0, 1\n  %2 = cmp.ne.i32 %6, 0\n  return %2, %1\n}");
}

#[test]
fn remainders_compared_by_their_bits_are_the_same_for_every_integer() {
    for (op, m, c) in [("eq", 8, 0), ("ne", 8, 0), ("eq", 8, 5), ("eq", 2, 1), ("ne", 2, 1), ("eq", -128, 0)] {
        let text = format!(
            "device @f(%0: i8) -> pred {{\nbb0:\n  %1 = rem.i8 %0, {m}\n  %2 = cmp.{op}.i8 %1, {c}\n  return %2\n}}"
        );
        let module = ir::parse::module(&text).unwrap();
        let mut better = module.clone();
        opt::run(&mut better, WATCHED);
        assert!(ir::print::function(&better, &better.funcs[0], false).contains("and.i8"), "{text}");
        for x in 0..=255 {
            let run = |m: &ir::Module| ir::lane::Lane::new(m).run(ir::FuncId(0), &[x]);
            assert_eq!(run(&module), run(&better), "{text} at {x}");
        }
    }
}

#[test]
fn memory_and_registers_of_an_inlined_function_are_new_with_each_call() {
    let text = "
device @f(%0: i32, %1: i64) -> i32 {
  reg %5 i32 mutable
  local l0 \"t\" bytes 4 align 4
bb0:
  %2 = addr l0
  %3 = load.local.i32 [%2]
  %4 = add.i32 %3, %5
  store.local.i32 [%2], %0
  %5 = mov.i32 %0
  store.generic.i32 [%1], %5
  return %4
}
kernel @k(%0: i64) {
  local l0 \"x\" bytes 4 align 4
bb0:
  %1 = addr l0
  %2:i32 = call @f(7, %1)
  %3:i32 = call @f(8, %1)
  %4 = add.i32 %2, %3
  %5 = load.local.i32 [%1]
  %6 = mad.i32 %4, 100, %5
  store.global.i32 [%0], %6
  return
}";
    let mut module = ir::parse::module(text).unwrap();
    assert!(opt::inline_with_memory(&mut module));
    assert_eq!(ir::verify::module(&module), []);
    let printed = ir::print::module(&module, true);
    assert_eq!(ir::print::module(&ir::parse::module(&printed).unwrap(), true), printed);
    let kernel = &module.funcs[1];
    let kinds: Vec<_> = kernel.blocks.iter().flat_map(|b| &b.insts).map(|inst| &inst.kind).collect();
    assert!(!kinds.iter().any(|kind| matches!(kind, ir::InstKind::Call { .. })));
    let into_x = |kind: &&&ir::InstKind| matches!(kind, ir::InstKind::Store { space: ir::Space::Local, .. });
    assert_eq!(kinds.iter().filter(into_x).count(), 4, "{printed}");
    assert_eq!(kernel.inlined.len(), 2);
    let mut lane = ir::lane::Lane::new(&module);
    let out = lane.memory.alloc(4, 4);
    lane.run(ir::FuncId(1), &[out]).unwrap();
    assert_eq!(lane.memory.read(out, ir::Ty::I32), Some(8));
}
