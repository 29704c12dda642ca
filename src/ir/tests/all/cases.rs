//! The annotated programs of `tests/ir`: valid, as expected under the reference, and a case for every operation.

use ir::op::{AtomOp, BarOp, BinOp, CmpOp, CvtOp, ShflOp, Special, TriOp, UnOp, VoteOp};
use ir::{InstKind, Module};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn programs() -> Vec<(PathBuf, String, Module)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "cir"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let module = ir::parse::module(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path, text, module)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn programs_are_valid_and_give_what_they_say() {
    let mut failed = Vec::new();
    let mut ran = 0;
    for (path, text, module) in programs() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        failed.extend(ir::verify::module(&module).into_iter().map(|e| format!("{name}: {e}")));
        let cases = ir::expect::cases(&module, &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!cases.is_empty(), "{name} has no case");
        for case in cases.iter().filter(|c| !c.needs_warp) {
            ran += 1;
            failed.extend(ir::expect::run(&module, case).err().map(|e| format!("{name}, {e}")));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran > 100, "only {ran} cases");
}

#[test]
fn every_operation_has_a_program() {
    let mut seen = BTreeSet::new();
    for (_, _, module) in programs() {
        for inst in module.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts) {
            seen.insert(match &inst.kind {
                InstKind::Un { op, .. } => format!("un {op}"),
                InstKind::Bin { op, .. } => format!("bin {op}"),
                InstKind::Tri { op, .. } => format!("tri {op}"),
                InstKind::Cmp { op, .. } => format!("cmp {op}"),
                InstKind::Cvt { op, .. } => format!("cvt {op}"),
                InstKind::Atomic { op, .. } => format!("atom {op}"),
                InstKind::Barrier { op, .. } => format!("barrier {op}"),
                InstKind::Vote { op, .. } => format!("vote {op}"),
                InstKind::Shuffle { op, .. } => format!("shfl {op}"),
                InstKind::Special { reg, .. } => format!("special {reg}"),
                _ => continue,
            });
        }
    }
    let mut missing = Vec::new();
    let mut need = |class: &str, names: Vec<&'static str>| {
        missing.extend(names.into_iter().map(|n| format!("{class} {n}")).filter(|n| !seen.contains(n)));
    };
    need("un", UnOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("bin", BinOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("tri", TriOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("cmp", CmpOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("cvt", CvtOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("atom", AtomOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("barrier", BarOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("vote", VoteOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("shfl", ShflOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("special", Special::ALL.iter().map(|o| o.mnemonic()).collect());
    assert!(missing.is_empty(), "no program uses {missing:?}");
}
