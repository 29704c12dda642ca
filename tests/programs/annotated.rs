//! The programs of the tests, and what their comments say of their run: options, exit code, markers.
//!
//! A marker names a code and stands on the line where a diagnostic's place begins: `!~ CODE` for the diagnostic's own place,
//! `!~ (1) CODE` for its first other place. `!~^` speaks of the line above, `!~v` of the line below; several are separated by
//! commas.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a program says about its own run.
#[derive(Default)]
pub(crate) struct Expected {
    /// Options of the command line.
    pub(crate) options: Vec<String>,
    /// Arguments of the program.
    pub(crate) args: Vec<String>,
    /// The exit code, where it is not the usual one.
    pub(crate) exit: Option<i32>,
    /// Head lines `! name: text` that are neither.
    pub(crate) notes: BTreeMap<String, String>,
    /// Code and line of each diagnostic, with its first other place if marked.
    pub(crate) markers: Vec<Marker>,
}

/// A place of a diagnostic.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Debug)]
pub(crate) struct Marker {
    /// Its line, from 1.
    pub(crate) line: usize,
    /// Whether it is not the diagnostic's own place but the first other one.
    pub(crate) first: bool,
    /// The code.
    pub(crate) code: String,
}

/// A program of the repository.
#[derive(Clone)]
pub(crate) struct Program {
    /// Its path below the folder of its family, without extension.
    pub(crate) name: String,
    /// Its path from the root of the repository.
    pub(crate) path: PathBuf,
}

impl Program {
    /// The whole text; bytes that are not UTF-8 are replaced.
    pub(crate) fn text(&self) -> String {
        let bytes = std::fs::read(root().join(&self.path)).unwrap_or_else(|e| panic!("{}: {e}", self.path.display()));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The programs with one of these extensions below a folder, in the order of their paths.
pub(crate) fn files(folder: &str, extensions: &[&str]) -> Vec<Program> {
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::from(folder)]);
    while let Some(dir) = open.pop() {
        let entries = std::fs::read_dir(root().join(&dir)).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
        for entry in entries.map(|e| e.expect("an entry")) {
            let path = dir.join(entry.file_name());
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                open.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|s| e == *s)) {
                let name = path.strip_prefix(folder).expect("below the folder").with_extension("");
                found.push(Program { name: name.to_string_lossy().replace('\\', "/"), path });
            }
        }
    }
    assert!(!found.is_empty(), "no programs in {folder}");
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The Fortran programs below a folder, in the order of their paths.
pub(crate) fn programs(folder: &str) -> Vec<Program> {
    files(folder, &["cuf", "CUF", "f90", "F90", "f"])
}

/// What a program says about itself.
pub(crate) fn read(program: &Program) -> Expected {
    let text = program.text();
    let mut e = Expected::default();
    for (i, line) in text.lines().enumerate() {
        if let Some(run) = line.strip_prefix("! run:") {
            let (options, args) = run.split_once(" -- ").unwrap_or((run, ""));
            e.options = options.split_whitespace().map(str::to_owned).collect();
            e.args = args.split_whitespace().map(str::to_owned).collect();
        } else if let Some(exit) = line.strip_prefix("! exit:") {
            e.exit = exit.trim().parse().ok();
        } else if let Some((name, note)) = line.strip_prefix("! ").and_then(|l| l.split_once(": "))
            && name.bytes().all(|b| b.is_ascii_lowercase())
        {
            e.notes.insert(name.to_owned(), note.trim().to_owned());
        } else if let Some((_, marker)) = line.split_once("!~") {
            let (line, marker) = match marker.as_bytes().first() {
                Some(b'^') => (i, &marker[1..]),
                Some(b'v') => (i + 2, &marker[1..]),
                _ => (i + 1, marker),
            };
            for code in marker.split(',') {
                let code = code.trim();
                let first = code.strip_prefix("(1)");
                let code = first.unwrap_or(code).trim().to_owned();
                e.markers.push(Marker { line, first: first.is_some(), code });
            }
        }
    }
    e.markers.sort();
    e
}

/// Each difference between markers and diagnostics, in words. First other places count only for codes whose first other place
/// the program marks.
pub(crate) fn difference(expected: &[Marker], mut found: Vec<Marker>) -> Vec<String> {
    let marked: Vec<&str> = expected.iter().filter(|m| m.first).map(|m| m.code.as_str()).collect();
    found.retain(|m| !m.first || marked.contains(&m.code.as_str()));
    let mut counts: BTreeMap<&Marker, i32> = BTreeMap::new();
    found.iter().for_each(|m| *counts.entry(m).or_default() += 1);
    expected.iter().for_each(|m| *counts.entry(m).or_default() -= 1);
    let differing = counts.into_iter().filter(|&(_, n)| n != 0);
    differing
        .map(|(m, n)| {
            let place = if m.first { " (1)" } else { "" };
            let what = if n > 0 { "unexpected" } else { "missing" };
            format!("{what} {}{place} on line {}", m.code, m.line)
        })
        .collect()
}
