//! Memory services and faults of host code.

use crate::program::{Main, World, span};
use ir::rt::Rt;
use ir::{Ty, Val};

#[test]
fn memory_is_allocated_filled_and_freed() {
    let mut m = Main::new();
    let none = Val::i64(0);
    let array = m.rt(Rt::Alloc, &[Val::i32(0), Val::i64(40), none, none, Val::i32(0)])[0];
    let descriptor = m.space(48);
    for (offset, value) in [
        (0, array.into()),
        (8, Val::i64(4)),
        (16, Val::i64(1)),
        (24, Val::i64(1)),
        (32, Val::i64(10)),
        (40, Val::i64(4)),
    ] {
        m.store(Ty::I64, descriptor, offset, value);
    }
    m.rt(Rt::Fill, &[descriptor, Val::i64(9)]);
    let v = m.load(array, 36);
    let v = m.wide(v);
    m.show(v);
    m.rt(Rt::Free, &[Val::i32(0), array.into(), none, none, Val::i32(0)]);
    assert_eq!(m.run(World::default()).out().trim(), "9");
}

#[test]
fn use_after_free_names_the_array() {
    let mut m = Main::new();
    let (name, len) = m.text("work");
    m.b.set_span(span(10));
    let array = m.rt(Rt::Alloc, &[Val::i32(0), Val::i64(40), name, len, Val::i32(0)])[0];
    m.rt(Rt::Free, &[Val::i32(0), array.into(), name, len, Val::i32(0)]);
    m.b.set_span(span(30));
    m.load(array, 0);
    let mut run = m.start(World::default());
    assert_eq!(run.finish(), 1);
    assert!(run.finding().contains("`work`"), "{}", run.finding());
    assert_eq!(run.found[0].span(), span(30));
}

#[test]
fn deallocation_of_nothing_is_told_by_name() {
    let mut m = Main::new();
    let (name, len) = m.text("work");
    m.rt(Rt::Free, &[Val::i32(0), Val::i64(0), name, len, Val::i32(0)]);
    let mut run = m.start(World::default());
    run.finish();
    assert_eq!(run.finding(), "`work` cannot be deallocated: it is not allocated");
}

#[test]
fn an_allocation_that_does_not_fit_gives_stat_or_ends_the_program() {
    for has_stat in [1, 0] {
        let mut m = Main::new();
        let (name, len) = m.text("huge");
        let stat = m.rt(Rt::Alloc, &[Val::i32(0), Val::i64(1 << 50), name, len, Val::i32(has_stat)])[1];
        let stat = m.wide(stat);
        m.show(stat);
        let mut run = m.start(World::default());
        run.finish();
        if has_stat == 1 {
            assert_eq!(run.out().trim(), "1");
        } else {
            assert_eq!(run.finding(), "no memory for 1125899906842624 bytes of `huge`");
        }
    }
}

#[test]
fn a_null_address_is_a_finding() {
    let mut m = Main::new();
    m.store(Ty::I32, Val::i64(16), 0, Val::i32(1));
    let mut run = m.start(World::default());
    assert_eq!(run.finish(), 1);
    assert_eq!(run.found[0].kind, finding::FindingKind::Null);
}

#[test]
fn a_bad_subscript_is_told_with_its_bounds() {
    let mut m = Main::new();
    let (name, len) = m.text("a");
    m.rt(Rt::ErrorBounds, &[Val::i64(11), Val::i64(1), Val::i64(10), Val::i32(1), name, len]);
    let mut run = m.start(World::default());
    run.finish();
    assert!(run.finding().contains("11"), "{}", run.finding());
}

#[test]
fn characters_are_assigned_compared_and_searched() {
    let mut m = Main::new();
    let target = m.space(5);
    let (source, len) = m.text("ab");
    m.rt(Rt::CharAssign, &[target, Val::i64(5), source, len]);
    let order = m.rt(Rt::CharCompare, &[target, Val::i64(5), source, len])[0];
    let order = m.wide(order);
    m.show(order);
    let n = m.rt(Rt::CharLenTrim, &[target, Val::i64(5)])[0];
    m.show(n);
    let at = m.rt(Rt::CharIndex, &[target, Val::i64(5), source, Val::i64(1), Val::i32(0)])[0];
    m.show(at);
    let shown: Vec<String> = m.run(World::default()).out().split_whitespace().map(str::to_owned).collect();
    assert_eq!(shown, ["0", "2", "1"]);
}

#[test]
fn clocks_arguments_and_environment_come_from_outside() {
    let mut m = Main::new();
    let clock = m.rt(Rt::SystemClock, &[])[0];
    let seconds = m.b.bin(ir::op::BinOp::Div, Ty::I64, clock, Val::i64(1_000_000_000));
    m.show(seconds);
    let n = m.rt(Rt::ArgCount, &[])[0];
    let n = m.wide(n);
    m.show(n);
    let at = m.space(8);
    let n = m.rt(Rt::ArgGet, &[Val::i32(1), at, Val::i64(8)])[0];
    m.show(n);
    let (name, len) = m.text("HOME ");
    let n = m.rt(Rt::EnvGet, &[Val::i32(0), at, Val::i64(8), name, len])[0];
    m.show(n);
    let n = m.rt(Rt::ArgGet, &[Val::i32(5), at, Val::i64(8)])[0];
    m.show(n);
    let shown: Vec<String> = m.run(World::default()).out().split_whitespace().map(str::to_owned).collect();
    assert_eq!(shown, ["1", "1", "3", "5", "-1"]);
}
