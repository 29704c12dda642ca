//! Runs the examples with every check. An example whose name ends in `_racy` has a race; all others run without a finding.
//! `tests/examples` keeps what they print.

use crate::annotated::{Program, programs, root};
use crate::{kept, trial};
use libtest_mimic::Trial;
use std::path::Path;
use std::process::Command;

pub(crate) fn trials() -> Vec<Trial> {
    let one = |program: Program| trial(format!("example/{}", program.name), move || check(&program));
    programs("examples").into_iter().map(one).collect()
}

fn check(program: &Program) -> Vec<String> {
    let is_racy = program.name.ends_with("_racy");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cufemu"));
    command.current_dir(root()).args(["--race", "--check", "all", "--clock", "model"]).arg(&program.path);
    let output = command.output().expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_as_expected = if is_racy { said.contains("error[R01") } else { said.is_empty() };
    let mut wrong = Vec::new();
    if output.status.code() != Some(i32::from(is_racy)) || !is_as_expected {
        wrong.push(format!("exit code {:?}\n{said}", output.status.code()));
    }
    let file = Path::new("tests/examples").join(&program.name).with_extension("stdout");
    wrong.extend(kept::compare(&file, &String::from_utf8_lossy(&output.stdout)));
    wrong
}
