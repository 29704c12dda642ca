//! Crates import only crates of lower layers, and of those only what their row of the table allows.

use crate::manifests::dependencies;
use crate::tree::{files, report};
use std::collections::BTreeSet;
use std::fs;

/// What a crate may import beside the crates of layer 0, which are open to all.
pub(crate) enum Imports {
    /// These.
    Only(&'static [&'static str]),
    /// Everything of this layer and lower ones, except these.
    Below(u8, &'static [&'static str]),
}
use Imports::{Below, Only};

/// Table: each crate with its layer and what it may import. A crate never imports its own layer or a higher one.
pub(crate) const LAYERS: &[(&str, u8, Imports)] = &[
    ("source", 0, Only(&[])),
    ("scalar", 0, Only(&[])),
    ("product", 0, Only(&[])),
    ("diag", 1, Only(&[])),
    ("text", 1, Only(&[])),
    ("ast", 2, Only(&[])),
    ("parse", 3, Below(2, &[])),
    ("sema", 4, Below(2, &[])),
    ("ir", 4, Only(&[])),
    ("lower", 5, Below(4, &["parse"])),
    ("ptx", 5, Only(&["diag", "ir"])),
    ("opt", 5, Below(4, &["parse"])),
    ("debuginfo", 6, Only(&["ir"])),
    ("mem", 6, Only(&["ir"])),
    ("jit", 6, Only(&["ir"])),
    ("foreign", 6, Only(&["ir"])),
    ("finding", 6, Only(&["diag", "ir"])),
    ("vm", 7, Only(&["mem", "finding", "ir", "jit"])),
    ("race", 7, Only(&["mem", "ir"])),
    ("explore", 7, Only(&[])),
    ("device", 7, Only(&["mem", "finding", "ir"])),
    ("library", 8, Only(&["device", "mem", "finding"])),
    ("mpi", 8, Only(&["device", "finding", "ir"])),
    ("host", 8, Below(7, &[])),
    ("emu", 8, Below(7, &[])),
    ("gpu", 8, Below(7, &[])),
    ("compile", 9, Below(5, &[])),
    ("machine", 9, Below(8, &[])),
    ("mpilib", 9, Only(&["mpi"])),
    ("debug", 10, Below(9, &[])),
    ("tui", 11, Only(&["debug", "diag"])),
    ("dap", 11, Only(&["debug"])),
];

pub(crate) fn layer(name: &str) -> Option<(u8, &'static Imports)> {
    LAYERS.iter().find(|(folder, ..)| *folder == name).map(|(_, layer, imports)| (*layer, imports))
}

/// The crates of this workspace that a manifest's `[dependencies]` and `[build-dependencies]` name.
pub(crate) fn workspace_imports(manifest: &str) -> Vec<&'static str> {
    let crates = dependencies(manifest).into_iter().filter(|d| !d.is_for_tests);
    crates.filter_map(|d| LAYERS.iter().map(|(name, ..)| *name).find(|name| *name == d.name)).collect()
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
fn imports_of_a_manifest_are_judged() {
    let manifest = "[dependencies]\nir.workspace = true\nx = 1\n[dev-dependencies]\nemu.workspace = true";
    assert_eq!(workspace_imports(manifest), ["ir"]);
    assert!(import_fault("ir", "sema").is_some(), "same layer");
    assert!(import_fault("sema", "parse").is_some(), "lower, but not allowed");
    assert!(import_fault("lower", "sema").is_none());
    assert!(import_fault("race", "finding").is_some());
}
