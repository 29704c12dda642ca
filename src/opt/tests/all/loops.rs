//! What the passes over loops make of code for all engines: invariants go before a loop, checks that cannot fail go.

use fastrand::Rng;
use ir::lane::{End, Event, Fault, Lane};
use ir::{FuncId, Function, InstKind, Module, Term};

fn optimised(text: &str) -> Module {
    let mut module = ir::parse::module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(ir::verify::module(&module), [], "{text}");
    opt::run(&mut module, opt::Options { level: 1, watched: false, keeps_frames: false, keeps_points: false });
    assert_eq!(ir::verify::module(&module), [], "{}", ir::print::module(&module, false));
    module
}

fn text(f: &Function) -> String {
    ir::print::function(&Module::default(), f, false)
}

/// The blocks of the function that go back to themselves.
fn loops(f: &Function) -> Vec<&ir::BlockData> {
    let to_itself = |&(b, block): &(usize, &ir::BlockData)| block.term.successors().iter().any(|bb| bb.index() == b);
    f.blocks.iter().enumerate().filter(to_itself).map(|(_, block)| block).collect()
}

#[test]
fn what_a_loop_does_not_change_is_computed_before_it() {
    let module = optimised(
        "
kernel @k(%0: i64, %1: i32, %2: i32) {
  reg %3 i32 mutable
  reg %4 i32 mutable
bb0:
  %3 = mov.i32 1
  %4 = mov.i32 %1
  jump bb1
bb1:
  %5 = cvt.cast.i64.i32 %3
  %6 = mad.i64 %5, 4, %0
  %7 = cvt.cast.i64.i32 %2
  %8 = mul.i64 %7, 400
  %9 = add.i64 %6, %8
  store.global.i32 [%9], 7
  %3 = add.i32 %3, 1
  %10 = cmp.ne.i32 %4, 0
  %4 = add.i32 %4, -1
  backedge
  branch %10, bb1, bb2
bb2:
  return
}
",
    );
    let f = &module.funcs[0];
    let found = loops(f);
    assert_eq!(found.len(), 1, "{}", text(f));
    // The subscript, its address, the store, two updates, the test and the mark.
    assert_eq!(found[0].insts.len(), 7, "{}", text(f));
}

/// A loop over `a(i + more)` with a check of the subscript, and an exit at some value of the counter.
fn checked_loop(step: i32, sum: &str, more: &str) -> String {
    format!(
        r#"
global g0 "m.buffer" global bytes 256 align 8 init zero
kernel @k(%0: i32, %1: i32, %2: i64, %3: i32, %4: i32) {{
  reg %5 i32 mutable
  reg %6 i32 mutable
bb0:
  %5 = mov.i32 %0
  %6 = mov.i32 %1
  jump bb1
bb1:
  {sum}
  %8 = cvt.cast.i64.i32 {more}
  %9 = add.i64 %8, -1
  %10 = cmp.ge.u.i64 %9, %2
  branch %10, bb2, bb3
bb2:
  rt.error.bounds(%8, 1, %2, 1, 0, 0)
  jump bb3
bb3:
  %11 = and.i64 %8, 31
  %12 = addr g0
  %13 = mad.i64 %11, 4, %12
  store.global.i32 [%13], %5
  %14 = cmp.eq.i32 %5, %4
  branch %14, bb5, bb4
bb4:
  %5 = add.i32 %5, {step}
  %15 = cmp.ne.i32 %6, 0
  %6 = add.i32 %6, -1
  backedge
  branch %15, bb1, bb5
bb5:
  return
}}
"#
    )
}

type Run = (Result<End, Fault>, Vec<Event>);

fn run(module: &Module, args: &[u64]) -> Run {
    let mut lane = Lane::new(module);
    let end = lane.run(FuncId(0), args);
    (end, lane.events)
}

/// A number near one of those where 32-bit sums wrap or subscripts leave their bounds.
fn near(rng: &mut Rng) -> i32 {
    let around = [0, 1, 20, i32::MAX - 10, i32::MIN + 10];
    around[rng.usize(0..around.len())].wrapping_add(rng.i32(-12..12))
}

#[test]
fn checks_that_are_looked_at_before_a_loop_fail_where_they_did() {
    let mut rng = Rng::with_seed(19);
    let (mut ended, mut failed, mut doubled) = (0, 0, 0);
    for round in 0..1500 {
        let step = if rng.bool() { 1 } else { near(&mut rng) };
        let constant = format!("%7 = add.i32 %5, {}", near(&mut rng));
        let (sum, more) =
            [("%7 = add.i32 %5, %3", "%7"), (constant.as_str(), "%7"), ("%7 = mov.i32 0", "%5")][round % 3];
        let program = checked_loop(step, sum, more);
        let before = ir::parse::module(&program).unwrap();
        let after = optimised(&program);
        doubled += usize::from(after.funcs[0].blocks.iter().filter(|b| b.insts.iter().any(is_mark)).count() == 2);
        for _ in 0..8 {
            let limit = match rng.u32(0..4) {
                0 => rng.u64(..),
                1 => i32::MAX as u64,
                _ => rng.u64(0..40),
            };
            let count = if rng.u32(0..20) == 0 { -1 } else { rng.i32(0..20) };
            let args = [near(&mut rng), count, 0, near(&mut rng), near(&mut rng)].map(|v| u64::from(v as u32));
            let args = [args[0], args[1], limit, args[3], args[4]];
            let (done, found) = (run(&before, &args), run(&after, &args));
            if done.0 == Err(Fault::Fuel) {
                continue;
            }
            let report = || format!("{args:?}\n{program}\n{}", ir::print::module(&after, false));
            assert_eq!(found.0, done.0, "{}", report());
            assert_eq!(found.1, done.1, "{}", report());
            ended += usize::from(done.0.is_ok());
            failed += usize::from(done.0.is_err());
        }
    }
    assert!(ended > 1000 && failed > 1000 && doubled > 1000, "{ended} ended, {failed} failed, {doubled} loops doubled");
}

fn is_mark(inst: &ir::Inst) -> bool {
    inst.kind == InstKind::BackEdge
}

#[test]
fn a_loop_whose_subscripts_are_within_bounds_has_no_check() {
    let module = optimised(&checked_loop(1, "%7 = add.i32 %5, %3", "%7"));
    let f = &module.funcs[0];
    // One loop raises the error, the other one has only its own two exits.
    let marked: Vec<_> = f.blocks.iter().filter(|b| b.insts.iter().any(is_mark)).collect();
    assert_eq!(marked.len(), 2, "{}", text(f));
    let errors = f.blocks.iter().flat_map(|b| &b.insts).filter(|i| matches!(i.kind, InstKind::Rt { .. })).count();
    assert_eq!(errors, 1, "{}", text(f));
}

#[test]
fn a_branch_that_all_threads_take_alike_is_decided_before_the_loop() {
    let loop_with = |cond: &str| {
        format!(
            "
kernel @k(%0: i64, %1: i32, %2: i32) {{
  reg %3 i32 mutable
bb0:
  %3 = mov.i32 %1
  {cond}
  jump bb1
bb1:
  %5 = cvt.cast.i64.i32 %3
  %6 = mad.i64 %5, 4, %0
  branch %4, bb2, bb3
bb2:
  store.global.i32 [%6], 1
  jump bb4
bb3:
  store.global.i32 [%6], 2
  store.global.i32 [%6+4], 3
  jump bb4
bb4:
  %7 = cmp.ne.i32 %3, 0
  %3 = add.i32 %3, -1
  backedge
  branch %7, bb1, bb5
bb5:
  return
}}
"
        )
    };
    let same = optimised(&loop_with("%4 = cmp.gt.i32 %2, 0"));
    assert_eq!(loops(&same.funcs[0]).len(), 2, "{}", text(&same.funcs[0]));
    // Here the threads of a warp differ: they would part for the whole loop.
    let differs = optimised(&loop_with("%8 = special.tid.x\n  %4 = cmp.gt.i32 %8, %2"));
    let branches = differs.funcs[0].blocks.iter().filter(|b| matches!(b.term, Term::Branch { .. })).count();
    assert_eq!((loops(&differs.funcs[0]).len(), branches), (0, 2), "{}", text(&differs.funcs[0]));
}

#[test]
fn a_loop_with_a_barrier_keeps_its_checks() {
    let text = checked_loop(1, "barrier.sync", "%5");
    let module = optimised(&text);
    let marked = module.funcs[0].blocks.iter().filter(|b| b.insts.iter().any(is_mark)).count();
    assert_eq!(marked, 1);
}

#[test]
fn a_loop_on_the_device_that_calls_a_function_keeps_its_checks() {
    // The function may exchange values of the threads of a warp, which must come to it together.
    let called = "
device @meet(%0: i32) -> i32 {
bb0:
  %1 = shfl.bfly.i32 %0, 1, 32
  return %1
}
";
    let kernel = checked_loop(1, "%7:i32 = call @meet(%5)", "%5");
    let module = optimised(&format!("{kernel}{called}"));
    let marked = module.funcs[0].blocks.iter().filter(|b| b.insts.iter().any(is_mark)).count();
    assert_eq!(marked, 1, "{}", text(&module.funcs[0]));
}
