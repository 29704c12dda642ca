//! The pages that are made from tables are those of the tables; `CUFEMU_BLESS=1` writes them anew.
//!
//! `docs/support.md` and `docs/debugger.md` are checked beside their tables.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What cufemu prints with these arguments.
fn printed(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cufemu")).args(args).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn is_fresh(path: &str, page: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("CUFEMU_BLESS").is_some() {
        fs::write(&file, page).expect("a writable page");
    }
    assert!(fs::read_to_string(&file).unwrap_or_default() == page, "{path} is stale: CUFEMU_BLESS=1 writes it anew");
}

#[test]
fn page_of_the_command_line_is_that_of_the_options() {
    is_fresh("docs/cli.md", &printed(&["--generate", "markdown"]));
}

#[test]
fn page_of_codes_is_that_of_their_table() {
    is_fresh("docs/codes.md", &diag::reference());
}

#[test]
fn page_of_the_editor_names_every_request() {
    let page = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/editor.md")).expect("the page");
    let missing: Vec<&&str> = dap::REQUESTS.iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "docs/editor.md does not name {missing:?}");
}

#[test]
fn short_help_fits_a_screen() {
    let help = printed(&["-h"]);
    assert!(help.lines().count() <= 24, "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    let long = printed(&["--help"]);
    assert!(long.lines().all(|line| line.chars().count() <= 80), "{long}");
    for option in ["--race", "--tui", "--message-format", "--generate", "-Mcuda", "124"] {
        assert!(long.contains(option), "{option} is not in\n{long}");
    }
}

#[test]
fn manual_page_and_completions_know_the_options() {
    let man = printed(&["--generate", "man"]);
    assert!(man.contains(".TH cufemu 1") && man.contains("many\\-seeds"), "{man}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["--generate", shell]);
        assert!(script.contains("many-seeds") && !script.contains("--nvfortran"), "{shell}: {script}");
        // Elvish completes no values.
        assert!(shell == "elvish" || shell == "powershell" || script.contains("R0101"), "{shell}: {script}");
    }
}
