//! Time in both directions: what was seen on the way forward is seen again on the way back, quickly, and the program can be
//! interrupted at any time.

use crate::sessions::{Script, session, talk};
use cufemu_debug::{
    Command, Event, FocusView, LineMode, Outcome, Request, SessionThread, Stop, StopReason, Where, parse,
};
use std::time::{Duration, Instant};

fn program(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/debug").join(name);
    std::fs::read_to_string(path).expect("a program")
}

/// What a moment looks like: who, where, and the values of some expressions.
fn moment(line: &mut LineMode, command: &str) -> (String, bool) {
    let mut script = Script::default();
    line.line(command, &mut script);
    let moved = !script.shown.contains("No more reverse") && !script.shown.contains("not being run");
    let mut all = Script::default();
    for ask in ["thread", "frame", "info locals", "info args", "info threads"] {
        line.line(ask, &mut all);
    }
    (all.shown, moved)
}

#[test]
fn stepping_back_retraces_every_step_forward() {
    for (name, begin) in [("saxpy.cuf", vec!["b 11 if blockidx%x == 2", "run"]), ("host.cuf", vec!["start"])] {
        let mut line = LineMode::new(session(name, &program(name)));
        for command in begin {
            line.line(command, &mut Script::default());
        }
        line.line("delete", &mut Script::default());
        let mut seen = vec![moment(&mut line, "frame").0];
        loop {
            let (now, moved) = moment(&mut line, "step");
            if !moved
                || line.session().exit_code().is_some()
                || seen.len() > 60
                || now.contains("the host") && name != "host.cuf"
            {
                break;
            }
            seen.push(now);
        }
        assert!(seen.len() > 5, "{name}");
        for expected in seen.iter().rev() {
            let (now, _) = moment(&mut line, "reverse-step");
            assert_eq!(&now, expected, "{name}");
        }
    }
}

#[test]
fn every_step_in_a_launch_of_a_million_threads_takes_less_than_a_second() {
    let commands = [
        "break 16 if threadidx%x == 5 .and. blockidx%x == 3000",
        "run",
        "next",
        "reverse-step",
        "print b((blockidx%x - 1)*blockdim%x + threadidx%x)",
        "next",
        "reverse-next",
        "reverse-next",
        "step",
        "info threads",
        "info warps",
        "print t@warp",
        "next 3",
        "reverse-step",
        "reverse-continue",
    ];
    let mut line = LineMode::new(session("million.cuf", &program("million.cuf")));
    for command in commands {
        let begun = Instant::now();
        line.line(command, &mut Script::default());
        let took = begun.elapsed();
        // The way to the first stop is no step.
        assert!(command == "run" || took < Duration::from_secs(1), "`{command}` took {took:?}");
    }
}

#[test]
fn the_first_step_back_after_a_stop_is_quick_too() {
    let mut line = LineMode::new(session("million.cuf", &program("million.cuf")));
    let mut all: Vec<Duration> = Vec::new();
    let back = |line: &mut LineMode, command: &str| {
        let mut shown = Script::default();
        let begun = Instant::now();
        line.line(command, &mut shown);
        let took = begun.elapsed();
        assert!(shown.shown.contains('\t'), "`{command}` does not stop at a line: {}", shown.shown);
        took
    };
    for block in [500, 1300, 2100, 2900, 3700] {
        line.line(&format!("tbreak 16 if threadidx%x == 37 .and. blockidx%x == {block}"), &mut Script::default());
        line.line(if block == 500 { "run" } else { "continue" }, &mut Script::default());
        all.push(back(&mut line, "reverse-step"));
    }
    // After going far back, and over the launch.
    line.line("tbreak 12 if threadidx%x == 37 .and. blockidx%x == 700", &mut Script::default());
    line.line("reverse-continue", &mut Script::default());
    all.push(back(&mut line, "reverse-next"));
    line.line("host", &mut Script::default());
    all.push(back(&mut line, "reverse-next"));
    all.sort();
    // It takes 2 to 10 ms; the computer may be busy with something else.
    assert!(all[all.len() / 2] < Duration::from_millis(50), "{all:?}");
}

/// A kernel that does not end by itself.
const ENDLESS: &str = include_str!("../endless.cuf");

fn answer(thread: &SessionThread) -> Stop {
    loop {
        match thread.events().recv().expect("an event") {
            Event::Done(outcome) => match *outcome {
                Ok(Outcome::Stop(stop)) => return *stop,
                other => panic!("no stop: {other:?}"),
            },
            Event::Output(_) => {}
            other => panic!("not asked for: {other:?}"),
        }
    }
}

#[test]
fn an_endless_kernel_can_be_interrupted_and_stepped_back() {
    let thread = SessionThread::spawn(session("endless.cuf", ENDLESS)).expect("a thread");
    assert!(thread.ask(Request::Do(Command::Run(None))));
    std::thread::sleep(Duration::from_millis(200));
    thread.interrupt();
    let stop = answer(&thread);
    assert_eq!(stop.reason, StopReason::Interrupted);
    assert!(matches!(stop.focus, FocusView::Thread { kernel: 1, thread: [1, 1, 1], .. }), "{:?}", stop.focus);
    assert!(thread.ask(Request::Do(Command::ReverseStep(1))));
    let back = answer(&thread);
    assert_eq!((back.reason, back.time), (StopReason::Step, stop.time - 1));
    assert!(thread.ask(Request::Do(Command::Step(1))));
    assert_eq!(answer(&thread).time, stop.time);
    assert!(thread.ask(Request::Complete("rev".into())));
    let Ok(Event::Completions(names)) = thread.events().recv() else { panic!("no completions") };
    assert_eq!(
        names,
        ["reverse-continue", "reverse-finish", "reverse-next", "reverse-search", "reverse-step", "reverse-stepi"]
    );
}

#[test]
fn a_program_that_only_reaches_false_conditions_can_be_interrupted() {
    let thread = SessionThread::spawn(session("endless.cuf", ENDLESS)).expect("a thread");
    let at = Where::Line(8);
    assert!(thread.ask(Request::Do(Command::Break { at, condition: Some("i == -1".into()), temporary: false })));
    assert!(matches!(thread.events().recv(), Ok(Event::Done(set)) if set.is_ok()));
    assert!(thread.ask(Request::Do(Command::Run(None))));
    std::thread::sleep(Duration::from_millis(200));
    thread.interrupt();
    assert_eq!(answer(&thread).reason, StopReason::Interrupted);
}

#[test]
fn what_was_set_is_set_again_when_the_moment_is_passed_again() {
    let commands =
        ["b 16", "run", "set var t = 3.0", "next", "rs", "rs", "rs", "print t", "next", "next", "next", "print t"];
    let text = talk("million.cuf", &program("million.cuf"), commands);
    let values: Vec<&str> = text.lines().filter(|l| l.starts_with('$')).collect();
    assert_eq!(values, ["$1 = 6.1875", "$2 = 3.0"], "{text}");
}

#[test]
fn input_is_read_once_and_answered_the_same_again() {
    let source = "program main\n  integer :: n\n  n = 1\n  read (*,*) n\n  n = n + 1\n  print *, n\nend program main\n";
    let text = talk("input.cuf", source, ["start", "next", "next", "print n", "rn", "rn", "print n", "c"]);
    assert!(text.contains("$1 = 42\n") && text.contains("$2 = 0\n") && text.contains("         43\n"), "{text}");
    assert_eq!(text.matches("         43\n").count(), 1, "{text}");
}

#[test]
fn a_line_that_is_no_command_leaves_the_session_as_it_was() {
    let mut line = LineMode::new(session("host.cuf", &program("host.cuf")));
    line.line("start", &mut Script::default());
    for wrong in [
        "pront x",
        "print",
        "print a(",
        "thread 1",
        "finish",
        "up 1",
        "set var a",
        "watch 1+1",
        "b nowhere",
        "list 9999",
    ] {
        let mut script = Script::default();
        assert!(line.line(wrong, &mut script));
        assert!(line.has_failed() && script.shown.ends_with(".\n"), "{wrong}: {}", script.shown);
    }
    assert!(parse::parse("b 12 if").is_err());
    assert_eq!(
        parse::parse("b x.cuf:3"),
        Ok(Some(Command::Break { at: Where::FileLine("x.cuf".into(), 3), condition: None, temporary: false }))
    );
    let mut script = Script::default();
    line.line("frame", &mut script);
    assert_eq!(script.shown, "#0  main () at host.cuf:38\n38\t  do i = 1, 12\n");
}

#[test]
fn what_was_searched_is_not_searched_again() {
    let mut line = LineMode::new(session("million.cuf", &program("million.cuf")));
    let mut timed = |command: &str| {
        let mut shown = Script::default();
        let begun = Instant::now();
        line.line(command, &mut shown);
        (begun.elapsed(), shown.shown)
    };
    timed("break 16 if threadidx%x == 5 .and. blockidx%x == 600");
    let (run, _) = timed("run");
    let (rest, _) = timed("continue");
    let (hit, at_hit) = timed("reverse-continue");
    assert!(at_hit.contains("Breakpoint 1, "), "{at_hit}");
    let (start, at_start) = timed("reverse-continue");
    assert!(at_start.contains("No more reverse-execution history"), "{at_start}");
    let (limit, all) = ((run + rest) / 4, [run, rest, hit, start]);
    assert!(hit < limit && start < limit, "{all:?}");
    // A new condition is looked for everywhere, and found.
    timed("tbreak 16 if threadidx%x == 7 .and. blockidx%x == 700");
    timed("continue");
    timed("continue");
    timed("condition 1 threadidx%x == 9 .and. blockidx%x == 200");
    let (_, other) = timed("reverse-continue");
    assert!(other.contains("thread (9,1,1)") && other.contains("block (200,1,1)"), "{other}");
    // So is what an assignment in the past has made true.
    timed("condition 1 j == 77 .and. blockidx%x == 300");
    timed("reverse-continue");
    timed("tbreak 14 if threadidx%x == 3 .and. blockidx%x == 300");
    let (_, at_14) = timed("continue");
    assert!(at_14.contains("Temporary breakpoint"), "{at_14}");
    timed("set var j = 76");
    timed("next");
    timed("continue");
    let (_, changed) = timed("reverse-continue");
    assert!(changed.contains("block (300,1,1), thread (3,1,1)") || changed.contains("No more"), "{changed}");
}

/// A program that has run to its end, and the moments on the way back. If `is_seen`, there were breakpoints, which never stopped it.
fn after_a_run(name: &str, is_seen: bool) -> (u64, Vec<String>) {
    let text = program(name);
    let mut line = LineMode::new(session(name, &text));
    if is_seen {
        // The first statement is in device code, the last one on the host.
        for number in [1, text.lines().count()] {
            line.line(&format!("break {number} if .false."), &mut Script::default());
        }
    }
    line.line("run", &mut Script::default());
    line.line("delete", &mut Script::default());
    assert!(line.session().exit_code().is_some(), "{name}");
    let time = line.session().progress().time();
    let commands = ["reverse-step", "reverse-step", "reverse-step", "reverse-step", "reverse-continue"];
    (time, commands.iter().map(|command| moment(&mut line, command).0).collect())
}

#[test]
fn statements_that_nobody_sees_are_counted_and_seen_on_the_way_back() {
    for name in ["busy.cuf", "saxpy.cuf", "host.cuf", "shared.cuf", "divergent.cuf", "threads.cuf", "phases.cuf"] {
        assert_eq!(after_a_run(name, false), after_a_run(name, true), "{name}");
    }
}

#[test]
fn the_way_back_repeats_no_output_and_keeps_what_was_set() {
    let source = "module m
contains
  attributes(global) subroutine k(a)
    integer :: a(*)
    a(threadidx%x) = a(threadidx%x) + 1
  end subroutine
end module
program main
  use m
  integer, device :: d(32)
  integer :: i, j, n, total
  d = 0
  total = 0
  do j = 1, 3
    do i = 1, 60000
      total = total + 1
    end do
    print *, 'part', j, total
    call k<<<1, 32>>>(d)
    if (j == 2) read (*, *) n
    print *, 'read', j, n
  end do
end program
";
    let mut script = vec!["break 5", "run", "rs", "rs", "rs", "rs", "print i", "rs", "c"];
    // In the past of the second launch the total is set, which the third part shows.
    script.extend(["c", "rs", "print total", "set var total = 5", "c", "c", "print a(1)"]);
    script.extend(["rc", "rs", "rs", "rs", "rc", "rs", "rs", "rs", "rs", "print total", "delete", "c"]);
    let text = talk("ways.cuf", source, script);
    for line in ["$1 = 60000", "$2 = 120000", "$3 = 2", "$4 = 59999"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let printed: Vec<&str> =
        text.lines().filter(|line| line.starts_with(" part") || line.starts_with(" read")).collect();
    let words: Vec<Vec<&str>> = printed.iter().map(|line| line.split_whitespace().collect()).collect();
    let parts = [["part", "1", "60000"], ["read", "1", "0"], ["part", "2", "120000"], ["read", "2", "42"]];
    let rest = [["part", "3", "60005"], ["read", "3", "42"]];
    assert_eq!(words, [parts.as_slice(), &rest].concat(), "{text}");
}
