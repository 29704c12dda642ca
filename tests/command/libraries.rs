//! The modules of CUDA's libraries and the routines behind them.

use compile::{ForeignNames, NamesOfC, Options};
use diag::Diagnostics;
use source::SourceMap;
use std::sync::{Arc, Mutex};

/// Has a procedure of each name, and notes the names.
struct All(Arc<Mutex<Vec<String>>>);

impl NamesOfC for All {
    fn has(&self, name: &str) -> bool {
        self.0.lock().expect("no panic").push(name.to_owned());
        true
    }
}

#[test]
fn every_interface_of_the_modules_has_its_routine() {
    for module in ["cublas", "cublas_v2", "cublasxt", "cusolverdn"] {
        let mut map = SourceMap::new();
        let file = map.add("test.cuf", format!("use {module}\nend\n"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let note = asked.clone();
        let mut options = Options { whole_modules: true, ..Options::default() };
        options.sema.foreign = ForeignNames::new(All(note));
        let mut diags = Diagnostics::new();
        let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut diags);
        let said: Vec<String> = diags.iter().map(|d| d.message.clone()).collect();
        assert!(compiled.is_some() && said.is_empty(), "{module}: {said:?}");
        let asked = asked.lock().expect("no panic");
        let is_of_library = |name: &&String| name.starts_with("cu") || name.starts_with("nvfortran:");
        let lacking: Vec<&String> = asked.iter().filter(is_of_library).filter(|name| !library::has(name)).collect();
        assert!(!asked.is_empty() && lacking.is_empty(), "{module}: {lacking:?}");
    }
}

/// Routines that are cufemu's own, and those of CUDA 10 that later versions lack.
const NOT_OF_TODAY: [&str; 6] =
    ["cublasGetHandle", "cufftXtDescribe", "cusparseSgtsv", "cusparseDgtsv", "cusparseCgtsv", "cusparseZgtsv"];

#[test]
fn every_routine_has_the_name_of_a_function_of_nvidias_libraries() {
    let known: Vec<&str> = include_str!("symbols_of_cuda.txt").lines().filter(|line| !line.starts_with('#')).collect();
    let of_cuda = |name: &&str| name.starts_with("cu");
    let is_there = |name: &str| known.binary_search(&name).is_ok();
    let lacking: Vec<&str> =
        library::names().filter(of_cuda).filter(|name| !is_there(name) && !NOT_OF_TODAY.contains(name)).collect();
    assert!(lacking.is_empty(), "{lacking:?}");
    assert!(known.len() > 2000 && !NOT_OF_TODAY.iter().any(|name| is_there(name)));
}
