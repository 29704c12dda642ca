//! The diagram of the crates in ARCHITECTURE.md is what the manifests say; `CUFEMU_BLESS=1` writes it anew.

use crate::cycles::Graph;
use crate::layers::{LAYERS, workspace_imports};
use crate::tree::root;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

const BEGIN: &str = "<!-- crates: made by tests/tidy/diagram.rs -->\n";
const END: &str = "<!-- end of crates -->\n";

/// The crates by layers, with an arrow to each crate that a crate imports and does not reach through another of its imports.
/// Layer 0 has no arrows: every crate may import it.
fn diagram() -> String {
    let mut graph = Graph::default();
    let mut imports: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, ..) in LAYERS {
        let manifest = fs::read_to_string(root().join("src").join(name).join("Cargo.toml")).expect("a manifest");
        let is_drawn = |to: &&str| LAYERS.iter().any(|(other, layer, _)| other == to && *layer > 0);
        let all: Vec<&str> = workspace_imports(&manifest).into_iter().filter(is_drawn).collect();
        all.iter().for_each(|to| graph.add(name, to, String::new));
        imports.insert(name, all);
    }
    let mut out = "```mermaid\nflowchart BT\n".to_owned();
    let layers: BTreeMap<u8, Vec<&str>> = LAYERS.iter().fold(BTreeMap::new(), |mut layers, (name, layer, _)| {
        layers.entry(*layer).or_insert_with(Vec::new).push(*name);
        layers
    });
    for (layer, names) in &layers {
        writeln!(out, "    subgraph l{layer} [layer {layer}]\n        {}\n    end", names.join("\n        "))
            .expect("room");
    }
    for (name, all) in &imports {
        for to in all.iter().filter(|to| !all.iter().any(|other| graph.reached(other).contains(**to))) {
            writeln!(out, "    {name} --> {to}").expect("room");
        }
    }
    out + "```\n"
}

#[test]
fn diagram_of_the_crates_is_that_of_the_manifests() {
    let file = root().join("ARCHITECTURE.md");
    let page = fs::read_to_string(&file).expect("a page");
    let (before, rest) = page.split_once(BEGIN).expect("where the diagram begins");
    let (_, after) = rest.split_once(END).expect("where the diagram ends");
    let due = format!("{before}{BEGIN}{}{END}{after}", diagram());
    if std::env::var_os("CUFEMU_BLESS").is_some() {
        fs::write(&file, due).expect("a writable page");
    } else {
        assert!(page == due, "the diagram in ARCHITECTURE.md is stale: CUFEMU_BLESS=1 writes it anew\n{}", diagram());
    }
}
