//! Local arrays of device code for the emulator: registers where all subscripts become constants, memory elsewhere.

use ir::Module;

/// The text of the last function.
fn optimised(text: &str, keeps_frames: bool) -> String {
    let mut module = ir::parse::module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(ir::verify::module(&module), [], "{text}");
    opt::run(&mut module, opt::Options { level: 1, watched: false, keeps_frames, keeps_points: false });
    assert_eq!(ir::verify::module(&module), [], "{}", ir::print::module(&module, false));
    let last = module.funcs.last().map(|f| ir::print::function(&Module::default(), f, false));
    last.unwrap_or_default()
}

/// Sets the elements of an array of four in a loop, and adds them up in another one after `between`.
fn summed(between: &str) -> String {
    format!(
        "
kernel @k(%0: i64, %1: i32) {{
  reg %2 i32 mutable
  reg %3 i32 mutable
  local l0 \"a\" bytes 16 align 4
bb0:
  %4 = addr l0
  %2 = mov.i32 0
  jump bb1
bb1:
  %5 = cvt.cast.i64.i32 %2
  %6 = mad.i64 %5, 4, %4
  %7 = mul.i32 %2, %1
  store.local.i32 [%6], %7
  %2 = add.i32 %2, 1
  %8 = cmp.lt.i32 %2, 4
  backedge
  branch %8, bb1, bb2
bb2:
  {between}
  %2 = mov.i32 0
  %3 = mov.i32 0
  jump bb3
bb3:
  %9 = cvt.cast.i64.i32 %2
  %10 = mad.i64 %9, 4, %4
  %11 = load.local.i32 [%10]
  %3 = add.i32 %3, %11
  %2 = add.i32 %2, 1
  %12 = cmp.lt.i32 %2, 4
  backedge
  branch %12, bb3, bb4
bb4:
  store.global.i32 [%0], %3
  return
}}
"
    )
}

#[test]
fn loops_over_a_small_array_leave_no_access() {
    let text = optimised(&summed(""), false);
    assert!(!text.contains("store.local") && !text.contains("load.local") && !text.contains("backedge"), "{text}");
}

#[test]
fn an_array_that_is_cleared_is_zero() {
    let text = optimised(&summed("clear l0"), false);
    assert!(text.contains("store.global.i32 [%0], 0"), "{text}");
}

#[test]
fn arrays_stay_where_their_memory_is_watched_or_a_subscript_is_not_known() {
    let watched = optimised(&summed(""), true);
    assert!(watched.contains("store.local") && watched.contains("backedge"), "{watched}");
    let at_run_time = "%13 = cvt.cast.i64.i32 %1\n  %14 = mad.i64 %13, 4, %4\n  store.local.i32 [%14], 7";
    let unknown = optimised(&summed(at_run_time), false);
    assert_eq!(unknown.matches("store.local").count(), 5, "{unknown}");
}

#[test]
fn a_loop_with_a_synchronisation_stays() {
    let text = summed("").replacen("store.local.i32 [%6], %7", "store.local.i32 [%6], %7\n  barrier.sync", 1);
    let text = optimised(&text, false);
    assert_eq!((text.matches("barrier").count(), text.matches("backedge").count()), (1, 1), "{text}");
}

#[test]
fn a_dummy_argument_that_names_an_array_goes_with_it() {
    let text = optimised(
        "
type t0 \"integer(4)\" bytes 4 integer
device @third(%0: i64 \"a\") -> i32 {
  var v0 \"a\" t0 array (1, 4, 4) at %0 source 1 dummy
bb0:
  %1 = load.generic.i32 [%0+8]
  return %1
}
kernel @k(%0: i64, %1: i32) {
  local l0 \"a\" bytes 16 align 4
bb0:
  %2 = addr l0
  store.local.i32 [%2+8], %1
  %3:i32 = call @third(%2)
  store.global.i32 [%0], %3
  return
}
",
        false,
    );
    assert!(!text.contains("load.") && text.contains("store.global.i32 [%0], %1"), "{text}");
}
