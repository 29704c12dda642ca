//! What the passes for a GPU make of small functions. That they compute the same is shown by `tests/ir` and by random programs.

use ir::{Function, InstKind, Module};

/// The function of a text after all passes for a GPU.
fn optimised(text: &str) -> Function {
    optimised_for(text, opt::Target::default())
}

fn optimised_for(text: &str, target: opt::Target) -> Function {
    let mut module = ir::parse::module(text).unwrap();
    assert_eq!(ir::verify::module(&module), []);
    opt::run_for_gpu(&mut module, target);
    assert_eq!(ir::verify::module(&module), []);
    module.funcs.swap_remove(0)
}

/// The blocks of a function as text.
fn body(text: &str) -> String {
    let text = ir::print::function(&Module::default(), &optimised(text), false);
    text.lines().skip_while(|l| !l.starts_with("bb0")).collect::<Vec<_>>().join("\n")
}

fn count(f: &Function, is: impl Fn(&InstKind) -> bool) -> usize {
    f.blocks.iter().flat_map(|b| &b.insts).filter(|i| is(&i.kind)).count()
}

fn loads(f: &Function) -> usize {
    count(f, |kind| matches!(kind, InstKind::Load { .. }))
}

fn stores(f: &Function) -> usize {
    count(f, |kind| matches!(kind, InstKind::Store { .. }))
}

/// A kernel that adds the elements of an array to a sum, with so many iterations and one more.
fn sum(more: &str) -> String {
    format!(
        "
kernel @k(%0: i64 unaliased, %1: i64 unaliased, %2: i32) {{
  reg %3 i32 mutable
  reg %4 i32 mutable
  reg %5 f32 mutable
bb0:
  %3 = mov.i32 1
  %4 = mov.i32 {more}
  %5 = mov.f32 0.0
  jump bb1
bb1:
  %6 = cvt.cast.i64.i32 %3
  %7 = shl.i64 %6, 2
  %8 = add.i64 %0, %7
  %9 = load.global.f32 [%8-4]
  %5 = add.f32 %5, %9
  %3 = add.i32 %3, 1
  %10 = cmp.ne.i32 %4, 0
  %4 = add.i32 %4, -1
  branch %10, bb2, bb3
bb2:
  backedge
  jump bb1
bb3:
  store.global.f32 [%1], %5
  return
}}"
    )
}

#[test]
fn a_loop_of_few_iterations_becomes_straight_code_with_constant_offsets() {
    assert_eq!(
        body(&sum("2")),
        "\
bb0:
  %14 = load.global.f32 [%0]
  %5 = add.f32 0.0, %14
  %19 = load.global.f32 [%0+4]
  %26 = add.f32 %5, %19
  %24 = load.global.f32 [%0+8]
  %27 = add.f32 %26, %24
  store.global.f32 [%1], %27
  return
}"
    );
}

#[test]
fn a_loop_of_many_iterations_does_four_at_a_time() {
    let f = optimised(&sum("255"));
    assert_eq!((f.blocks.len(), loads(&f)), (3, 4), "{}", body(&sum("255")));
    let addresses: std::collections::BTreeSet<String> = f
        .blocks
        .iter()
        .flat_map(|b| &b.insts)
        .filter_map(|i| if let InstKind::Load { addr, .. } = i.kind { Some(format!("{addr:?}")) } else { None })
        .collect();
    assert_eq!(addresses.len(), 1, "four elements share an address");
}

#[test]
fn a_loop_that_four_does_not_divide_does_fewer_at_a_time() {
    assert_eq!(loads(&optimised(&sum("89"))), 2);
    // 67 iterations, which is a prime number: too many for straight code.
    assert_eq!(loads(&optimised(&sum("66"))), 1);
}

#[test]
fn a_loop_of_unknown_length_keeps_a_copy_for_the_rest() {
    let f = optimised(&sum("%2"));
    assert_eq!(loads(&f), 5, "four at a time, and one");
}

#[test]
fn a_load_is_repeated_behind_a_barrier_and_behind_a_store_that_may_meet_it() {
    let text = |between: &str| {
        format!(
            "
kernel @k(%0: i64 unaliased, %1: i64 unaliased, %2: i64, %3: i64) {{
bb0:
  %4 = load.global.i32 [%0]
  %5 = load.global.i32 [%2]
  {between}
  %6 = load.global.i32 [%0]
  %7 = load.global.i32 [%2]
  %8 = add.i32 %4, %5
  %9 = add.i32 %6, %7
  %10 = add.i32 %8, %9
  store.global.i32 [%1], %10
  return
}}"
        )
    };
    let count = |between: &str| loads(&optimised(&text(between)));
    assert_eq!(count(""), 2);
    assert_eq!(count("barrier.sync"), 4);
    assert_eq!(count("fence.device"), 4);
    // A dummy that overlaps nothing is not met by other addresses; what has no name of its own may be.
    assert_eq!(count("store.global.i32 [%1], 1"), 3);
    assert_eq!(count("store.global.i32 [%3], 1"), 4);
    assert_eq!(count("store.shared.i32 [%3], 1"), 2);
    assert_eq!(count("store.generic.i32 [%3], 1"), 4);
}

#[test]
fn a_volatile_load_stays() {
    let text = "
kernel @k(%0: i64 unaliased, %1: i64 unaliased) {
bb0:
  %2 = load.global.i32.volatile [%0]
  %3 = load.global.i32.volatile [%0]
  %4 = add.i32 %2, %2
  store.global.i32 [%1], %4
  return
}";
    assert_eq!(loads(&optimised(text)), 2);
}

#[test]
fn a_store_that_is_overwritten_goes_unless_somebody_could_see_it() {
    let text = |between: &str| {
        format!(
            "
kernel @k(%0: i64, %1: i64, %2: i32) {{
bb0:
  store.global.i32 [%0], %2
  {between}
  store.global.i32 [%0], 5
  return
}}"
        )
    };
    let count = |between: &str| stores(&optimised(&text(between)));
    assert_eq!(count(""), 1);
    assert_eq!(count("barrier.sync"), 2);
    assert_eq!(count("red.add.i32.global.device [%1], 1"), 2);
    assert_eq!(count("%3 = load.global.i32 [%1]\n  store.global.i32 [%1+4], %3"), 3);
    assert_eq!(count("%3 = load.shared.i32 [%1]\n  store.global.i32 [%1+4], %3"), 2);
    assert_eq!(count("store.global.i32.volatile [%0], 3"), 3);
}

#[test]
fn a_local_array_whose_address_goes_elsewhere_stays_in_memory() {
    let text = |use_: &str| {
        format!(
            "
kernel @k(%0: i64, %1: i64) {{
  local l0 \"a\" bytes 8 align 4
bb0:
  %2 = addr l0
  store.local.i32 [%2], 3
  {use_}
  %3 = load.local.i32 [%2]
  store.global.i32 [%0], %3
  return
}}"
        )
    };
    let local = |use_: &str| {
        count(&optimised(&text(use_)), |k| matches!(k, InstKind::Load { space: ir::Space::Local, .. })) > 0
            || count(&optimised(&text(use_)), |k| matches!(k, InstKind::Store { space: ir::Space::Local, .. })) > 0
    };
    assert!(!local(""));
    assert!(local("store.global.i64 [%0+8], %2"), "its address is stored");
    assert!(local("%4 = add.i64 %2, %1\n  store.local.i32 [%4], 9"), "a subscript is not known");
    assert!(local("store.local.i16 [%2+2], 9"), "two types share bytes");
}

#[test]
fn neighbours_in_a_plane_share_their_row() {
    let text = "
kernel @k(%0: i64 unaliased, %1: i64 unaliased, %2: i32, %3: i32, %4: i32) {
bb0:
  %5 = cvt.cast.i64.i32 %2
  %6 = max.i64 %5, 0
  %7 = mul.i64 %6, 8
  %8 = cvt.cast.i64.i32 %3
  %9 = add.i32 %4, 1
  %10 = cvt.cast.i64.i32 %9
  %11 = mul.i64 %10, %7
  %12 = mad.i64 %8, 8, %11
  %13 = add.i64 %0, %12
  %14 = load.global.f64 [%13]
  %15 = cvt.cast.i64.i32 %4
  %16 = mul.i64 %15, %7
  %17 = mad.i64 %8, 8, %16
  %18 = add.i64 %1, %17
  store.global.f64 [%18], %14
  return
}";
    // Products of 64 and of 32 bits. An index of real(8) is narrow up to 2^30 elements.
    let products = |largest_allocation| {
        let f = optimised_for(text, opt::Target { largest_allocation, ..opt::Target::default() });
        let of = |wanted| count(&f, |k| matches!(k, InstKind::Bin { op: ir::op::BinOp::Mul, ty, .. } if *ty == wanted));
        (of(ir::Ty::I64), of(ir::Ty::I32))
    };
    assert_eq!(products(1 << 30), (0, 1), "{}", body(text));
    assert_eq!(products(1 << 33), (0, 1));
    assert_eq!(products((1 << 33) + 1), (1, 0));
}

#[test]
fn an_index_is_narrow_only_beside_one_pointer_and_outside_of_loops() {
    let text = |address: &str| {
        format!(
            "
kernel @k(%0: i64 unaliased, %1: i64, %2: i32, %3: i32) {{
  reg %9 i32 mutable
bb0:
  %4 = cvt.cast.i64.i32 %2
  %5 = cvt.cast.i64.i32 %3
  %6 = mul.i64 %4, %5
  %9 = mov.i32 %2
  jump bb1
bb1:
  %10 = cvt.cast.i64.i32 %9
  {address}
  %11 = load.global.f64 [%8]
  store.global.f64.volatile [%0], %11
  %9 = add.i32 %9, -1
  %12 = cmp.gt.i32 %9, 0
  branch %12, bb2, bb3
bb2:
  backedge
  jump bb1
bb3:
  return
}}"
        )
    };
    let narrow = |address: &str| {
        count(&optimised(&text(address)), |k| {
            matches!(
                k,
                InstKind::Tri { ty: ir::Ty::I32, .. } | InstKind::Bin { op: ir::op::BinOp::Mul, ty: ir::Ty::I32, .. }
            )
        }) > 0
    };
    assert!(narrow("%7 = mad.i64 %6, 8, %0\n  %8 = mad.i64 %4, 8, %7"));
    assert!(!narrow("%7 = mad.i64 %6, 8, %0\n  %8 = mad.i64 %10, 8, %7"), "a row stays outside of the loop");
    assert!(!narrow("%7 = mad.i64 %6, 8, %0\n  %8 = add.i64 %7, %1"), "either may be the pointer");
    assert!(!narrow("%7 = mul.i64 %6, 8\n  %8 = mad.i64 %4, 8, %7"), "there is no pointer");
    assert!(!narrow("%7 = mad.i64 %6, 8, %1\n  %8 = mad.i64 %4, 8, %7"), "what is no dummy may be anything");
    let aligned = "%7 = add.i64 %0, 127\n  %13 = and.i64 %7, -128\n  %14 = add.i64 %13, %1\n  %8 = mad.i64 %4, 4, %14";
    assert!(!narrow(aligned), "the pointer has been aligned");
    assert!(narrow("%7 = mad.i64 %1, 8, %0\n  %8 = mad.i64 %6, 8, %7"), "what has a factor is no pointer");
}

#[test]
fn values_of_a_register_that_never_meet_get_registers_of_their_own() {
    let text = "
kernel @k(%0: i64, %1: f32) {
  reg %2 f32 mutable
bb0:
  %2 = mul.f32 %1, %1
  store.global.f32 [%0], %2
  %2 = add.f32 %1, 1.0
  store.global.f32 [%0+4], %2
  return
}";
    assert!(optimised(text).regs.iter().all(|r| !r.mutable));
}

#[test]
fn a_load_goes_before_a_division_but_not_before_a_store_or_what_its_address_needs() {
    let text = |between: &str| {
        format!(
            "
kernel @k(%0: i64, %1: i64, %2: f32) {{
bb0:
  %3 = div.f32 %2, 3.0
  {between}
  %4 = add.i64 %1, 4
  %5 = load.global.f32 [%4]
  %6 = mul.f32 %5, %3
  store.global.f32 [%0], %6
  return
}}"
        )
    };
    let is_first = |between: &str| {
        let text = body(&text(between));
        text.find("load").unwrap() < text.find("div").unwrap()
    };
    assert!(is_first(""));
    assert!(!is_first("store.global.f32 [%0+4], %3"));
    assert!(!is_first("barrier.sync"));
}

#[test]
fn a_loop_with_a_vote_keeps_its_iterations_together_unless_all_threads_have_the_same_number() {
    let text = |first: &str| {
        format!(
            "
kernel @k(%0: i64 unaliased, %1: i32) {{
  reg %2 i32 mutable
  reg %3 i32 mutable
bb0:
  %2 = mov.i32 {first}
  %3 = mov.i32 0
  jump bb1
bb1:
  %4 = cmp.ne.i32 %2, 0
  %5 = vote.ballot.pred %4
  %3 = add.i32 %3, %5
  %2 = add.i32 %2, -1
  branch %4, bb1, bb2
bb2:
  store.global.i32 [%0], %3
  return
}}"
        )
    };
    let votes = |first: &str| count(&optimised(&text(first)), |k| matches!(k, InstKind::Vote { .. }));
    assert_eq!(votes("%1"), 1);
    assert_eq!(votes("255"), 4);
}

#[test]
fn an_address_of_many_sums_is_followed_for_a_while_only() {
    let mut text = String::from("kernel @k(%0: i64 unaliased, %1: i64) {\nbb0:\n");
    for i in 2..60 {
        let last = i - 1;
        text += &format!("  %{i} = add.i64 %{last}, %{last}\n");
    }
    text += "  %60 = add.i64 %0, %59\n  store.global.i8 [%60], 1\n  %61 = load.global.i8 [%60]\n  store.global.i8 [%0], %61\n  return\n}";
    assert_eq!(stores(&optimised(&text)), 2);
}

/// A kernel that calls `@part` twice: a function with local memory, an object by value and a result that depends on both.
const CALLS: &str = r#"
device @part(%0: bytes 12 align 4, %1: i64, %2: i32) -> i32 {
  local l0 "part" bytes 8 align 4
bb0:
  %3 = addr l0
  %4 = load.generic.i32 [%0]
  %5 = load.generic.i32 [%0+8]
  store.local.i32 [%3], %4
  store.local.i32 [%3+4], %5
  %6 = cmp.gt.i32 %2, 0
  branch %6, bb1, bb2
bb1:
  %7 = load.local.i32 [%3+4]
  store.generic.i32 [%0+8], 99
  return %7
bb2:
  %8 = load.generic.i32 [%1]
  return %8
}

kernel @k(%0: i64 unaliased, %1: i32) {
  local l0 "object" bytes 12 align 4
bb0:
  %2 = addr l0
  store.local.i32 [%2], 5
  store.local.i32 [%2+4], 6
  store.local.i32 [%2+8], %1
  %3:i32 = call @part(%2, %2, 1)
  %4:i32 = call @part(%2, %2, %1)
  %5 = add.i32 %3, %4
  store.global.i32 [%0], %5
  return
}
"#;

#[test]
fn calls_on_a_gpu_are_inlined_and_what_they_passed_becomes_registers() {
    let mut module = ir::parse::module(CALLS).unwrap();
    assert_eq!(ir::verify::module(&module), []);
    opt::run_for_gpu(&mut module, opt::Target::default());
    assert_eq!(ir::verify::module(&module), []);
    let kernel = &module.funcs[1];
    assert_eq!(count(kernel, |kind| matches!(kind, InstKind::Call { .. })), 0);
    assert_eq!((loads(kernel), stores(kernel)), (0, 1), "{}", ir::print::module(&module, false));
}

#[test]
fn functions_that_call_themselves_or_share_memory_are_called() {
    let text = r#"
device @again(%0: i32) -> i32 {
bb0:
  %1 = cmp.gt.i32 %0, 0
  branch %1, bb1, bb2
bb1:
  %2 = add.i32 %0, -1
  %3:i32 = call @other(%2)
  return %3
bb2:
  return 0
}

device @other(%0: i32) -> i32 {
bb0:
  %1:i32 = call @again(%0)
  %2 = add.i32 %1, 1
  return %2
}

device @counts() -> i32 {
  shared s0 "n" bytes 4 align 4 element 4
bb0:
  %0 = addr s0
  %1 = load.shared.i32 [%0]
  return %1
}

kernel @k(%0: i64) {
bb0:
  %1:i32 = call @again(3)
  %2:i32 = call @counts()
  %3 = add.i32 %1, %2
  store.global.i32 [%0], %3
  return
}
"#;
    let mut module = ir::parse::module(text).unwrap();
    opt::run_for_gpu(&mut module, opt::Target::default());
    assert_eq!(ir::verify::module(&module), []);
    assert_eq!(count(&module.funcs[3], |kind| matches!(kind, InstKind::Call { .. })), 2);
}

/// An object of two `real(4)` that is copied as one integer, from memory of other threads and between two slots.
#[test]
fn copies_are_cut_where_components_are_smaller() {
    let f = optimised(
        r#"
kernel @k(%0: i64, %1: i64) {
  local l0 "a" bytes 8 align 8
  local l1 "b" bytes 8 align 8
bb0:
  %2 = addr l0
  %3 = addr l1
  %4 = load.global.i64 [%0]
  store.local.i64 [%2], %4
  barrier.sync
  %5 = load.local.i64 [%2]
  store.local.i64 [%3], %5
  %6 = load.local.f32 [%3+4]
  store.global.f32 [%1], %6
  return
}
"#,
    );
    assert_eq!(loads(&f), 1, "{}", ir::print::function(&Module::default(), &f, false));
    assert_eq!(stores(&f), 1);
}
