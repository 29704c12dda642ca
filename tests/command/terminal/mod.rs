//! `--tui` and `--debug` in a real pseudo-terminal: what they draw, what keys and the mouse do, and that the terminal is as before
//! however they end.

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
fn the_screen_may_begin_with_commands() {
    let mut pty = Pty::new(&[
        "--tui",
        "-ex",
        "break 14 if t == 3",
        "-ex",
        "run",
        "-ex",
        "nonsense",
        "-ex",
        "quit",
        "reduce_racy.cuf",
    ]);
    pty.wait_for("Breakpoint 1");
    // What follows a command that failed is not executed.
    pty.wait_for("Undefined command");
    pty.type_in("\x0c");
    pty.wait_for("thread 3");
    pty.type_in("qq");
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

#[test]
fn a_long_run_shows_how_far_it_is_and_that_races_were_not_looked_for() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("long.cuf");
    let text = "module m\ncontains\nattributes(global) subroutine k(x)\ninteger :: x(*)\nx(1) = 1\nend subroutine\n\
        end module\nprogram p\nuse m\ninteger, device :: x(4)\ninteger :: i, n\nn = 1\ncall k<<<1, 1>>>(x)\n\
        print *, 'before'\ndo while (n > 0)\nn = n + 1 - 1\nend do\nend program\n";
    std::fs::write(&path, text).expect("a file");
    let mut pty = Pty::new(&[&path.display().to_string()]);
    pty.wait_for("Ctrl-C stops it");
    assert!(pty.contents().contains("it; at "), "{}", pty.contents());
    pty.type_in("\x03");
    pty.wait_for("cufemu: interrupted at");
    assert!(!pty.contents().contains("stops it"), "{}", pty.contents());
    assert_eq!(pty.end(), 130);
    let pty = Pty::new(&["saxpy.cuf"]);
    pty.wait_for("data races were not looked for");
    assert_eq!(pty.end(), 0);
    let pty = Pty::new(&["--race", "saxpy.cuf"]);
    pty.wait_for("wrong elements");
    assert!(!pty.contents().contains("races were not"), "{}", pty.contents());
    assert_eq!(pty.end(), 0);
}

/// Line mode with a home of its own, which is empty at first.
fn line_mode(home: &Path, options: &[&str]) -> Pty {
    let home = home.display().to_string();
    let variables = [("HOME", home.as_str()), ("XDG_STATE_HOME", ""), ("XDG_CONFIG_HOME", "")];
    let mut options = options.to_vec();
    options.extend(["--debug", "reduce_racy.cuf"]);
    Pty::with_variables(&options, &variables)
}

fn home(name: &str) -> std::path::PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It may be that of an earlier run.
    let _ = std::fs::remove_dir_all(&home);
    std::fs::create_dir_all(home.join(".config/cufemu")).expect("a folder");
    home
}

#[test]
fn lines_are_edited_completed_and_found_again_in_the_next_session() {
    let home = home("line-editor");
    let mut pty = line_mode(&home, &[]);
    pty.wait_for("(cufemu)");
    // Tab completes commands and names; Ctrl-A goes to the beginning.
    pty.type_in("brea\tredu\t if threadidx%x == 7\x01");
    pty.wait_for("break reduce if threadidx%x == 7");
    pty.type_in("\x05\r");
    pty.wait_for_prompt_behind("Breakpoint 1 at reduce");
    // Ctrl-C gives up the line, and does not stop the program that runs next.
    pty.type_in("print 1\x03");
    pty.wait_for("Quit");
    pty.type_in("run\r");
    pty.wait_for("Breakpoint 1, ");
    pty.type_in("info locals\rprint 123456\r");
    pty.wait_for("$1 = 123456");
    // Several lines that a terminal pastes as one text.
    pty.type_in("\x1b[200~print 5*5\rprint 6*6\x1b[201~\r");
    pty.wait_for("$3 = 36");
    pty.type_in("print 123456\r");
    pty.wait_for_prompt_behind("$4 = 123456");
    pty.type_in("\x04");
    assert_eq!(pty.end(), 0);
    let mut pty = line_mode(&home, &[]);
    // The breakpoints of the last session are there again.
    pty.wait_for("Breakpoint 1 at reduce");
    pty.wait_for("(cufemu)");
    // Up is the last line, Ctrl-R searches for one.
    pty.type_in("\x1b[A\r");
    pty.wait_for("$1 = 123456");
    pty.type_in("\x12reduce if");
    pty.wait_for("break reduce if threadidx%x == 7");
    pty.type_in("\r");
    pty.wait_for("Breakpoint 2 at reduce");
    // An expression that has a value elsewhere only is kept too.
    pty.type_in("delete 1\rrun\r");
    pty.wait_for("Breakpoint 2, ");
    pty.type_in("display s(t) + 1000\r");
    pty.wait_for("1: s(t) + 1000 = ");
    pty.type_in("quit\r");
    assert_eq!(pty.end(), 0);
    // With panes they are the same.
    let state = home.join(".local/state").display().to_string();
    let mut pty = Pty::with_variables(&["--tui", "reduce_racy.cuf"], &[("XDG_STATE_HOME", &state)]);
    pty.wait_for("Breakpoint 1 at reduce");
    pty.type_in("=");
    pty.wait_for("s(t) + 1000 = ");
    pty.type_in(":delete\r:undisplay\r");
    pty.wait_for("no watch expressions");
    pty.type_in("q");
    assert_eq!(pty.end(), 0);
    assert_eq!(std::fs::read_dir(home.join(".local/state/cufemu/breakpoints")).expect("a folder").count(), 0);
}

#[test]
fn the_init_file_is_executed_unless_it_is_not_wanted() {
    let home = home("init-file");
    let text = "define greet\necho hello, $arg0\\n\nend\nset listsize 3\n";
    std::fs::write(home.join(".config/cufemu/init"), text).expect("a file");
    let mut pty = line_mode(&home, &[]);
    pty.wait_for("(cufemu)");
    pty.type_in("greet world\r");
    pty.wait_for_prompt_behind("hello, world");
    pty.type_in("\x04");
    assert_eq!(pty.end(), 0);
    let mut pty = line_mode(&home, &["--no-init"]);
    pty.wait_for("(cufemu)");
    pty.type_in("greet world\r");
    pty.wait_for_prompt_behind("Undefined command: \"greet\"");
    pty.type_in("\x04");
    assert_eq!(pty.end(), 0);
}

#[test]
fn the_program_reads_its_lines_between_those_of_the_debugger() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("line-reads.cuf");
    std::fs::write(&path, "integer :: n\nread *, n\nprint *, 'got', n + 1\nend\n").expect("a file");
    let home = home("line-reads");
    let variables = [("HOME", home.to_str().expect("a path")), ("XDG_STATE_HOME", "")];
    let mut pty = Pty::with_variables(&["--debug", &path.display().to_string()], &variables);
    pty.wait_for("(cufemu)");
    pty.type_in("run\r");
    pty.wait_for("run");
    std::thread::sleep(std::time::Duration::from_millis(300));
    pty.type_in("41\r");
    pty.wait_for("got           42");
    pty.wait_for("[Program exited normally]");
    pty.type_in("quit\r");
    assert_eq!(pty.end(), 0);
}

#[test]
fn the_ranks_have_a_pane_that_goes_on_with_another() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("pane.cuf");
    std::fs::write(&path, crate::ranks::SUM).expect("a file");
    let mut pty = Pty::new(&["--ranks", "3", "--rank", "1", "--tui", &path.display().to_string()]);
    pty.wait_for("rank 1  not started");
    pty.type_in(":break 19\rc");
    pty.wait_for("Breakpoint 1.");
    pty.type_in("R");
    pty.wait_for("  1 pane.cuf:19      is here");
    pty.type_in("jj\r");
    pty.wait_for("rank 2  host");
    pty.wait_for("  2 pane.cuf");
    pty.wait_for("was left here");
    pty.type_in("qq");
    assert_eq!(pty.end(), 0);
}
