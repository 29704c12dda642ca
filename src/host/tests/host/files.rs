//! OPEN, CLOSE, positions, and files of every sort.

use crate::program::{Main, World};
use ir::Val;
use ir::rt::Rt;

fn read_int(m: &mut Main, unit: i64, format: Option<&str>, catch: i32) -> (Val, Val) {
    let at = m.space(4);
    m.begin(1, unit, format, catch);
    m.rt(Rt::IoGet, &[Val::i32(0), Val::i32(4), at, Val::i64(0)]);
    let status = m.end();
    let v = m.load(at, 0);
    (m.wide(v), m.wide(status))
}

fn close(m: &mut Main, unit: i64, delete: i32) {
    m.rt(Rt::IoClose, &[Val::i64(unit), Val::i32(delete), Val::i32(0)]);
}

fn rewind(m: &mut Main, unit: i64) {
    m.rt(Rt::IoPosition, &[Val::i64(unit), Val::i32(0), Val::i32(0)]);
}

#[test]
fn a_file_is_written_rewound_and_read() {
    let mut m = Main::new();
    m.open(10, "file=a.txt  \nstatus=replace\ncatch=0\n");
    for i in [11, 12] {
        m.write(10, Some("(i4)"));
        m.int(Val::i64(i));
        m.end();
    }
    rewind(&mut m, 10);
    for _ in 0..3 {
        let (v, status) = read_int(&mut m, 10, None, 1);
        m.show(v);
        m.show(status);
    }
    close(&mut m, 10, 0);
    let run = m.run(World::default());
    assert_eq!(run.world.files["a.txt"], b"  11\n  12\n");
    let shown: Vec<i64> = run.out().split_whitespace().map(|w| w.parse().expect("a number")).collect();
    assert_eq!(shown, [11, 0, 12, 0, 0, -1]);
}

#[test]
fn files_left_open_are_completed_at_the_end_of_the_program() {
    let mut m = Main::new();
    m.write(7, Some("(a)"));
    m.rt(Rt::IoOption, &[Val::i32(0), Val::i64(0), Val::i64(0)]);
    m.string("half");
    m.end();
    let run = m.run(World::default());
    assert_eq!(run.world.files["fort.7"], b"half\n");
}

#[test]
fn appending_keeps_what_was_there() {
    let mut m = Main::new();
    m.open(3, "file=log\nstatus=old\nposition=append\ncatch=0");
    m.write(3, Some("(a)"));
    m.string("new");
    m.end();
    let mut world = World::default();
    world.files.insert("log".to_owned(), b"old\n".to_vec());
    assert_eq!(m.run(world).world.files["log"], b"old\nnew\n");
}

#[test]
fn writing_in_the_middle_ends_the_file_there() {
    let mut m = Main::new();
    m.open(3, "file=f\ncatch=0");
    read_int(&mut m, 3, None, 0);
    m.write(3, Some("(a)"));
    m.string("x");
    m.end();
    let mut world = World::default();
    world.files.insert("f".to_owned(), b"1\n2\n3\n".to_vec());
    assert_eq!(m.run(world).world.files["f"], b"1\nx\n");
}

#[test]
fn open_of_what_is_not_there_is_told_or_ends_the_program() {
    let mut m = Main::new();
    let status = m.open(9, "file=none\nstatus=old\ncatch=1");
    let status = m.wide(status);
    m.show(status);
    assert_eq!(m.run(World::default()).out().trim(), "209");
    let mut m = Main::new();
    m.open(9, "file=none\nstatus=old\ncatch=0");
    let mut run = m.start(World::default());
    assert_eq!(run.finish(), 1);
    assert_eq!(run.finding(), "unit 9: `none` does not exist");
    let mut m = Main::new();
    m.open(9, "file=f\nstatus=sometimes\ncatch=0");
    let mut run = m.start(World::default());
    run.finish();
    assert_eq!(run.finding(), "unit 9: `sometimes` is not a value of `status=`");
}

#[test]
fn direct_access_finds_records_by_number() {
    let mut m = Main::new();
    m.open(4, "file=d\naccess=direct\nform=unformatted\nrecl=4\nstatus=replace\ncatch=0");
    for (rec, value) in [(3, 33), (1, 11)] {
        m.rt(Rt::IoBegin, &[Val::i32(0), Val::i32(2), Val::i64(4), Val::i32(0)]);
        m.rt(Rt::IoOption, &[Val::i32(1), Val::i64(rec), Val::i64(0)]);
        m.int(Val::i64(value));
        m.end();
    }
    let run = m.run(World::default());
    assert_eq!(run.world.files["d"], [11, 0, 0, 0, 0, 0, 0, 0, 33, 0, 0, 0]);
}

#[test]
fn unformatted_records_are_read_back_after_backspace() {
    let mut m = Main::new();
    let at = m.space(4);
    m.open(4, "form=unformatted\nstatus=scratch\ncatch=0");
    for value in [5, 6] {
        m.rt(Rt::IoBegin, &[Val::i32(0), Val::i32(2), Val::i64(4), Val::i32(0)]);
        m.int(Val::i64(value));
        m.end();
    }
    m.rt(Rt::IoPosition, &[Val::i64(4), Val::i32(1), Val::i32(0)]);
    m.rt(Rt::IoBegin, &[Val::i32(1), Val::i32(2), Val::i64(4), Val::i32(0)]);
    m.rt(Rt::IoGet, &[Val::i32(0), Val::i32(4), at, Val::i64(0)]);
    m.end();
    let v = m.load(at, 0);
    let v = m.wide(v);
    m.show(v);
    let run = m.run(World::default());
    assert_eq!(run.out().trim(), "6");
    assert!(run.world.files.is_empty());
}

#[test]
fn close_may_delete() {
    let mut m = Main::new();
    m.open(4, "file=gone\nstatus=old\ncatch=0");
    close(&mut m, 4, 1);
    let mut world = World::default();
    world.files.insert("gone".to_owned(), b"x\n".to_vec());
    assert!(m.run(world).world.files.is_empty());
}
