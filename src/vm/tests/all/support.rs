//! What the tests of the executor share: programs from text, and what a warp runs with.

use mem::Memory;
use std::sync::Arc;
use vm::{Context, Geometry, Program, WindowTable};

/// The geometry of a launch of one warp.
pub(crate) const ONE_WARP: Geometry =
    Geometry { grid: [1; 3], block: [32, 1, 1], cta: [0; 3], static_shared: 0, cluster: [1; 3] };

/// The program of a module that is valid.
pub(crate) fn compile(text: &str) -> Program {
    let module = ir::parse::module(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!(ir::verify::module(&module), []);
    vm::compile(Arc::new(module), Vec::new()).unwrap()
}

/// What a warp runs with that may pass so many schedule points.
pub(crate) fn context<'a>(
    memory: &'a mut Memory,
    shared: &'a mut [u8],
    windows: &'a mut WindowTable,
    geometry: Geometry,
    budget: u64,
) -> Context<'a> {
    let (memory, cluster) = (memory.view(), &mut []);
    Context {
        memory,
        shared,
        windows,
        geometry,
        blocks: 0,
        budget,
        statements: 0,
        atomics: None,
        services: None,
        cluster,
    }
}
