//! The rules of the source tree that the compiler does not check.
//!
//! Crates import only what their layer may; every file says at its top what it is; files stay readable in one sitting;
//! no drawer for leftovers; every diagnostic code is raised and has a test; nothing below `machine` depends on the order
//! of a hash map, the clock or the environment.
//!
//! The checks are textual and simple: they read the tree once and know a little of Cargo's and Rust's layout, not their
//! grammars. A line that a check gets wrong goes into the list of exceptions beside that check, with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What a crate may import beside the crates of layer 0, which are open to all.
enum Imports {
    /// These.
    Only(&'static [&'static str]),
    /// Everything of this layer and lower ones, except these.
    Below(u8, &'static [&'static str]),
}
use Imports::{Below, Only};

/// Table: each crate with its layer and what it may import. A crate never imports its own layer or a higher one.
const LAYERS: &[(&str, u8, Imports)] = &[
    ("source", 0, Only(&[])),
    ("scalar", 0, Only(&[])),
    ("diag", 1, Only(&[])),
    ("text", 1, Only(&[])),
    ("ast", 2, Only(&[])),
    ("parse", 3, Below(2, &[])),
    ("sema", 4, Below(2, &[])),
    ("ir", 4, Only(&[])),
    ("lower", 5, Below(4, &["parse"])),
    ("opt", 5, Below(4, &["parse"])),
    ("debuginfo", 6, Only(&["ir"])),
    ("mem", 6, Only(&["ir"])),
    ("finding", 6, Only(&["diag", "ir"])),
    ("vm", 7, Only(&["mem", "finding", "ir"])),
    ("race", 7, Only(&["mem", "ir"])),
    ("device", 7, Only(&["mem", "finding", "ir"])),
    ("host", 8, Below(7, &[])),
    ("emu", 8, Below(7, &[])),
    ("gpu", 8, Below(7, &[])),
    ("compile", 9, Below(5, &[])),
    ("machine", 9, Below(8, &[])),
    ("debug", 10, Below(9, &[])),
    ("tui", 11, Only(&["debug", "diag"])),
];

/// Crates of this layer and lower ones see neither clock nor environment.
const PURE_LAYERS: u8 = 8;

/// Most lines of a file that is no table.
const MAX_LINES: usize = 800;

/// Names that say nothing of what is inside.
const EMPTY_NAMES: &[&str] = &["util", "utils", "utility", "utilities", "common", "helper", "helpers", "misc"];

/// Files that may use a hash map or set, with the reason: they look up and never iterate.
const HASH_EXCEPTIONS: &[(&str, &str)] = &[
    ("src/opt/cse.rs", "expressions that are at hand; looked up by key"),
    ("src/parse/cpp/macros.rs", "macros by name"),
    ("src/parse/build/mod.rs", "interning of names"),
    ("src/race/shadow/global.rs", "index of a shadow page by its number; the pages themselves are in a vector"),
];

/// Files below `machine` that may name the clock or the environment, with the reason.
const OUTSIDE_EXCEPTIONS: &[(&str, &str)] = &[];

/// One Rust file of the tree.
struct Source {
    /// Path from the root, with slashes.
    path: String,
    text: String,
}

impl Source {
    /// Whether the whole file is test code.
    fn is_test(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "benches"))
    }

    /// The crate folder under `src/`, if the file is in one.
    fn folder(&self) -> Option<&str> {
        self.path.strip_prefix("src/")?.split_once('/').map(|(folder, _)| folder)
    }

    /// Code and test code: the unit tests of a file are at its end.
    fn split(&self) -> (&str, &str) {
        if self.is_test() {
            return ("", &self.text);
        }
        let mut from = 0;
        while let Some(at) = self.text[from..].find("#[cfg(test)]").map(|i| i + from) {
            let after = self.text[at..].lines().skip(1).find(|line| !line.trim_start().starts_with("#["));
            if after.is_some_and(|line| line.trim_start().starts_with("mod ")) {
                return self.text.split_at(at);
            }
            from = at + 1;
        }
        (&self.text, "")
    }

    /// Lines of code with their numbers, without test code and comments.
    fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.split().0.lines().enumerate();
        lines.map(|(i, line)| (i + 1, line)).filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The `//!` lines at the top.
    fn head(&self) -> impl Iterator<Item = &str> {
        self.text.lines().take_while(|line| line.starts_with("//!"))
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files below `folder` for which `wanted` is true, in the order of their paths.
fn files(folder: &str, wanted: impl Fn(&Path) -> bool) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(dir) = open.pop() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                open.push(path);
            } else if wanted(&path) {
                let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
                found.push((name, path));
            }
        }
    }
    found.sort();
    found
}

fn sources() -> Vec<Source> {
    let rust = |path: &Path| path.extension().is_some_and(|e| e == "rs");
    let all = ["src", "tests", "benches"].into_iter().flat_map(|folder| files(folder, rust));
    all.map(|(path, file)| Source { path, text: fs::read_to_string(file).expect("a readable file") }).collect()
}

fn report(rule: &str, violations: &[String]) {
    assert!(violations.is_empty(), "{rule}:\n  {}", violations.join("\n  "));
}

/// Whether `line` holds `word` with no letter, digit or underscore on either side.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(i, _)| {
        !line[..i].chars().next_back().is_some_and(is_part)
            && !line[i + word.len()..].chars().next().is_some_and(is_part)
    })
}

fn layer(name: &str) -> Option<(u8, &'static Imports)> {
    LAYERS.iter().find(|(folder, ..)| *folder == name).map(|(_, layer, imports)| (*layer, imports))
}

/// The crates of this workspace that a manifest's `[dependencies]` and `[build-dependencies]` name.
fn workspace_imports(manifest: &str) -> Vec<&'static str> {
    let mut section = "";
    let mut imports = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
            continue;
        }
        let counts = section.ends_with("dependencies") && !section.ends_with("dev-dependencies");
        let key = line.split(['.', '=', ' ']).next().unwrap_or("");
        let package = LAYERS.iter().map(|(name, ..)| *name).find(|name| {
            *name == key
                || line.contains(&format!("\"cufemu-{name}\""))
                || section.ends_with(&format!("dependencies.{name}"))
        });
        if let Some(name) = package.filter(|_| counts) {
            imports.push(name);
        }
    }
    imports
}

/// What is wrong with `name` importing `import`.
fn import_fault(name: &str, import: &str) -> Option<String> {
    let ((from, imports), (to, _)) = (layer(name)?, layer(import)?);
    if to >= from {
        return Some(format!("{name} (layer {from}) imports {import} (layer {to})"));
    }
    let allowed = to == 0
        || match imports {
            Only(list) => list.contains(&import),
            Below(limit, except) => to <= *limit && !except.contains(&import),
        };
    (!allowed).then(|| format!("{name} may not import {import}"))
}

#[test]
fn crates_import_only_lower_layers() {
    let mut violations = Vec::new();
    let manifests = files("src", |path| path.file_name().is_some_and(|n| n == "Cargo.toml"));
    let mut seen = BTreeSet::new();
    for (path, file) in &manifests {
        let name = path.trim_start_matches("src/").trim_end_matches("/Cargo.toml");
        seen.insert(name);
        if layer(name).is_none() {
            violations.push(format!("{path}: the crate is not in the table of layers"));
        }
        let text = fs::read_to_string(file).expect("a readable manifest");
        if !text.contains(&format!("name = \"cufemu-{name}\"")) {
            violations.push(format!("{path}: the package should be named cufemu-{name}"));
        }
        violations.extend(workspace_imports(&text).into_iter().filter_map(|import| import_fault(name, import)));
    }
    violations.extend(
        LAYERS.iter().filter(|(name, ..)| !seen.contains(name)).map(|(name, ..)| format!("src/{name}: no such crate")),
    );
    report("layers of crates", &violations);
}

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

/// The rows `id Severity Name` of the table of codes, as name → id.
fn codes(table: &str) -> BTreeMap<&str, &str> {
    let rows = table.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (id, _, name) = (words.next()?, words.next()?, words.next()?);
        is_id(id).then_some((name, id))
    });
    rows.collect()
}

fn is_id(word: &str) -> bool {
    word.len() == 5 && word.starts_with(['E', 'W', 'R']) && word[1..].bytes().all(|b| b.is_ascii_digit())
}

/// The names behind each `Code::` of a text.
fn code_names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("Code::").map(|(i, found)| {
        let rest = &text[i + found.len()..];
        rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")
    })
}

#[test]
fn every_code_is_raised_and_has_a_test() {
    let table = fs::read_to_string(root().join("src/diag/table.rs")).expect("the table of codes");
    let codes = codes(&table);
    let mut raised: BTreeMap<&str, String> = BTreeMap::new();
    let mut tested: BTreeSet<String> = BTreeSet::new();
    let mut learn = |text: &str| {
        tested.extend(text.split(|c: char| !c.is_alphanumeric()).filter(|w| is_id(w)).map(str::to_owned));
        tested.extend(code_names(text).filter_map(|name| codes.get(name)).map(|id| (*id).to_owned()));
    };
    for source in sources() {
        let (code, test) = source.split();
        if source.path != "tests/tidy.rs" {
            learn(test);
        }
        if source.folder() == Some("diag") {
            continue;
        }
        for name in code_names(code) {
            if let Some((name, _)) = codes.get_key_value(name) {
                raised.entry(name).or_insert_with(|| source.path.clone());
            }
        }
    }
    let annotated = |path: &Path| path.extension().is_some_and(|e| e != "rs");
    for (_, file) in files("tests", annotated) {
        if let Ok(text) = fs::read_to_string(file) {
            learn(&text);
        }
    }
    let untested = raised.iter().filter(|(name, _)| !tested.contains(codes[**name]));
    let untested = untested.map(|(name, path)| format!("{} {name}, raised in {path}", codes[name]));
    report("codes without a test that mentions them", &untested.collect::<Vec<_>>());
    let dead = codes.iter().filter(|(name, _)| !raised.contains_key(**name)).map(|(name, id)| format!("{id} {name}"));
    report("codes that nothing raises", &dead.collect::<Vec<_>>());
}

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

#[test]
fn the_checks_see_what_they_should() {
    let source = |text: &str| Source { path: "src/vm/x.rs".to_owned(), text: text.to_owned() };
    let file = source(
        "//! Head.\nuse a::HashMap;\n// HashMap\n#[cfg(test)]\nuse b;\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n",
    );
    assert_eq!(file.split().1.lines().count(), 3);
    assert_eq!(file.code_lines().filter(|(_, line)| has_word(line, "HashMap")).count(), 1);
    assert!(!has_word("FxHashMap", "HashMap") && has_word("(HashMap<", "HashMap"));
    assert_eq!(
        workspace_imports("[dependencies]\nir.workspace = true\nx = 1\n[dev-dependencies]\nemu.workspace = true"),
        ["ir"]
    );
    assert!(import_fault("ir", "sema").is_some(), "same layer");
    assert!(import_fault("sema", "parse").is_some(), "lower, but not allowed");
    assert!(import_fault("lower", "sema").is_none());
    assert!(import_fault("race", "finding").is_some());
    assert_eq!(codes("    E0101 Error BadThing \"title\";\n").get("BadThing"), Some(&"E0101"));
    assert_eq!(code_names("x(Code::BadThing, Code::B)").collect::<Vec<_>>(), ["BadThing", "B"]);
}
