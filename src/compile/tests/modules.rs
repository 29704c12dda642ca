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
    for module in [
        "cudafor",
        "cudadevice",
        "iso_c_binding",
        "iso_fortran_env",
        "ieee_arithmetic",
        "nvtx",
        "omp_lib",
        "openacc",
        "accel_lib",
    ] {
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

/// A part of a module that lacked something would not compile, and the module would be read once more, whole.
#[test]
fn each_name_alone_brings_what_it_needs() {
    let modules = [
        "cudafor",
        "iso_c_binding",
        "iso_fortran_env",
        "ieee_arithmetic",
        "ieee_exceptions",
        "ieee_features",
        "nvtx",
        "cufft",
        "curand",
        "cusolverdn",
        "cusparse",
        "hdf5",
        "mpi",
        "mpi_f08",
    ];
    for module in modules {
        let mut map = SourceMap::new();
        let file = map.add("test.cuf", format!("use {module}\nend\n"));
        let options = Options { whole_modules: true, ..Options::default() };
        let mut diags = Diagnostics::new();
        let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut diags).expect("valid");
        let of_module = compiled.program.modules.iter().find(|m| &*m.name == module).expect("used");
        let names: Vec<String> = of_module.scope.names.keys().map(ToString::to_string).collect();
        let is_name = |n: &&String| n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        for name in names.iter().filter(is_name) {
            let result = compile(&format!("program p\n  use {module}, only: {name}\n  print *, 1\nend program\n"));
            // What a module uses and keeps to itself cannot be named.
            if result.as_ref().is_err_and(|said| said.iter().all(|line| line.contains("private"))) {
                continue;
            }
            let (compiled, map) = result.unwrap_or_else(|said| panic!("{module}: {name}: {said:?}"));
            assert!(ir::verify::module(&compiled.module).is_empty(), "{module}: {name}");
            let times = files(&map).iter().filter(|f| **f == format!("<{module}>")).count();
            assert_eq!(times, 1, "{module}: {name}");
        }
    }
}

#[test]
fn a_program_gets_what_it_names_and_lines_keep_their_numbers() {
    let (compiled, map) = compile("use cudafor\nprint *, trim(cudaGetErrorString(2))\nend\n").expect("valid");
    let (_, file) = map.files().find(|(_, f)| f.name() == "<cudafor>").expect("used");
    let whole = include_str!("../modules/cudafor.cuf");
    let kept: Vec<(&str, &str)> = file.text().lines().zip(whole.lines()).filter(|(line, _)| !line.is_empty()).collect();
    assert_eq!(file.line_count(), whole.lines().count());
    assert!(kept.iter().all(|(line, of_whole)| line == of_whole));
    assert!(kept.len() < 100, "{} lines", kept.len());
    assert!(compiled.module.funcs.iter().any(|f| f.name.contains("cudageterrorstring")));
}

#[test]
fn names_like_an_unknown_one_are_sought_in_the_whole_module() {
    let mut map = SourceMap::new();
    let file = map.add("test.cuf", "use cudafor\ni = cudaDeviceSynchronise()\nend\n");
    let mut diags = Diagnostics::new();
    let compiled = compile::compile(&mut map, &[file], &Options::default(), &mut |_, _| None, &mut diags);
    assert!(compiled.is_none());
    let said: Vec<String> = diags.iter().map(|d| format!("{d:?}")).collect();
    assert!(said.len() == 1 && said[0].contains("cudadevicesynchronize"), "{said:?}");
}
