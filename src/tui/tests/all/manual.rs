//! `docs/debugger.md` is made from the tables of commands, panes and keys. With `CUFEMU_BLESS` it is written anew.

use crate::driver::root;

const HEAD: &str = "# The debugger\n\n\
    `cufemu --debug prog.cuf` talks in lines, `cufemu --batch script prog.cuf` and `-ex CMD` take commands from a script,\n\
    `cufemu --tui prog.cuf` shows panes. All have the commands below; names and meanings are gdb's and cuda-gdb's where they\n\
    have the command. A command may be shortened to any prefix that fits one command only.\n\n\
    With `--race` each launch is rehearsed before it runs, so that the program stops at the second access of each race;\n\
    `finding N first` goes to the other one.\n\n\
    This page is made from the tables in `src/debug/table.rs`, `src/tui/pane.rs` and `src/tui/keymap.rs`.\n\n";

#[test]
fn the_manual_says_what_the_tables_say() {
    let actual = format!("{HEAD}# Commands\n\n{}# The terminal\n\n{}", debug::help::manual(), cufemu_tui::manual());
    let path = root().join("docs/debugger.md");
    if std::env::var_os("CUFEMU_BLESS").is_some() {
        std::fs::create_dir_all(root().join("docs")).expect("the folder");
        std::fs::write(&path, &actual).expect("a file to write");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == actual, "docs/debugger.md is stale; CUFEMU_BLESS=1 writes it anew");
}
