//! `docs/tutorial.md` shows what cufemu prints and draws: each block below a directive is made here, and so is the picture
//! of the README. With `CUFEMU_BLESS` in the environment they are written anew.
//!
//! A directive is a comment before a block of text:
//!
//! ```text
//! <!-- run 1: --race examples/reduce_racy.cuf -->    cufemu with these arguments ends with exit code 1
//! <!-- gpu 0: --device gpu examples/reduce.cuf -->   the same on a GPU; without one, what the emulator prints
//! <!-- nogpu 2: --device gpu examples/reduce.cuf --> on a machine without a driver; with one, what stands there stays
//! <!-- diff: examples/a.cuf examples/b.cuf -->       the lines that differ
//! <!-- screen: examples/reduce_racy.cuf -->          the terminal debugger with --race, freshly started
//! <!-- keys: c 9 j Enter -->                         the same session after these keys
//! ```

// Each of the two users needs a part.
#[allow(dead_code)]
#[path = "../../../src/tui/tests/all/driver.rs"]
mod driver;
mod picture;

use driver::{Driver, root};
use std::fmt::Write;
use std::fs;
use std::process::Command;

/// The terminal of the screens.
const SIZE: (u16, u16) = (100, 28);

fn look() -> cufemu_tui::Look {
    cufemu_tui::Look { theme: cufemu_tui::Theme::Dark, is_ascii: false }
}

/// A run as it looks in a terminal: the command, its output, what is said about it.
fn run(args: &str, code: &str, is_gpu: bool) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cufemu"));
    command.current_dir(root()).env("COLUMNS", "100");
    let mut words: Vec<&str> = args.split_whitespace().collect();
    if is_gpu && !gpu::driver_is_present() {
        eprintln!("SKIPPED: no CUDA driver, `cufemu {args}` is run on the emulator");
        words.retain(|w| !matches!(*w, "--device" | "gpu" | "--verify"));
    }
    let output = command.args(words).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(output.status.code().map(|c| c.to_string()).as_deref(), Some(code), "{args}: {}", text(&output.stderr));
    format!("$ cufemu {args}\n{}{}", text(&output.stdout), text(&output.stderr))
}

/// The lines of two files that differ, as `diff` marks them.
fn difference(files: &str) -> String {
    let text = |path: &str| fs::read_to_string(root().join(path)).expect("a file");
    let (a, b) = files.split_once(' ').expect("two files");
    let (a, b) = (text(a), text(b));
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    // Longest common subsequence of the ends of both.
    let mut common = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = if a[i] == b[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, String::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && common[i + 1][j] >= common[i][j + 1]) {
            let _ = writeln!(out, "-{}", a[i]);
            i += 1;
        } else {
            let _ = writeln!(out, "+{}", b[j]);
            j += 1;
        }
    }
    out
}

/// The page with every block made anew.
fn page(old: &str) -> String {
    let mut driver: Option<Driver> = None;
    let mut out = String::new();
    let mut lines = old.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        let Some(directive) = line.strip_prefix("<!-- ").and_then(|l| l.strip_suffix(" -->")) else { continue };
        let (verb, rest) = directive.split_once(": ").expect("a directive");
        assert!(lines.next().is_some_and(|l| l.starts_with("```")), "no block below `{directive}`");
        let old: Vec<&str> = lines.by_ref().take_while(|l| !l.starts_with("```")).collect();
        let block = match verb.split_once(' ').unwrap_or((verb, "")) {
            (kind @ ("run" | "gpu"), code) => run(rest, code, kind == "gpu"),
            ("nogpu", _) if gpu::driver_is_present() => old.join("\n"),
            ("nogpu", code) => run(rest, code, false),
            ("diff", _) => difference(rest),
            ("screen", _) => driver.insert(Driver::new(rest, true, SIZE, look())).screen(),
            ("keys", _) => {
                let driver = driver.as_mut().expect("a screen before");
                driver.line(&format!("keys {rest}"));
                driver.screen()
            }
            _ => panic!("`{directive}` is no directive"),
        };
        let block: String = block.lines().map(|l| l.trim_end().to_owned() + "\n").collect();
        let _ = write!(out, "```text\n{}\n```\n", block.trim_end());
    }
    out
}

#[test]
fn tutorial_shows_what_happens() {
    let file = root().join("docs/tutorial.md");
    let written = fs::read_to_string(&file).expect("the tutorial");
    let made = page(&written);
    if std::env::var_os("CUFEMU_BLESS").is_some() {
        fs::write(&file, &made).expect("a writable page");
        return;
    }
    let differs = made.lines().zip(written.lines()).find(|(a, b)| a != b);
    assert!(made == written, "docs/tutorial.md is stale at {differs:?}: CUFEMU_BLESS=1 writes it anew");
}

#[test]
fn picture_is_the_screen() {
    let mut driver = Driver::new("examples/reduce_racy.cuf", true, SIZE, look());
    driver.line("keys c");
    let svg = picture::svg(&driver.model);
    let file = root().join("docs/screen.svg");
    if std::env::var_os("CUFEMU_BLESS").is_some() {
        fs::write(&file, &svg).expect("a writable picture");
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == svg, "docs/screen.svg is stale: CUFEMU_BLESS=1 writes it anew");
}
