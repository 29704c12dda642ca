//! `--tui` in a real pseudo-terminal: what it draws, what keys and the mouse do, and that the terminal is as before however
//! it ends.

mod panic;
mod pty;

use pty::Pty;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn a_session_in_a_terminal_steps_breaks_and_leaves_it_as_it_was() {
    let mut pty = Pty::new(&["--tui", "reduce_racy.cuf"]);
    pty.wait_for("not started");
    pty.type_in("n");
    pty.wait_for("step 1");
    pty.type_in(":break 13\r");
    pty.wait_for("Breakpoint 1 at reduce");
    pty.type_in("c");
    pty.wait_for("reduce #1  block 1  thread 1");
    pty.type_in("qq");
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_program_reads_lines_that_are_typed_and_ctrl_c_stops_one_that_never_ends() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("reads.cuf");
    let text = "integer :: n\nread *, n\nprint *, 'got', n\ndo while (n > 0)\n  n = n + 1 - 1\nend do\nend\n";
    std::fs::write(&path, text).expect("a file");
    let mut pty = Pty::new(&["--tui", &path.display().to_string()]);
    pty.wait_for("not started");
    pty.type_in("c");
    pty.wait_for("the program reads a line");
    pty.type_in("42\r");
    pty.wait_for("Ctrl-C stops it");
    pty.type_in("\x03");
    pty.wait_for("Interrupted");
    pty.type_in("4qq");
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_killed_session_leaves_the_terminal_as_it_was() {
    let pty = Pty::new(&["--tui", "reduce_racy.cuf"]);
    pty.wait_for("not started");
    let id = pty.child.process_id().expect("a process").to_string();
    assert!(Command::new("kill").arg(id).status().expect("kill").success());
    assert_eq!(pty.end(), 130);
}

#[test]
fn without_a_terminal_there_is_one_sentence() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cufemu"));
    command.args(["--tui", "examples/reduce_racy.cuf"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.stdin(Stdio::null()).output().expect("a run");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("needs a terminal") && said.lines().count() == 1, "{said}");
}

#[test]
fn the_mouse_shows_panes_sets_breakpoints_chooses_lanes_and_scrolls() {
    let mut pty = Pty::new(&["--tui", "reduce_racy.cuf"]);
    pty.wait_for("not started");
    pty.type_in(":break 14\rc");
    pty.wait_for("thread 1  warp 0 lane 0");
    // A lane in its strip.
    let (column, row) = pty.find(" 1AAAA").expect("the strip of warp 1");
    pty.click(column + 2 + 5, row);
    pty.wait_for("thread 38  warp 1 lane 5");
    // The title of a pane.
    let (column, row) = pty.find("5 Lanes").expect("the tab");
    pty.click(column + 2, row);
    pty.wait_for("lane thread");
    // The gutter of the source.
    let (_, row) = pty.find("15        h = h/2").expect("a line of the source");
    pty.click(3, row);
    pty.wait_for("Breakpoint 2 at reduce: file reduce_racy.cuf, line 15.");
    // The wheel over the source, and over what it does not lie on.
    let before = pty.find("15        h = h/2").expect("a line of the source");
    pty.type_in(&"\x1b[<65;10;6M".repeat(8));
    pty.wait_for("34  end program");
    assert_ne!(pty.find("15        h = h/2"), Some(before));
    pty.type_in("qq");
    assert_eq!(pty.end(), 0);
}

#[test]
fn function_keys_step_and_go_on() {
    let mut pty = Pty::new(&["--tui", "saxpy.cuf"]);
    pty.wait_for("not started");
    // F10, F11, and F5 as terminals of the family of xterm send them.
    pty.type_in("\x1b[21~");
    pty.wait_for("step 1");
    pty.type_in("\x1b[23~");
    pty.wait_for("step 2");
    pty.type_in("\x1b[15~");
    pty.wait_for("The program has ended");
    pty.type_in("q");
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_line_feed_ends_a_line_as_return_does() {
    // What is typed before the terminal is raw ends in one.
    let mut pty = Pty::new(&["--tui", "reduce_racy.cuf"]);
    pty.wait_for("not started");
    pty.type_in(":break 13\n:break 14\n");
    pty.wait_for("Breakpoint 2 at reduce");
    pty.type_in("qq");
    assert_eq!(pty.end(), 0);
}

#[test]
fn colours_are_those_that_were_asked_for() {
    for (options, variables, coloured) in [
        (&["--tui", "saxpy.cuf"][..], &[][..], true),
        (&["--theme", "light", "--tui", "saxpy.cuf"], &[], true),
        (&["--theme", "plain", "--tui", "saxpy.cuf"], &[], false),
        (&["--tui", "saxpy.cuf"], &[("NO_COLOR", "1")], false),
    ] {
        let mut pty = Pty::with_variables(options, variables);
        pty.wait_for("not started");
        pty.wait_for("? help");
        assert_eq!(pty.is_coloured(), coloured, "{options:?} {variables:?}");
        pty.type_in("q");
        assert_eq!(pty.end(), 0);
    }
}

#[test]
fn a_terminal_without_unicode_gets_ascii() {
    let mut pty = Pty::new(&["--ascii", "--tui", "mmul.cuf"]);
    pty.wait_for("not started");
    pty.type_in(":break 20\rc");
    pty.wait_for("Breakpoint 1 in block 1");
    assert!(pty.contents().is_ascii(), "{}", pty.contents());
    pty.type_in("qq");
    assert_eq!(pty.end(), 0);
}
