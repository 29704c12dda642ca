//! `docs/debugger.md` is generated from the tables of commands, panes and keys. `CUFEMU_BLESS=1` renews it.

use crate::driver::root;

const HEAD: &str = "# The debugger\n\n\
    `cufemu --debug prog.cuf` starts the debugger in line mode, and `cufemu --tui prog.cuf` starts it with panes. `--batch FILE`\n\
    and `-ex CMD` run commands from a script. All of them have the commands below. Commands that gdb or cuda-gdb has too have\n\
    the same names and meanings. Any unambiguous prefix of a command works.\n\n\
    At a terminal, lines of line mode are edited with the keys of readline: Tab completes commands, names and files, Up recalls\n\
    earlier lines, Ctrl-R searches them, Ctrl-C gives a line up, or interrupts the program. The history is kept between sessions\n\
    (`~/.local/state/cufemu/history`, or below `$XDG_STATE_HOME`). `--debug` begins with the commands in\n\
    `~/.config/cufemu/init` (or below `$XDG_CONFIG_HOME`), unless `--no-init` is given.\n\n\
    Breakpoints, watchpoints and displays are kept too: at a terminal, `--debug` and `--tui` begin with those that the last session\n\
    of the same source files ended with, unless `--no-init` or `--batch` is given.\n\n\
    With `--race`, cufemu looks for races in each launch before you step through it, so the program can stop at the second\n\
    access of each race. `finding N first` goes to the first one.\n\n\
    This page is generated from `src/debug/command/table.rs`, `src/tui/pane.rs` and `src/tui/keymap.rs`.\n\n";

#[test]
fn the_manual_says_what_the_tables_say() {
    let actual = format!("{HEAD}# Commands\n\n{}# The terminal\n\n{}", debug::help::manual(), cufemu_tui::manual());
    let path = root().join("docs/debugger.md");
    if std::env::var_os("CUFEMU_BLESS").is_some() {
        std::fs::create_dir_all(root().join("docs")).expect("the folder");
        std::fs::write(&path, &actual).expect("a file to write");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == actual, "docs/debugger.md is stale; CUFEMU_BLESS=1 renews it");
}
