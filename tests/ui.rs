//! Runs the annotated programs of `tests/ui` through the `cufemu` binary.
//!
//! A program in `pass/` must end with exit code 0 and print exactly what its `.stdout` file holds. A program in `fail/` must
//! fail, with exactly the diagnostics and findings that its markers name, each on the line where its own place begins:
//!
//! ```text
//!     s(t) = x(i)            !~ (1) R0101
//!     s(t) = s(t) + s(t+16)  !~ R0101
//! ```
//!
//! `!~ CODE` is the diagnostic's own place, `!~ (1) CODE` its first other place. `!~^` speaks of the line above, `!~v` of the
//! line below. A line `! run: --race -- 7` gives options and arguments, `! exit: 3` the exit code where it is not the usual
//! one; a `.stdout` file beside a failing program is compared too. `CUFEMU_BLESS=1` writes the `.stdout` files anew.

mod annotated;

use annotated::{Marker, difference, programs, read};
use std::path::Path;
use std::process::Command;

/// The line that follows `"line":` in a piece of JSON.
fn line_in(json: &str) -> Option<usize> {
    let rest = &json[json.find("\"line\":")? + 7..];
    rest[..rest.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}

fn field<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let key = format!("\"{name}\":\"");
    let rest = &json[json.find(&key)? + key.len()..];
    rest.split('"').next()
}

/// The places that a diagnostic has, as markers.
fn found(stderr: &str) -> Vec<Marker> {
    let mut out = Vec::new();
    for json in stderr.lines().filter(|l| l.starts_with('{')) {
        let Some(code) = field(json, "code") else { continue };
        let place = json.split("\"place\":").nth(1).and_then(line_in).unwrap_or(0);
        out.push(Marker { line: place, first: false, code: code.to_owned() });
        if let Some(related) = json.split("\"related\":[{").nth(1)
            && let Some(line) = line_in(related)
        {
            out.push(Marker { line, first: true, code: code.to_owned() });
        }
    }
    out.sort();
    out
}

fn check(path: &Path, passes: bool) -> Vec<String> {
    let e = read(path);
    let mut command = Command::new(env!("CARGO_BIN_EXE_cufemu"));
    command.args(["--message-format", "json", "--clock", "model"]).args(&e.options).arg(path);
    if !e.args.is_empty() {
        command.arg("--").args(&e.args);
    }
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("the binary runs");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut wrong = Vec::new();
    let exit = e.exit.unwrap_or(i32::from(!passes));
    if output.status.code() != Some(exit) {
        wrong.push(format!("exit code {:?}, expected {exit}\n{stderr}", output.status.code()));
    }
    let golden = path.with_extension("stdout");
    if std::env::var_os("CUFEMU_BLESS").is_some() && (passes || golden.exists()) {
        std::fs::write(&golden, &stdout).expect("a writable golden");
    } else if passes || golden.exists() {
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if expected != stdout {
            wrong.push(format!("printed\n{stdout}expected\n{expected}"));
        }
    }
    wrong.extend(difference(&e.markers, found(&stderr)));
    wrong
}

fn run(folder: &str, passes: bool) {
    let mut all = Vec::new();
    programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui").join(folder), &mut all);
    assert!(!all.is_empty(), "no programs in tests/ui/{folder}");
    let failed: Vec<String> = all
        .iter()
        .filter_map(|path| {
            let wrong = check(path, passes);
            (!wrong.is_empty()).then(|| format!("{}:\n{}", path.display(), wrong.join("\n")))
        })
        .collect();
    assert!(failed.is_empty(), "{} of {} programs:\n{}", failed.len(), all.len(), failed.join("\n\n"));
}

#[test]
fn programs_that_pass_print_what_they_should() {
    run("pass", true);
}

#[test]
fn programs_that_fail_say_where_and_why() {
    run("fail", false);
}

/// An example whose name ends in `_racy` has a race; all others run without a finding. What they print is in
/// `tests/examples`.
#[test]
fn examples_do_what_they_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    programs(&root.join("examples"), &mut all);
    assert!(all.len() >= 30);
    let mut wrong = Vec::new();
    for path in all {
        let stem = path.file_stem().expect("a file name").to_string_lossy().into_owned();
        let racy = stem.ends_with("_racy");
        let mut command = Command::new(env!("CARGO_BIN_EXE_cufemu"));
        command.args(["--race", "--check", "all", "--clock", "model"]).arg(&path);
        let output = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let as_expected = if racy { said.contains("error[R01") } else { said.is_empty() };
        if output.status.code() != Some(i32::from(racy)) || !as_expected {
            wrong.push(format!("{stem}: {:?}\n{said}", output.status.code()));
        }
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let golden = root.join("tests/examples").join(format!("{stem}.stdout"));
        if std::env::var_os("CUFEMU_BLESS").is_some() {
            std::fs::write(&golden, &printed).expect("a writable golden");
        } else if std::fs::read_to_string(&golden).unwrap_or_default() != printed {
            wrong.push(format!("{stem} printed\n{printed}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
