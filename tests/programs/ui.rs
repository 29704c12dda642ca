//! Runs the annotated programs of `tests/ui` with the `cufemu` command.
//!
//! A program in `pass/` must end with exit code 0 and print what its `.stdout` file holds. A program in `fail/` must fail with
//! exactly the diagnostics and findings that its markers name, each on the line where its own place begins:
//!
//! ```text
//!     s(t) = x(i)            !~ (1) R0101
//!     s(t) = s(t) + s(t+16)  !~ R0101
//! ```
//!
//! `!~ CODE` marks the diagnostic's own place, `!~ (1) CODE` its first other place. `!~^` refers to the line above, `!~v` to
//! the line below. A line `! run: --race -- 7` gives options and arguments, `! exit: 3` the exit code where it is not the
//! usual one. The `.stderr` file beside a program holds its diagnostics as a user sees them: text, columns, labels and help.
//! Without that file the program must say nothing. A `.stdout` file beside a failing program is compared too.

use crate::annotated::{Expected, Marker, Program, difference, programs, read, root};
use crate::{kept, trial};
use libtest_mimic::Trial;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

pub(crate) fn trials() -> Vec<Trial> {
    let is_there =
        |name: &str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let missing: Vec<_> = [("c", "cc"), ("cpp", "c++")].into_iter().filter(|(_, name)| !is_there(name)).collect();
    let one = |program: Program| {
        let without = missing.iter().find(|(ending, _)| has_source(&program, ending));
        let is_left_out = without.is_some();
        if let Some((_, name)) = without {
            say(&format!("ui/{} is left out: there is no compiler `{name}`", program.name));
        }
        trial(format!("ui/{}", program.name), move || check(&program)).with_ignored_flag(is_left_out)
    };
    programs("tests/ui").into_iter().map(one).collect()
}

/// Whether a file of C or C++ belongs to the program.
pub(crate) fn needs_compiler(program: &Program) -> bool {
    ["c", "cpp"].into_iter().any(|ending| has_source(program, ending))
}

fn has_source(program: &Program, ending: &str) -> bool {
    read(program).options.iter().any(|option| Path::new(option).extension().is_some_and(|of| of == ending))
}

#[expect(clippy::print_stderr, reason = "what is left out must be seen")]
fn say(text: &str) {
    eprintln!("{text}");
}

fn check(program: &Program) -> Vec<String> {
    let passes = program.name.starts_with("pass/");
    let expected = read(program);
    let run = |format: &str| run(program, &expected, format, &[]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let output = run("json");
    let stderr = text(&output.stderr);
    let mut wrong = Vec::new();
    let exit = expected.exit.unwrap_or(i32::from(!passes));
    if output.status.code() != Some(exit) {
        wrong.push(format!("exit code {:?}, expected {exit}\n{stderr}", output.status.code()));
    }
    wrong.extend(difference(&expected.markers, places(&stderr)));
    let printed = program.path.with_extension("stdout");
    if passes || root().join(&printed).exists() {
        wrong.extend(kept::compare(&printed, &text(&output.stdout)));
    }
    let said = if stderr.is_empty() { String::new() } else { text(&run("full").stderr) };
    wrong.extend(kept::compare(&program.path.with_extension("stderr"), &said));
    wrong
}

/// Runs a program by the command, with more options behind its own.
pub(crate) fn run(program: &Program, expected: &Expected, format: &str, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cufemu"));
    command.current_dir(root()).env("COLUMNS", "120").args(["--message-format", format, "--clock", "model"]);
    command.args(&expected.options).args(more).arg(&program.path);
    if !expected.args.is_empty() {
        command.arg("--").args(&expected.args);
    }
    command.output().expect("the binary runs")
}

/// The places of the diagnostics in standard error, as markers.
fn places(stderr: &str) -> Vec<Marker> {
    let mut found = Vec::new();
    for line in stderr.lines().filter(|line| line.starts_with('{')) {
        let diagnostic: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let code = diagnostic["code"].as_str().expect("a code");
        let line = |holder: &Value| holder["place"]["line"].as_u64().map(|line| line as usize);
        let marker = |line, first| Marker { line, first, code: code.to_owned() };
        found.push(marker(line(&diagnostic).unwrap_or(0), false));
        found.extend(line(&diagnostic["related"][0]).map(|line| marker(line, true)));
    }
    found.sort();
    found
}
