//! The embedded modules: each compiles, and programs find them only when they use them.

use compile::{Compiled, Options};
use diag::Diagnostics;
use source::SourceMap;

fn compile(text: &str) -> Result<(Compiled, SourceMap), Vec<String>> {
    let mut map = SourceMap::new();
    let file = map.add("test.cuf", text);
    let mut diags = Diagnostics::new();
    let compiled = compile::compile(&mut map, &[file], &Options::default(), &mut |_, _| None, &mut diags);
    let said: Vec<String> = diags.iter().map(|d| d.message.clone()).collect();
    match compiled {
        Some(compiled) if said.is_empty() => Ok((compiled, map)),
        _ => Err(said),
    }
}

fn files(map: &SourceMap) -> Vec<String> {
    map.files().map(|(_, f)| f.name().to_owned()).collect()
}

#[test]
fn every_module_compiles_without_a_word() {
    for module in ["cudafor", "cudadevice", "iso_c_binding", "iso_fortran_env", "ieee_arithmetic", "nvtx"] {
        let result = compile(&format!("program p\n  use {module}\n  print *, 1\nend program\n"));
        let (compiled, map) = result.unwrap_or_else(|said| panic!("{module}: {said:?}"));
        assert!(ir::verify::module(&compiled.module).is_empty(), "{module}");
        assert!(files(&map).contains(&format!("<{module}>")), "{module}");
    }
}

#[test]
fn a_program_that_uses_no_module_gets_none() {
    let (_, map) = compile("print *, 'hi'\nend\n").expect("valid");
    assert_eq!(files(&map), ["test.cuf"]);
}

#[test]
fn modules_that_modules_use_come_along() {
    let (_, map) = compile("use cudafor\nprint *, cudaSuccess\nend\n").expect("valid");
    assert_eq!(files(&map), ["test.cuf", "<cudafor>", "<iso_c_binding>"]);
}

#[test]
fn a_module_of_the_program_goes_before_an_embedded_one() {
    let text = "module nvtx\n  integer, parameter :: mine = 3\nend module\nprogram p\n  use nvtx\n  print *, mine\nend program\n";
    let (_, map) = compile(text).expect("valid");
    assert_eq!(files(&map), ["test.cuf"]);
}

#[test]
fn errors_are_told_and_give_nothing() {
    let said = compile("program p\n  use nowhere\nend program\n").expect_err("an error");
    assert_eq!(said.len(), 1, "{said:?}");
}
