//! Stores to local memory that nothing loads, across blocks.

use ir::Module;

/// The function of a text after the pass.
fn after(text: &str) -> String {
    let mut module = ir::parse::module(text).unwrap();
    assert_eq!(ir::verify::module(&module), []);
    let mut found = None;
    opt::run_for_gpu_observed(&mut module, opt::Target::default(), &mut |name, now| {
        assert_eq!(ir::verify::module(now), [], "after {name}");
        if name == "dead-locals" {
            found = Some(ir::print::function(&Module::default(), &now.funcs[0], false));
        }
    });
    found.unwrap().lines().skip_while(|l| !l.starts_with("bb0")).collect::<Vec<_>>().join("\n")
}

fn stores(text: &str) -> usize {
    after(text).matches("store.local").count()
}

/// Two arrays whose elements a subscript chooses, so that they stay in memory.
const TWO_WAYS: &str = r#"
kernel @k(%0: i64 unaliased, %1: i32) {
  local l0 "never" bytes 16 align 4
  local l1 "some" bytes 16 align 4
bb0:
  %2 = addr l0
  %3 = addr l1
  %4 = and.i32 %1, 3
  %5 = cvt.cast.i64.i32 %4
  %6 = mad.i64 %5, 4, %2
  %7 = mad.i64 %5, 4, %3
  store.local.i32 [%6], 70
  store.local.i32 [%3], 71
  store.local.i32 [%3+4], 1
  %8 = cmp.gt.i32 %1, 3
  branch %8, bb1, bb2
bb1:
  store.local.i32 [%3], 2
  %9 = load.local.i32 [%7]
  store.global.i32 [%0], %9
  store.local.i32 [%3+8], 72
  return
bb2:
  store.local.i32 [%3], 3
  store.local.i32 [%7], 4
  %10 = load.local.i32 [%7]
  store.global.i32 [%0], %10
  return
}"#;

#[test]
fn a_store_goes_if_no_load_in_any_block_comes_to_it() {
    expect_test::expect![[r#"
        bb0:
          %2 = addr l0
          %3 = addr l1
          %4 = and.i32 %1, 3
          %5 = cvt.cast.i64.i32 %4
          %6 = mad.i64 %5, 4, %2
          %7 = mad.i64 %5, 4, %3
          %11 = shl.i64 %5, 2
          %12 = add.i64 %11, %2
          store.local.i32 [%3+4], 1
          %8 = cmp.gt.i32 %1, 3
          branch %8, bb1, bb2
        bb1:
          store.local.i32 [%3], 2
          %9 = load.local.i32 [%7]
          store.global.i32 [%0], %9
          return
        bb2:
          store.local.i32 [%3], 3
          store.local.i32 [%7], 4
          %10 = load.local.i32 [%7]
          store.global.i32 [%0], %10
          return
        }"#]]
    .assert_eq(&after(TWO_WAYS));
}

#[test]
fn a_store_that_the_next_iteration_loads_stays() {
    let text = r#"
kernel @k(%0: i64 unaliased, %1: i32) {
  local l0 "a" bytes 16 align 4
  reg %2 i32 mutable
bb0:
  %3 = addr l0
  %2 = mov.i32 0
  jump bb1
bb1:
  %4 = and.i32 %2, 3
  %5 = cvt.cast.i64.i32 %4
  %6 = mad.i64 %5, 4, %3
  %7 = load.local.i32 [%6]
  store.global.i32 [%0], %7
  store.local.i32 [%3+4], %2
  %2 = add.i32 %2, 1
  %8 = cmp.lt.i32 %2, %1
  backedge
  branch %8, bb1, bb2
bb2:
  store.local.i32 [%3], %2
  return
}"#;
    assert_eq!(stores(text), 1, "{}", after(text));
}

#[test]
fn memory_that_is_reached_otherwise_keeps_its_stores() {
    let text = |use_: &str| {
        format!(
            r#"
kernel @k(%0: i64 unaliased, %1: i32) {{
  local l0 "a" bytes 16 align 4
  local l1 "b" bytes 16 align 4
  reg %9 i64 mutable
bb0:
  %2 = addr l0
  %3 = addr l1
  %4 = cvt.cast.i64.i32 %1
  %5 = mad.i64 %4, 4, %2
  %9 = mov.i64 %2
  {use_}
  store.local.i32 [%5], 3
  return
}}
device @take(%0: i64) {{
bb0:
  %1:i64 = call @again(%0)
  return
}}
device @again(%0: i64) -> i64 {{
bb0:
  %1:i64 = call @again(%0)
  return %1
}}"#
        )
    };
    assert_eq!(stores(&text("")), 0);
    assert_eq!(stores(&text("store.global.i64 [%0], %2")), 1, "its address is stored");
    assert_eq!(stores(&text("%6:i64 = call @again(%5)")), 1, "its address is passed on");
    assert_eq!(stores(&text("%6 = load.generic.i32 [%2]\n  store.global.i32 [%0], %6")), 1, "a load of any memory");
    assert_eq!(stores(&text("store.local.i32.volatile [%2+8], 1")), 2, "a volatile store");
    let either = "%6 = cmp.gt.i32 %1, 2\n  %7 = select.i64 %6, %2, %3\n  store.local.i32 [%7], 1\n  \
        %8 = load.local.i32 [%3]\n  store.global.i32 [%0], %8";
    assert_eq!(stores(&text(either)), 2, "an address in either of two slots");
}
