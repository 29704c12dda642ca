//! The executor keeps its state to itself, and what has to know every operation forgets none in silence.
//!
//! Debugger, machine, emulator and host ask `vm` by functions, so that what is behind them can change: its structs have no
//! public field but those listed. And a match that does something for each operation has no wildcard arm: a new operation
//! then does not build until it is decided everywhere. Matches that look for a pattern, and leave alone what they do not
//! find, are in files that are not among [`COMPLETE`].

use crate::tree::{Source, report, sources};

/// Structs of `vm` with public fields, and why.
const PLAIN_DATA: &[(&str, &str)] = &[
    ("AccessEvent", "what a hook is told of one access"),
    ("Activation", "one line of a call stack: a number and a site"),
    ("Before", "the first of two observers, taken out again by who put it in"),
    ("Context", "what the caller lends to a run"),
    ("Fault", "why a run ended"),
    ("Geometry", "extents that the caller gives"),
    ("HostStack", "addresses that the caller gives"),
    ("LaunchRequest", "why a run ended: values, no places"),
    ("LoadError", "an error"),
    ("QuietZone", "what a hook says of a site"),
    ("RtRequest", "why a run ended; where its arguments are is private"),
    ("Site", "an id"),
];

/// Where a match on operations has to name them all.
const COMPLETE: &[&str] = &[
    "src/gpu/ptx/",
    "src/ir/code/visit.rs",
    "src/ir/eval.rs",
    "src/ir/lane.rs",
    "src/ir/text/print.rs",
    "src/ir/verify.rs",
    "src/vm/code/",
    "src/vm/compile/instructions.rs",
    "src/vm/compile/mod.rs",
    "src/vm/compile/select.rs",
    "src/vm/exec/",
];

/// Wildcard arms there, how many, and why.
const WILDCARDS: &[(&str, usize, &str)] = &[
    ("src/gpu/ptx/sign.rs", 1, "what is not known shows which NaN it reads, which is always right"),
    ("src/gpu/ptx/space.rs", 2, "belief about addresses: what is not known is generic, which is always right"),
    ("src/gpu/ptx/vector.rs", 2, "what is not known has no alignment, and ends what is joined"),
    ("src/ir/eval.rs", 1, "one special case before the general function"),
    ("src/vm/code/mod.rs", 2, "`load` and `store` ask for one family"),
    ("src/vm/code/form.rs", 2, "what has no form is executed by the interpreter, which is always right"),
    ("src/vm/compile/mod.rs", 1, "targets of branches, made by a complete match"),
];

/// The enums of operations.
const ENUMS: &[&str] =
    &["Op", "InstKind", "UnOp", "BinOp", "TriOp", "CmpOp", "CvtOp", "AtomOp", "ShflOp", "VoteOp", "BarOp"];

/// Structs with a public field: name and field.
fn public_fields(source: &Source) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut inside: Option<String> = None;
    for (_, line) in source.code_lines() {
        let text = line.trim_start();
        let after = ["pub struct ", "pub(crate) struct ", "pub(super) struct ", "struct "]
            .iter()
            .find_map(|start| text.strip_prefix(start));
        if let Some(rest) = after {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if rest.contains("(pub ") {
                found.push((name.clone(), "0".to_owned()));
            }
            inside = rest.ends_with('{').then_some(name);
        } else if line.starts_with('}') {
            inside = None;
        } else if let (Some(name), Some(field)) = (&inside, text.strip_prefix("pub ")) {
            found.push((name.clone(), field.split(':').next().unwrap_or(field).to_owned()));
        }
    }
    found
}

/// Lines of wildcard arms in matches on the enums of operations.
fn wildcards(source: &Source) -> Vec<usize> {
    let lines: Vec<(usize, &str)> = source.code_lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let names_operation = |line: &str| {
        let arm = line.trim_start().trim_start_matches(['|', '&', '(', ' ']);
        let arm = arm.strip_prefix("Some(").unwrap_or(arm).trim_start_matches(['&', '(']);
        arm.split_once("::").is_some_and(|(name, _)| ENUMS.contains(&name.trim_start_matches('$')))
    };
    let mut found = Vec::new();
    for (at, (number, line)) in lines.iter().enumerate() {
        let arm = line.trim_start();
        if !arm.starts_with("_ =>") && !arm.starts_with("_ if ") {
            continue;
        }
        let arms = lines[..at].iter().rev().map(|(_, l)| *l).filter(|l| !l.trim().is_empty());
        let arms = arms.take_while(|l| indent(l) >= indent(line)).filter(|l| indent(l) == indent(line));
        if arms.into_iter().any(names_operation) {
            found.push(*number);
        }
    }
    found
}

#[test]
fn state_of_the_executor_has_no_public_field() {
    let own: Vec<Source> = sources().into_iter().filter(|s| s.path.starts_with("src/vm/") && !s.is_test()).collect();
    let all: Vec<(String, String)> = own.iter().flat_map(public_fields).collect();
    let bad = all.iter().filter(|(name, _)| !PLAIN_DATA.iter().any(|(known, _)| known == name));
    report("public fields in `vm`", &bad.map(|(name, field)| format!("{name}.{field}")).collect::<Vec<_>>());
    let stale = PLAIN_DATA.iter().filter(|(known, _)| !all.iter().any(|(name, _)| name == known));
    report("structs listed in PLAIN_DATA without a public field", &stale.map(|s| s.0.to_owned()).collect::<Vec<_>>());
}

#[test]
fn what_has_to_know_every_operation_has_no_wildcard() {
    let is_complete = |s: &Source| !s.is_test() && COMPLETE.iter().any(|place| s.path.starts_with(place));
    let mut bad = Vec::new();
    for source in sources().iter().filter(|s| is_complete(s)) {
        let found = wildcards(source);
        let allowed = WILDCARDS.iter().find(|(path, ..)| *path == source.path).map_or(0, |(_, count, _)| *count);
        if found.len() != allowed {
            bad.push(format!("{}: lines {found:?}, {allowed} allowed", source.path));
        }
    }
    report("wildcard arms in matches on operations", &bad);
    for place in COMPLETE.iter().chain(WILDCARDS.iter().map(|(path, ..)| path)) {
        assert!(crate::tree::root().join(place).exists(), "{place} is listed and does not exist");
    }
}

#[test]
fn the_checks_of_the_executor_see_what_they_should() {
    let source = |text: &str| Source { path: "src/vm/x.rs".to_owned(), text: text.to_owned() };
    let fields = source("pub struct A {\n    pub a: u32,\n    pub(crate) b: u32,\n}\npub struct B(pub u32);\n");
    assert_eq!(public_fields(&fields), [("A".to_owned(), "a".to_owned()), ("B".to_owned(), "0".to_owned())]);
    let arms = "fn f() {\n    match op {\n        Op::A(r) => {\n            b\n        }\n        _ => {}\n    }\n    \
                match ty {\n        Ty::I32 => Op::B,\n        _ => c,\n    }\n}\n";
    assert_eq!(wildcards(&source(arms)), [6]);
    assert_eq!(wildcards(&source("match x {\n    (Some(a), _) => BinOp::Add,\n    _ => y,\n}\n")), []);
}
