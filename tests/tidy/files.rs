//! Every file says at its top what it is, stays readable in one sitting, and has a name that says what is inside.

use crate::tree::{has_word, report, sources};

/// Most lines of a file that is no table.
const MAX_LINES: usize = 800;

/// Names that say nothing of what is inside.
const EMPTY_NAMES: &[&str] = &["util", "utils", "utility", "utilities", "common", "helper", "helpers", "misc"];

#[test]
fn every_file_says_at_its_top_what_it_is() {
    let bare = sources().into_iter().filter(|s| s.head().next().is_none_or(|line| line.trim() == "//!"));
    report("files without a `//!` head", &bare.map(|s| s.path).collect::<Vec<_>>());
}

#[test]
fn no_file_is_longer_than_it_should_be() {
    let long = sources().into_iter().filter_map(|s| {
        let lines = s.text.lines().count();
        let table = s.head().any(|line| line.contains("Table:"));
        (lines > MAX_LINES && !table).then(|| format!("{}: {lines} lines", s.path))
    });
    report("files of more than 800 lines whose head does not say `Table:`", &long.collect::<Vec<_>>());
}

#[test]
fn no_module_is_a_drawer_for_leftovers() {
    let mut violations = Vec::new();
    for source in sources() {
        let parts = source.path.trim_end_matches(".rs").split('/');
        if parts.into_iter().any(|part| EMPTY_NAMES.contains(&part)) {
            violations.push(source.path.clone());
        }
        for (number, line) in source.code_lines() {
            let Some((_, rest)) = line.split_once("mod ") else { continue };
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            if EMPTY_NAMES.contains(&name) && has_word(line, "mod") {
                violations.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    report("modules named after nothing", &violations);
}
