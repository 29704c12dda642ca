//! Every diagnostic code is raised somewhere and has a test.

use crate::tree::{files, report, root, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

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
    let table = fs::read_to_string(root().join("src/diag/code/table.rs")).expect("the table of codes");
    let codes = codes(&table);
    let mut raised: BTreeMap<&str, String> = BTreeMap::new();
    let mut tested: BTreeSet<String> = BTreeSet::new();
    let mut learn = |text: &str| {
        tested.extend(text.split(|c: char| !c.is_alphanumeric()).filter(|w| is_id(w)).map(str::to_owned));
        tested.extend(code_names(text).filter_map(|name| codes.get(name)).map(|id| (*id).to_owned()));
    };
    for source in sources() {
        let (code, test) = source.split();
        if !source.path.starts_with("tests/tidy/") {
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
fn rows_and_names_of_codes_are_read() {
    assert_eq!(codes("    E0101 Error BadThing \"title\";\n").get("BadThing"), Some(&"E0101"));
    assert_eq!(code_names("x(Code::BadThing, Code::B)").collect::<Vec<_>>(), ["BadThing", "B"]);
}
