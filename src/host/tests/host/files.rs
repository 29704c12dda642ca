//! OPEN, CLOSE, positions, and files of every sort.

use crate::program::{Main, World, span};
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
    m.rt(Rt::IoClose, &[Val::i64(unit), Val::i32(delete), Val::i32(0), Val::i64(0), Val::i64(0)]);
}

fn rewind(m: &mut Main, unit: i64) {
    m.rt(Rt::IoPosition, &[Val::i64(unit), Val::i32(0), Val::i32(0), Val::i64(0), Val::i64(0)]);
}

/// Reads an integer(4) as an unformatted record and shows it.
fn show_unformatted(m: &mut Main, unit: i64, at: Val) {
    m.rt(Rt::IoBegin, &[Val::i32(1), Val::i32(2), Val::i64(unit), Val::i32(0)]);
    m.rt(Rt::IoGet, &[Val::i32(0), Val::i32(4), at, Val::i64(0)]);
    m.end();
    let v = m.load(at, 0);
    let v = m.wide(v);
    m.show(v);
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
    m.rt(Rt::IoPosition, &[Val::i64(4), Val::i32(1), Val::i32(0), Val::i64(0), Val::i64(0)]);
    show_unformatted(&mut m, 4, at);
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

/// Begins an unformatted output statement with an option of `io.option`, and writes `value`.
fn put_at(m: &mut Main, option: i32, place: i64, value: i64) -> Val {
    m.rt(Rt::IoBegin, &[Val::i32(0), Val::i32(2), Val::i64(4), Val::i32(1)]);
    m.rt(Rt::IoOption, &[Val::i32(option), Val::i64(place), Val::i64(0)]);
    m.int(Val::i64(value));
    m.end()
}

fn numbers(text: &str) -> Vec<i64> {
    text.split_whitespace().map(|w| w.parse().expect("a number")).collect()
}

#[test]
fn a_record_or_position_that_no_file_has_room_for_is_told() {
    for (access, option) in [("direct\nrecl=8", 1), ("stream", 2)] {
        let mut m = Main::new();
        m.open(4, &format!("file=d\naccess={access}\nform=unformatted\nstatus=replace\ncatch=0"));
        for place in [i64::MAX, 10_000_000_000, i64::MIN, 0, 1] {
            let status = put_at(&mut m, option, place, 7);
            let status = m.wide(status);
            m.show(status);
        }
        assert_eq!(numbers(&m.run(World::default()).out()), [299, 299, 201, 201, 0]);
    }
}

#[test]
fn a_file_that_cannot_be_written_at_the_end_is_an_error_where_it_was_opened() {
    let mut m = Main::new();
    m.b.set_span(span(70));
    m.open(10, "file=full\ncatch=0");
    m.b.set_span(span(80));
    for unit in [10, 11] {
        m.write(unit, Some("(a)"));
        m.string("x");
        m.end();
    }
    let mut run = m.start(World::default());
    assert_eq!(run.finish(), 2);
    assert_eq!(
        run.finding(),
        "unit 10: `full`: there is no room, so that what was written is lost at the end of the program"
    );
    assert_eq!(run.found[0].accesses[0].span, span(70));
    assert_eq!(run.world.files["fort.11"], b"x\n");
}

#[test]
fn convert_turns_the_bytes_of_values_and_lengths_round() {
    for (convert, first) in [("big_endian", 0), ("swap", 0), ("native", 4), ("LITTLE_ENDIAN ", 4)] {
        let mut m = Main::new();
        m.open(4, &format!("file=d\nform=unformatted\nstatus=replace\nconvert={convert}\ncatch=0"));
        m.rt(Rt::IoBegin, &[Val::i32(0), Val::i32(2), Val::i64(4), Val::i32(0)]);
        m.int(Val::i64(0x0102));
        m.end();
        rewind(&mut m, 4);
        let at = m.space(4);
        show_unformatted(&mut m, 4, at);
        let run = m.run(World::default());
        assert_eq!(numbers(&run.out()), [0x0102]);
        let file = &run.world.files["d"];
        assert_eq!(file[0], first);
        assert_eq!(file[4..8], if first == 0 { [0, 0, 1, 2] } else { [2, 1, 0, 0] });
    }
    for wrong in ["convert=vax", "encoding=latin1", "asynchronous=perhaps"] {
        let mut m = Main::new();
        m.open(4, &format!("file=d\n{wrong}\ncatch=0"));
        let mut run = m.start(World::default());
        assert_eq!(run.finish(), 1);
        let (key, value) = wrong.split_once('=').expect("a value");
        assert_eq!(run.finding(), format!("unit 4: `{value}` is not a value of `{key}=`"));
    }
}

#[test]
fn flush_writes_only_what_has_changed() {
    let mut m = Main::new();
    m.open(4, "file=d\naccess=direct\nform=unformatted\nrecl=4\nstatus=replace\ncatch=0");
    for rec in 1..=100 {
        put_at(&mut m, 1, rec, rec);
        put_at(&mut m, 1, 1, rec);
        m.rt(Rt::IoPosition, &[Val::i64(4), Val::i32(3), Val::i32(0), Val::i64(0), Val::i64(0)]);
    }
    let run = m.run(World::default());
    assert_eq!(run.world.files["d"].len(), 400);
    assert_eq!((run.world.files["d"][0], run.world.files["d"][396]), (100, 100));
    assert!(run.world.written <= 800, "{}", run.world.written);
}

#[test]
fn one_file_by_two_names_is_one_file() {
    let mut m = Main::new();
    m.open(10, "file=same\nstatus=replace\ncatch=0");
    m.open(11, "file=./same\ncatch=0");
    let mut run = m.start(World::default());
    assert_eq!(run.finish(), 1);
    assert_eq!(run.finding(), "unit 11: `./same` is connected to unit 10");
}

#[test]
fn a_pipe_is_read_by_the_first_read_and_not_before() {
    let mut m = Main::new();
    m.open(10, "file=pipe\nstatus=old\ncatch=0");
    let (v, status) = read_int(&mut m, 10, None, 1);
    m.show(v);
    m.show(status);
    let mut world = World::default();
    world.files.insert("pipe".to_owned(), b"42\n".to_vec());
    assert_eq!(numbers(&m.run(world).out()), [42, 0]);
}

#[test]
fn inquire_tells_existence_and_size_without_reading() {
    let mut m = Main::new();
    let (at, len) = m.text("there");
    for what in [0, 3] {
        let answer = m.rt(Rt::IoInquire, &[Val::i64(-1), at, len, Val::i32(what)])[0];
        m.show(answer);
    }
    let (at, len) = m.text("nowhere");
    for what in [0, 3] {
        let answer = m.rt(Rt::IoInquire, &[Val::i64(-1), at, len, Val::i32(what)])[0];
        m.show(answer);
    }
    let mut world = World::default();
    world.files.insert("there".to_owned(), vec![0; 17]);
    assert_eq!(numbers(&m.run(world).out()), [1, 17, 0, -1]);
}
