//! What the annotated programs of the tests say about themselves: options, exit code, markers.
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

/// The programs below a folder, in order.
pub(crate) fn programs(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|e| e.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            programs(&path, out);
        } else if path.extension().is_some_and(|e| ["cuf", "CUF", "f90", "F90", "f"].iter().any(|s| e == *s)) {
            out.push(path);
        }
    }
}

/// What a program says about itself.
pub(crate) fn read(path: &Path) -> Expected {
    let text = String::from_utf8_lossy(&std::fs::read(path).expect("a readable program")).into_owned();
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

/// What was found otherwise than marked, in words. First other places count only where the program marks some for that code.
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
