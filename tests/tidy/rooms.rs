//! The rooms of a crate import each other without a cycle, and so do the folders inside a room.
//!
//! A room is a file or folder beside `lib.rs`; `lib.rs` puts the rooms together and is none. Inside a folder only its
//! sub-folders are compared, since the files of one folder belong together.

use crate::cycles::Graph;
use crate::paths::{Reference, references};
use crate::tree::{Source, report, root, sources};
use std::collections::BTreeMap;

/// The cycles of all crates.
fn cycles() -> Vec<String> {
    let sources = sources();
    let mut crates: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        if let Some(folder) = source.folder() {
            crates.entry(folder).or_default().push(source);
        }
    }
    let mut found = Vec::new();
    for (name, files) in crates {
        // The rooms of the command are inside `src/cli`, but its crate begins above.
        let folder = if name == "cli" { "src".to_owned() } else { format!("src/{name}") };
        let references = references(&folder, &files);
        let above: &[String] = if name == "cli" { &[name.to_owned()] } else { &[] };
        found.extend(cycles_in(&folder, above, &references, true));
    }
    found
}

/// The cycles between the children of the module `inside`, then those between the children of each of its folders.
fn cycles_in(folder: &str, inside: &[String], references: &[Reference], with_files: bool) -> Vec<String> {
    let mut graph = Graph::default();
    let mut folders = Vec::new();
    let child = |module: &[String]| module.strip_prefix(inside).and_then(|rest| rest.first()).cloned();
    let is_folder = |name: &str| root().join(folder).join(inside.join("/")).join(name).is_dir();
    for reference in references {
        let (Some(from), Some(to)) = (child(&reference.from), child(&reference.to)) else { continue };
        for name in [&from, &to] {
            if !folders.contains(name) && is_folder(name) {
                folders.push(name.clone());
            }
        }
        if from != to && (with_files || (folders.contains(&from) && folders.contains(&to))) {
            graph.add(&from, &to, || format!("{}: {}", reference.place, reference.line));
        }
    }
    let place = if inside.is_empty() { folder.to_owned() } else { format!("{folder}/{}", inside.join("/")) };
    let mut found: Vec<String> = graph.cycles().into_iter().map(|cycle| format!("{place}: {cycle}")).collect();
    folders.sort();
    for name in folders {
        let inside: Vec<String> = inside.iter().cloned().chain([name]).collect();
        found.extend(cycles_in(folder, &inside, references, false));
    }
    found
}

#[test]
fn rooms_of_a_crate_import_each_other_without_a_cycle() {
    report("cycles between rooms", &cycles());
}
