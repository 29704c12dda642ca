//! How many operations the compiler makes of the bench programs: the IR after the optimiser by operation, and the PTX by kind.
//!
//! `tests/counts` keeps a file for each program, so a change of the compiler shows as a change of these numbers. They are no
//! times: `benches/guard/guard.py` measures those.

use crate::annotated::{Program, programs, root};
use crate::{kept, trial};
use libtest_mimic::Trial;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The module that measures times for the other programs.
const TIMING: &str = "benches/programs/timing.cuf";

pub(crate) fn trials() -> Vec<Trial> {
    let benches = programs("benches/programs").into_iter();
    let device = benches.filter(|p| p.path.extension().is_some_and(|e| e == "cuf") && p.path != Path::new(TIMING));
    device.map(|program| trial(format!("counts/{}", program.name), move || check(&program))).collect()
}

fn check(program: &Program) -> Vec<String> {
    let stage = |stage: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cufemu"));
        let output =
            command.current_dir(root()).args(["--sm", "90", "--emit", stage, TIMING]).arg(&program.path).output();
        let output = output.expect("the binary runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let text = format!("{}\n{}", ir_counts(&stage("ir")), ptx_counts(&stage("ptx")));
    kept::compare(&Path::new("tests/counts").join(&program.name).with_extension("txt"), &text).into_iter().collect()
}

/// The operations of each kernel and device function of a module's text.
fn ir_counts(text: &str) -> String {
    let mut out = "IR after the optimiser, by operation\n".to_owned();
    for function in bodies(text, |line| line.starts_with("kernel ") || line.starts_with("device ")) {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        let lines = function.lines.iter().filter(|line| line.starts_with("  ")).map(|line| line.trim());
        for line in
            lines.filter(|line| !["reg ", "var ", "local ", "shared ", "inlined "].iter().any(|s| line.starts_with(s)))
        {
            let operation = line.split_once(" = ").map_or(line, |(_, operation)| operation);
            let name = operation.split([' ', '.']).next().unwrap_or("");
            // A mark of the source, no operation.
            if name != "stmt" {
                *counts.entry(name).or_default() += 1;
            }
        }
        let total: u32 = counts.values().sum();
        let all: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        writeln!(out, "\n{}: {total}\n    {}", function.name, all.join(", ")).expect("room");
    }
    out
}

/// The instructions of each kernel and function of a PTX text.
fn ptx_counts(text: &str) -> String {
    let mut out = "PTX, by kind\n".to_owned();
    for function in bodies(text, |line| line.contains(".entry ") || line.starts_with(".func ")) {
        let mut counts = [("load", 0), ("store", 0), ("atomic", 0), ("branch", 0), ("call", 0), ("other", 0)];
        let mut registers: BTreeMap<&str, u32> = BTreeMap::new();
        for line in function.lines.iter().map(|line| line.trim()) {
            if let Some((class, count)) =
                line.strip_prefix(".reg ").and_then(|rest| rest.trim_start_matches('.').split_once(' '))
            {
                let count = count.split(['<', '>']).nth(1).map_or(1, |n| n.parse().expect("a number"));
                *registers.entry(class).or_default() += count;
            } else if line.ends_with(';') && !line.starts_with('.') {
                let instruction = line.strip_prefix('@').and_then(|l| l.split_once(' ')).map_or(line, |(_, rest)| rest);
                let kind = match instruction.split([' ', '.', ';']).next().unwrap_or("") {
                    "ld" | "ldu" => "load",
                    "st" => "store",
                    "atom" | "red" => "atomic",
                    "bra" | "brx" => "branch",
                    "call" => "call",
                    _ => "other",
                };
                // Parameters are passed by instructions that are no accesses of memory.
                let kind = if instruction[..instruction.len().min(8)].contains(".param") { "other" } else { kind };
                counts.iter_mut().filter(|(name, _)| *name == kind).for_each(|(_, count)| *count += 1);
            }
        }
        let total: u32 = counts.iter().map(|(_, count)| count).sum();
        let all: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let declared: Vec<String> = registers.iter().map(|(class, count)| format!("{class} {count}")).collect();
        let name = function.name;
        writeln!(out, "\n{name}: {total}\n    {}\n    registers {}", all.join(", "), declared.join(", "))
            .expect("room");
    }
    out
}

/// A function in a text.
struct Body<'t> {
    name: &'t str,
    lines: Vec<&'t str>,
}

/// The functions whose first line `is_head`; each ends at a line that is a closing brace alone.
fn bodies(text: &str, is_head: impl Fn(&str) -> bool) -> Vec<Body<'_>> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if is_head(line) {
            let name = line.split('(').next().and_then(|head| head.split_whitespace().last()).unwrap_or(line);
            // What a function returns stands before its name.
            let name = if line.starts_with(".func (") {
                line.split(") ").nth(1).and_then(|rest| rest.split('(').next()).unwrap_or(name)
            } else {
                name
            };
            let name = name.trim_start_matches('@');
            found.push(Body { name, lines: lines.by_ref().take_while(|&line| line != "}").collect() });
        }
    }
    found
}
