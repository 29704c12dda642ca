//! Random host programs print the same when `cufemu` runs them and when gfortran does.
//!
//! A seed makes one program (`program.rs`). It is valid Fortran whose result the standard defines: subscripts stay inside their
//! bounds, numbers are small enough that no operation rounds, and nothing is read before it is defined. So the only
//! oracle it needs is another compiler. Seeds of even number run with the checks of bounds and definition, which must say nothing.
//!
//! Without gfortran the tests are ignored, and a line on standard error says so. `CUFEMU_SEEDS=1000..5000` makes the
//! test `random/host/many` run these seeds; `CUFEMU_KEEP=folder` keeps each program that fails. `CUFEMU_SECOND=flang` names a
//! second compiler. It decides where gfortran differs from cufemu: the seed fails unless the second prints what cufemu prints. Where
//! gfortran has no result, a difference from the second is printed and the program is kept, but the seed does not fail: flang 22
//! has faults too (bounds of function results, input into vector subscripts), so a person has to judge.

#![allow(clippy::print_stderr)]

mod expr;
mod inner;
mod intrinsic;
mod io;
mod lists;
mod loops;
mod names;
mod object;
mod program;
mod results;
mod stmt;
mod storage;
mod subprogram;

use crate::trial;
use libtest_mimic::Trial;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Tests that run each time, and the programs of each of them.
const GROUPS: u64 = 6;
const OF_A_GROUP: u64 = 4;

/// Longest run of a compiler or a program.
const LONGEST: Duration = Duration::from_secs(20);

pub(crate) fn trials() -> Vec<Trial> {
    let is_there = Command::new("gfortran").arg("--version").output().is_ok_and(|o| o.status.success());
    if !is_there && !std::env::args().any(|arg| arg == "--list") {
        eprintln!("random/host: gfortran is not installed; random host programs are compared with nothing");
    }
    let group = |k: u64| {
        let seeds = k * OF_A_GROUP..(k + 1) * OF_A_GROUP;
        trial(format!("random/host/{}", seeds.start), move || check(seeds)).with_ignored_flag(!is_there)
    };
    let many = trial("random/host/many".to_owned(), || check(chosen_seeds())).with_ignored_flag(true);
    (0..GROUPS).map(group).chain([many]).collect()
}

/// The seeds that the environment asks for.
fn chosen_seeds() -> Range<u64> {
    let text = std::env::var("CUFEMU_SEEDS").unwrap_or_else(|_| "1000..2000".to_owned());
    let ends = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    ends.unwrap_or_else(|| panic!("CUFEMU_SEEDS has the form A..B, not {text}"))
}

fn check(seeds: Range<u64>) -> Vec<String> {
    let folder = std::env::temp_dir().join(format!("cufemu-random-{}-{}", std::process::id(), seeds.start));
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let wrong = seeds.filter_map(|seed| difference(seed, &folder)).collect();
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    wrong
}

/// What is different about the program of a seed. A program that no compiler can translate must still run without a finding.
fn difference(seed: u64, folder: &Path) -> Option<String> {
    let text = program::program(seed);
    std::fs::write(folder.join("random.f90"), &text).expect("a file");
    let found = match run_cufemu(seed, folder) {
        Ok(found) => found,
        Err(error) => return Some(keep(seed, &text, error)),
    };
    let first = compiled("gfortran", "-fcheck=bounds,do,mem,pointer", folder);
    let error = first.as_ref().map(|right| first_difference("gfortran", right, &found));
    if error == Some(None) {
        return None;
    }
    let second = std::env::var("CUFEMU_SECOND").ok().and_then(|name| {
        let right = compiled(&name, "", folder)?;
        Some(first_difference(&name, &right, &found))
    });
    match (error.flatten(), second) {
        (None, None) => eprintln!("seed {seed}: no compiler has a result"),
        (None, Some(None)) => {}
        (None, Some(Some(error))) => eprint!("to judge: {}", keep(seed, &text, error)),
        (Some(error), Some(None)) => eprintln!("seed {seed}: only gfortran differs: {error}"),
        (Some(error), other) => {
            let other = other.flatten().map(|error| format!("\n{error}")).unwrap_or_default();
            return Some(keep(seed, &text, error + &other));
        }
    }
    None
}

/// Keeps a program that fails, if the environment asks for that, and gives the line that reports it.
fn keep(seed: u64, text: &str, error: String) -> String {
    if let Some(kept) = std::env::var_os("CUFEMU_KEEP").map(PathBuf::from) {
        std::fs::write(kept.join(format!("{seed}.f90")), text).expect("a file");
        std::fs::write(kept.join(format!("{seed}.txt")), &error).expect("a file");
    }
    format!("seed {seed}: {error}\n")
}

/// What the program prints that a compiler makes, if it can and the program ends without an error.
fn compiled(compiler: &str, options: &str, folder: &Path) -> Option<String> {
    // Compilers do not read each other's module files.
    let folder = &folder.join(compiler);
    std::fs::create_dir_all(folder).expect("a folder for a compiler");
    // Some expressions make gfortran 12 take all memory that there is, or run for ever.
    let command_line =
        format!("ulimit -v 4000000; ulimit -t 4; exec {compiler} -w -O0 {options} -o random ../random.f90");
    let is_compiled = output(command("sh", folder).args(["-c", &command_line])).is_some_and(|o| o.status.success());
    let right = if is_compiled { output(&mut command("./random", folder)) } else { None };
    let right = right.filter(|right| right.status.success())?;
    Some(String::from_utf8_lossy(&right.stdout).into_owned())
}

/// A command that works in a folder.
fn command(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(name);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a command says, unless it takes too long.
fn output(command: &mut Command) -> Option<Output> {
    let mut child = command.spawn().expect("the command runs");
    let until = Instant::now() + LONGEST;
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() > until {
            child.kill().expect("a child");
            child.wait().expect("a child");
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Some(child.wait_with_output().expect("output"))
}

fn said(who: &str, output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{who} ends with {}\n{out}{err}", output.status)
}

/// What cufemu prints for the program, or what is wrong about its run.
fn run_cufemu(seed: u64, folder: &Path) -> Result<String, String> {
    let mut cufemu = command(env!("CARGO_BIN_EXE_cufemu"), folder);
    cufemu.args(["--no-cuda", "random.f90"]);
    if seed.is_multiple_of(2) {
        cufemu.args(["--check", "bounds,init"]);
    }
    let found = output(&mut cufemu).ok_or("cufemu takes too long")?;
    if !found.status.success() {
        return Err(said("cufemu", &found));
    }
    Ok(String::from_utf8_lossy(&found.stdout).into_owned())
}

/// The first line in which cufemu's output differs from a compiler's. Blanks at the end of a line do not count.
fn first_difference(compiler: &str, right: &str, found: &str) -> Option<String> {
    let mut lines = right.lines().zip(found.lines());
    match lines.find(|(a, b)| a.trim_end() != b.trim_end()) {
        Some((a, b)) => Some(format!("{compiler}: {a}\n  cufemu: {b}")),
        None if right.lines().count() != found.lines().count() => Some(format!("{compiler}: another number of lines")),
        None => None,
    }
}
