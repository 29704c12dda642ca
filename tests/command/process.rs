//! Runs the `cufemu` binary on small programs and looks at what it says.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The binary.
pub(crate) fn cufemu() -> Command {
    Command::new(env!("CARGO_BIN_EXE_cufemu"))
}

/// A file of this test run with these contents.
pub(crate) fn file(name: &str, contents: &[u8]) -> PathBuf {
    // Each test has a folder of its own: its thread has its name.
    let test = std::thread::current().name().unwrap_or("main").replace("::", "-");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli").join(test);
    std::fs::create_dir_all(&folder).expect("a folder for the test's files");
    let path = folder.join(name);
    std::fs::write(&path, contents).expect("a writable file");
    path
}

/// Runs a program of these contents.
pub(crate) fn run(name: &str, contents: &str, options: &[&str]) -> Output {
    cufemu().args(options).arg(file(name, contents.as_bytes())).output().expect("it runs")
}

/// What was printed.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The run ended with this code, said this on standard error, and did not panic.
pub(crate) fn said(output: &Output, code: i32, what: &str) {
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{err}");
    assert!(err.contains(what), "expected `{what}` in\n{err}");
    assert!(!err.contains("internal error"), "{err}");
}
