//! Nothing below `machine` depends on the clock or the environment, and nothing at all on the order of a hash map.

use crate::layers::layer;
use crate::tree::{has_word, report, root, sources};

/// Crates of this layer and lower ones see neither clock nor environment.
const PURE_LAYERS: u8 = 8;

/// Files that may use a hash map or set, with the reason: they look up and never iterate.
const HASH_EXCEPTIONS: &[(&str, &str)] = &[
    ("src/opt/gvn/expression.rs", "expressions that are available; looked up by key"),
    ("src/parse/cpp/macros.rs", "macros by name"),
    ("src/parse/build/mod.rs", "interning of names"),
    ("src/race/shadow/global.rs", "index of a shadow page by its number; the pages themselves are in a vector"),
];

/// Files below `machine` that may name the clock or the environment, with the reason.
const OUTSIDE_EXCEPTIONS: &[(&str, &str)] =
    &[("src/foreign/link.rs", "the C compiler and where libraries are; `machine` asks for calls through `World`")];

#[test]
fn no_output_can_depend_on_the_order_of_a_hash_map() {
    let mut violations = Vec::new();
    for source in sources().iter().filter(|s| HASH_EXCEPTIONS.iter().all(|(path, _)| *path != s.path)) {
        for (number, line) in source.code_lines() {
            if has_word(line, "HashMap") || has_word(line, "HashSet") {
                violations.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    report("hash maps; use `BTreeMap` or `Vec`, or add the file to the exceptions with its reason", &violations);
}

#[test]
fn nothing_below_machine_sees_clock_or_environment() {
    const OUTSIDE: &[&str] = &["std::time", "SystemTime", "Instant", "std::env", "env::var", "env::args"];
    let mut violations = Vec::new();
    for source in sources() {
        let pure = source.folder().and_then(layer).is_some_and(|(layer, _)| layer <= PURE_LAYERS);
        if !pure || OUTSIDE_EXCEPTIONS.iter().any(|(path, _)| *path == source.path) {
            continue;
        }
        for (number, line) in source.code_lines() {
            if OUTSIDE.iter().any(|word| has_word(line, word)) {
                violations.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    report("clock or environment below `machine`", &violations);
}

#[test]
fn exceptions_name_files_that_exist() {
    let stale = HASH_EXCEPTIONS.iter().chain(OUTSIDE_EXCEPTIONS).filter(|(path, _)| !root().join(path).is_file());
    report("exceptions for files that are gone", &stale.map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>());
}
