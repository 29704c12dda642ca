//! The manifests of the workspace: read for the other checks; each dependency must be used.

use crate::tree::{Source, files, report, root, sources};
use std::fs;

/// A dependency that a manifest names.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Dependency {
    /// Its name in the code of the crate.
    pub(crate) name: String,
    /// Whether only tests may use it.
    pub(crate) is_for_tests: bool,
}

/// Dependencies that no code names, with the reason.
const UNNAMED: &[(&str, &str)] = &[];

/// The dependencies of a manifest, in the forms `name = …`, `name.workspace = true` and `[dependencies.name]`.
pub(crate) fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        let mut key = line.split(['.', '=', ' ']).next().unwrap_or("");
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
            let Some((head, name)) = section.rsplit_once("dependencies.") else { continue };
            key = name;
            found.push(Dependency { name: key.replace('-', "_"), is_for_tests: head.ends_with("dev-") });
            continue;
        }
        let is_list = section.ends_with("dependencies") && !section.starts_with("workspace");
        if is_list && !key.is_empty() && !key.starts_with('#') {
            let is_for_tests = section.ends_with("dev-dependencies");
            found.push(Dependency { name: key.replace('-', "_"), is_for_tests });
        }
    }
    found
}

/// Whether code names a crate: `name::`, `use name` or `extern crate name`.
fn names(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(i, _)| {
        let (before, after) = (&code[..i], &code[i + name.len()..]);
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        // `::name` is a crate too, where a module has its name.
        let root = before.strip_suffix("::").filter(|path| !path.ends_with(is_part));
        let before = root.unwrap_or(before);
        let begins = !before.ends_with(is_part) && !before.ends_with("::");
        let ends = after.starts_with("::") || (after.starts_with([';', ' ']) && before.ends_with(['e', ' ']));
        let is_imported = before.trim_end().ends_with("use") || before.trim_end().ends_with("crate");
        begins && ends && (after.starts_with("::") || is_imported)
    })
}

/// The code of a file without its comments.
fn uncommented(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The files of other folders that a file has as modules: `#[path = "../…"]`.
fn shared(source: &Source) -> Vec<String> {
    let paths = source.text.lines().filter_map(|line| line.trim().strip_prefix("#[path = \"")?.strip_suffix("\"]"));
    let absolute = paths.map(|path| {
        let mut parts: Vec<&str> = source.path.split('/').collect();
        parts.pop();
        for part in path.split('/') {
            match part {
                ".." => parts.truncate(parts.len().saturating_sub(1)),
                part => parts.push(part),
            }
        }
        parts.join("/")
    });
    absolute.collect()
}

#[test]
fn every_dependency_is_named_by_the_code() {
    let sources = sources();
    let mut violations = Vec::new();
    let mut check = |path: &str, belongs: &dyn Fn(&Source) -> bool| {
        let manifest = fs::read_to_string(root().join(path)).expect("a readable manifest");
        let (mut code, mut tests) = (String::new(), String::new());
        let own: Vec<&Source> = sources.iter().filter(|source| belongs(source)).collect();
        let shared = own.iter().flat_map(|source| shared(source));
        let shared: Vec<&Source> = shared.filter_map(|path| sources.iter().find(|s| s.path == path)).collect();
        for source in own.into_iter().chain(shared) {
            let (own, test) = source.split();
            code += &uncommented(own);
            tests += &uncommented(test);
        }
        for dependency in dependencies(&manifest) {
            let Dependency { name, is_for_tests } = &dependency;
            let is_used = names(if *is_for_tests { &tests } else { &code }, name);
            if !is_used && !UNNAMED.iter().any(|(known, _)| known == name) {
                let place = if *is_for_tests { "no test" } else { "no code outside the tests" };
                violations.push(format!("{path}: {place} names `{name}`"));
            }
        }
    };
    check("Cargo.toml", &|s| s.path.starts_with("tests/") || s.path == "src/main.rs" || s.folder() == Some("cli"));
    for (path, _) in files("src", |path| path.file_name().is_some_and(|n| n == "Cargo.toml")) {
        let folder = path.trim_start_matches("src/").trim_end_matches("/Cargo.toml").to_owned();
        check(&path, &|s| s.folder() == Some(&folder));
    }
    report("dependencies that nothing uses", &violations);
}

/// A library without unit tests says so in its manifest, so Cargo does not build it twice; then it must have none.
#[test]
fn libraries_built_once_have_no_unit_tests() {
    let sources = sources();
    let mut violations = Vec::new();
    for (path, file) in files("src", |path| path.file_name().is_some_and(|n| n == "Cargo.toml")) {
        let manifest = fs::read_to_string(file).expect("a readable manifest");
        let folder = path.trim_start_matches("src/").trim_end_matches("/Cargo.toml");
        if manifest.lines().any(|line| line == "test = false") {
            let tested = sources.iter().filter(|s| s.folder() == Some(folder) && !s.is_test());
            let tested = tested.filter(|s| s.text.contains("#[cfg(test)]"));
            violations.extend(tested.map(|s| format!("{path}: `test = false`, but {} has unit tests", s.path)));
        }
    }
    report("unit tests that never run", &violations);
}

#[test]
fn dependencies_and_their_names_are_read() {
    let found = dependencies(
        "[package]\nname = \"x\"\n[dependencies]\nir.workspace = true\n# y\nserde-json = \"1\"\n\n\
         [dev-dependencies]\nemu = { path = \"x\" }\n[dependencies.mem]\nversion = \"1\"\n",
    );
    let names_of: Vec<(&str, bool)> = found.iter().map(|d| (&*d.name, d.is_for_tests)).collect();
    assert_eq!(names_of, [("ir", false), ("serde_json", false), ("emu", true), ("mem", false)]);
    assert!(names("use ir::Val;", "ir") && names("extern crate ir;", "ir") && names("f(ir::X)", "ir"));
    assert!(!names("crate::ir::X", "ir") && !names("use air::X", "ir") && !names("// ir", "ir"));
}
