//! Standard streams, internal files and the conditions of transfers.

use crate::program::{Main, World};
use ir::Val;
use ir::rt::Rt;

#[test]
fn list_directed_output_has_the_layout_of_nvfortran() {
    let mut m = Main::new();
    m.write(-1, None);
    m.string("n =");
    m.int(Val::i64(42));
    m.rt(Rt::IoPutReal4, &[Val::f32(2.0)]);
    m.rt(Rt::IoPutLogical, &[Val::i64(-1), Val::i32(4)]);
    m.end();
    assert_eq!(m.run(World::default()).out(), " n =           42    2.000000      T\n");
}

#[test]
fn output_without_advance_is_shown_and_continued() {
    let mut m = Main::new();
    m.write(6, Some("(a)"));
    m.rt(Rt::IoOption, &[Val::i32(0), Val::i64(0), Val::i64(0)]);
    m.string("wait");
    m.end();
    m.write(6, Some("(i3)"));
    m.int(Val::i64(7));
    m.end();
    assert_eq!(m.run(World::default()).out(), "wait  7\n");
}

#[test]
fn an_internal_file_is_written_padded_and_read_back() {
    let mut m = Main::new();
    let buffer = m.space(12);
    let value = m.space(4);
    m.begin(0, -2, Some("('n',i4)"), 0);
    m.rt(Rt::IoInternal, &[buffer, Val::i64(12), Val::i64(1)]);
    m.int(Val::i64(-5));
    m.end();
    m.write(-1, Some("('[',a,']')"));
    m.rt(Rt::IoPutChar, &[buffer, Val::i64(12)]);
    m.end();
    m.begin(1, -2, Some("(1x,i4)"), 0);
    m.rt(Rt::IoInternal, &[buffer, Val::i64(12), Val::i64(1)]);
    m.rt(Rt::IoGet, &[Val::i32(0), Val::i32(4), value, Val::i64(0)]);
    m.end();
    let v = m.load(value, 0);
    let v = m.wide(v);
    m.show(v);
    assert_eq!(m.run(World::default()).out(), "[n  -5       ]\n           -5\n");
}

#[test]
fn an_internal_file_that_is_too_short_ends_the_program() {
    let mut m = Main::new();
    let buffer = m.space(3);
    m.begin(0, -2, Some("(i8)"), 0);
    m.rt(Rt::IoInternal, &[buffer, Val::i64(3), Val::i64(1)]);
    m.int(Val::i64(1));
    m.end();
    let mut run = m.start(World::default());
    assert_eq!(run.finish(), 1);
    assert_eq!(run.finding(), "the record exceeds 3 characters");
}

fn read_ints(n: usize, catch: i32) -> Main {
    let mut m = Main::new();
    let at = m.space(4);
    m.begin(1, -1, None, catch);
    for _ in 0..n {
        m.rt(Rt::IoGet, &[Val::i32(0), Val::i32(4), at, Val::i64(0)]);
    }
    let status = m.end();
    let status = m.wide(status);
    m.show(status);
    let v = m.load(at, 0);
    let v = m.wide(v);
    m.show(v);
    m
}

#[test]
fn values_are_read_over_as_many_lines_as_they_take() {
    let world = World { input: ["1, 2", "", "3 4"].into(), ..World::default() };
    let run = read_ints(3, 0).run(world);
    assert_eq!(run.out(), "            0\n            3\n");
}

#[test]
fn end_of_input_is_told_or_ends_the_program() {
    let world = World { input: ["1"].into(), ..World::default() };
    assert_eq!(read_ints(2, 1).run(world.clone()).out(), "           -1\n            1\n");
    let mut run = read_ints(2, 2).start(world);
    assert_eq!(run.finish(), 1);
    assert_eq!(run.finding(), "end of file");
    assert_eq!(run.out(), "");
}

#[test]
fn bad_input_names_the_text() {
    let world = World { input: ["x1"].into(), ..World::default() };
    let mut run = read_ints(1, 0).start(world);
    assert_eq!(run.finish(), 1);
    assert!(run.finding().contains("`x1` cannot be read as"), "{}", run.finding());
}

#[test]
fn output_before_an_error_is_kept() {
    let mut m = Main::new();
    m.show(Val::i64(1));
    m.write(6, Some("(f8.3)"));
    m.int(Val::i64(1));
    m.end();
    m.show(Val::i64(2));
    let mut run = m.start(World::default());
    assert_eq!(run.finish(), 1);
    assert_eq!(run.out(), "            1\n");
    assert!(run.finding().starts_with("format and data do not match"), "{}", run.finding());
}

#[test]
fn stop_shows_its_code_and_gives_it() {
    let mut m = Main::new();
    m.rt(Rt::Stop, &[Val::i32(0), Val::i32(3), Val::i64(0), Val::i64(0)]);
    let mut run = m.start(World::default());
    assert_eq!(run.finish(), 3);
    assert_eq!(run.world.err, b"STOP 3\n");
    let mut m = Main::new();
    let (at, len) = m.text("no luck ");
    m.rt(Rt::Stop, &[Val::i32(1), Val::i32(1), at, len]);
    let mut run = m.start(World::default());
    assert_eq!(run.finish(), 1);
    assert_eq!(run.finding(), "error stop: no luck");
}

#[test]
fn a_clone_taken_anywhere_goes_on_the_same() {
    let mut m = read_ints(3, 0);
    m.write(-1, Some("(3(i2,','))"));
    for i in 0..3 {
        m.int(Val::i64(i));
    }
    m.end();
    let world = World { input: ["1, 2", "", "3 4"].into(), ..World::default() };
    let mut run = m.start(world);
    let mut clones = vec![run.clone()];
    while run.step(1).is_none() {
        clones.push(run.clone());
    }
    assert!(clones.len() > 5);
    for mut clone in clones {
        clone.finish();
        assert_eq!(clone.out(), run.out());
    }
}

/// A write to an internal file of records of 6 characters, which catches conditions: `iostat` and what follows are shown.
fn write_caught(m: &mut Main, format: Option<&str>, count: i64, items: &[i64]) {
    let buffer = m.space(12);
    m.begin(0, -2, format, 1);
    m.rt(Rt::IoInternal, &[buffer, Val::i64(6), Val::i64(count)]);
    for &item in items {
        m.int(Val::i64(item));
    }
    let status = m.end();
    let status = m.wide(status);
    m.show(status);
    m.write(-1, Some("('[',a,']')"));
    m.rt(Rt::IoPutChar, &[buffer, Val::i64(12)]);
    m.end();
}

#[test]
fn conditions_of_internal_files_are_caught() {
    let mut m = Main::new();
    write_caught(&mut m, Some("(i3,i3)"), 2, &[1, 2, 3, 4]);
    write_caught(&mut m, Some("(i5)"), 2, &[1, 2, 3]);
    write_caught(&mut m, Some("(2i5)"), 2, &[1, 2]);
    write_caught(&mut m, Some("(i3,a"), 2, &[1]);
    write_caught(&mut m, Some("(i3,f5.1)"), 2, &[1, 2]);
    write_caught(&mut m, Some("(i3)"), 1, &[7]);
    let run = m.run(World::default());
    let out = run.out().replace('\0', "_");
    let lines: Vec<&str> = out.lines().map(str::trim_start).collect();
    let expected = [
        "0",
        "[  1  2  3  4]",
        "-1",
        "[    1     2 ]",
        "219",
        "[____________]",
        "220",
        "[____________]",
        "230",
        "[____________]",
        "0",
        "[  7   ______]",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn texts_are_searched_compared_and_assigned() {
    let mut m = Main::new();
    let (text, length) = m.text("banana  ");
    let (part, part_length) = m.text("an");
    let room = m.space(10);
    m.rt(Rt::CharAssign, &[room, Val::i64(10), text, length]);
    m.write(-1, Some("('[',a,']')"));
    m.rt(Rt::IoPutChar, &[room, Val::i64(10)]);
    m.end();
    for (service, back) in [(Rt::CharIndex, 0), (Rt::CharIndex, 1), (Rt::CharScan, 1), (Rt::CharVerify, 0)] {
        let found = m.rt(service, &[room, Val::i64(10), part, part_length, Val::i32(back)])[0];
        m.show(found);
    }
    let trimmed = m.rt(Rt::CharLenTrim, &[room, Val::i64(10)])[0];
    m.show(trimmed);
    let compared = m.rt(Rt::CharCompare, &[room, Val::i64(10), text, length])[0];
    let compared = m.wide(compared);
    m.show(compared);
    let out = m.run(World::default()).out();
    let lines: Vec<&str> = out.lines().map(str::trim_start).collect();
    assert_eq!(lines, ["[banana    ]", "2", "4", "6", "1", "6", "0"]);
}

#[test]
fn a_text_outside_of_memory_ends_the_program() {
    for (service, count) in [(Rt::CharLenTrim, 2), (Rt::CharAssign, 4)] {
        let mut m = Main::new();
        let (text, length) = m.text("abc");
        let outside = [Val::i64(16), Val::i64(3), text, length];
        m.rt(service, &outside[..count]);
        m.show(Val::i64(1));
        let mut run = m.start(World::default());
        assert_eq!(run.finish(), 1);
        assert_eq!((run.found.len(), run.out()), (1, String::new()), "{service}");
    }
}
