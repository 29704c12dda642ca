//! `--emit`: prints a stage of the compiler to standard output.

use crate::cli::options::Stage;
use crate::cli::report::print;
use crate::cli::usage;
use compile::Compiled;
use source::SourceMap;

/// How `--emit ptx` prints.
pub(crate) struct PtxStyle<'a> {
    pub(crate) sm: u32,
    /// Whether the code is optimised for a GPU, as `--device gpu` does.
    pub(crate) optimise: bool,
    /// With sources, the text contains debug information.
    pub(crate) sources: Option<&'a SourceMap>,
}

/// Prints the IR or the PTX of a compiled program.
pub(crate) fn code(stage: Stage, compiled: &Compiled, style: &PtxStyle<'_>) -> u8 {
    match stage {
        Stage::Ast => 0,
        Stage::Ir => print(ir::print::module(&compiled.module, false)),
        Stage::Ptx => {
            let kernels: Vec<ir::FuncId> = (0..compiled.module.funcs.len())
                .map(|i| ir::FuncId(i as u32))
                .filter(|&id| compiled.module.func(id).kind == ir::FuncKind::Kernel)
                .collect();
            let (sm, debug) = (gpu::ptx::target_for(style.sm), style.sources.is_some());
            let options = gpu::ptx::PtxOptions { sm, debug, sources: style.sources, ..gpu::ptx::PtxOptions::default() };
            let optimised = style.optimise.then(|| gpu::ptx::optimised(&compiled.module));
            match gpu::ptx::emit(optimised.as_ref().unwrap_or(&compiled.module), &kernels, &options) {
                Ok(text) => print(&text),
                Err(error) => usage(&format!("no PTX for `{}`: {}", error.function, error.what)),
            }
        }
    }
}

/// Prints the syntax trees of the source files, without those of the embedded modules.
pub(crate) fn trees(program: &ast::Program) -> u8 {
    print(ast::dump(program))
}
