//! `--emit`: prints a stage of the compiler to standard output.

use crate::cli::options::{PassRun, Stage};
use crate::cli::report::print;
use crate::cli::usage;
use compile::Compiled;
use source::SourceMap;

/// How `--emit ptx` prints.
pub(crate) struct PtxStyle<'a> {
    pub(crate) sm: u32,
    /// Whether the code is optimised for a GPU, as `--device gpu` does.
    pub(crate) optimise: bool,
    /// Whether approximate operations take subnormal numbers as zero.
    pub(crate) flushes: bool,
    /// With sources, the text contains debug information.
    pub(crate) sources: Option<&'a SourceMap>,
}

/// Prints the IR or the PTX of a compiled program; for the IR after a pass, of one that was not optimised.
pub(crate) fn code(stage: &Stage, compiled: &Compiled, style: &PtxStyle<'_>) -> u8 {
    match stage {
        Stage::Ast => 0,
        Stage::IrAfter(pass) => after(pass, &compiled.module, style),
        Stage::Ir => print(ir::print::module(&compiled.module, false)),
        Stage::Ptx => {
            let kernels: Vec<ir::FuncId> = (0..compiled.module.funcs.len())
                .map(|i| ir::FuncId(i as u32))
                .filter(|&id| compiled.module.func(id).kind == ir::FuncKind::Kernel)
                .collect();
            let (sm, debug) = (gpu::ptx::target_for(style.sm), style.sources.is_some());
            let target = opt::Target { aligned: true, ..opt::Target::default() };
            let options = gpu::ptx::PtxOptions {
                sm,
                target,
                debug,
                flushes: style.flushes,
                sources: style.sources,
                ..gpu::ptx::PtxOptions::default()
            };
            let optimised = style.optimise.then(|| gpu::ptx::optimised(&compiled.module, target));
            match gpu::ptx::emit(optimised.as_ref().unwrap_or(&compiled.module), &kernels, &options) {
                Ok(text) => print(&text),
                Err(error) => usage(&format!("no PTX for `{}`: {}", error.function, error.what)),
            }
        }
    }
}

/// Prints the IR after a run of a pass: first those for all code, then those for code that runs on a GPU only.
fn after(wanted: &PassRun, module: &ir::Module, style: &PtxStyle<'_>) -> u8 {
    let mut runs: Vec<(String, usize)> = Vec::new();
    let mut text = None;
    let mut observe = |name: &str, now: &ir::Module| {
        let count = match runs.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                runs.push((name.to_owned(), 1));
                1
            }
        };
        if wanted.name == name && wanted.run.is_none_or(|run| run == count) {
            text = Some(ir::print::module(now, false));
        }
    };
    let mut module = module.clone();
    let level = u8::from(style.optimise);
    let watched = style.sources.is_some();
    opt::run_observed(
        &mut module,
        opt::Options { level, watched, keeps_frames: watched, keeps_points: watched },
        &mut observe,
    );
    if style.optimise {
        gpu::ptx::optimised_observed(&module, opt::Target::default(), &mut observe);
    }
    let Some(text) = text else {
        let all: Vec<String> = runs.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        let run = wanted.run.map(|run| format!(" {run}")).unwrap_or_default();
        return usage(&format!(
            "no run{run} of a pass `{}`; the passes and how often they run: {}",
            wanted.name,
            all.join(", ")
        ));
    };
    print(text)
}

/// Prints the syntax trees of the source files, without those of the embedded modules.
pub(crate) fn trees(program: &ast::Program) -> u8 {
    print(ast::dump(program))
}
