//! The command line: options, wiring of the crates, exit codes.
//!
//! Exit codes: 0 success; the program's own STOP code; 1 diagnostics or findings; 2 usage, files or driver; 101 a bug of ours;
//! 124 the time limit is over; 130 interrupted. Program output goes to standard output, everything of ours to standard error.

mod computer;
mod debugging;
mod emit;
mod files;
mod generate;
mod nvfortran;
mod options;
mod report;
mod run;
mod seeds;
mod stopping;
mod suppress;

use clap::Parser;
use options::Options;
use report::say;
use std::process::ExitCode;

/// Usage, files or driver.
const USAGE: u8 = 2;
/// A bug of cufemu.
const BUG: u8 = 101;
/// Interrupted.
const INTERRUPTED: u8 = 130;

/// Bytes of the stack that everything runs on: the stages of the compiler recurse over expressions.
const STACK_BYTES: usize = 256 << 20;
/// How high the tree of an expression may be: a sum of that many terms fits. There are 100 KB of stack for each level, many
/// times what the stages take.
const EXPRESSION_HEIGHT: u32 = 2500;

/// Everything that the program does, on a stack of its own size.
pub(crate) fn main() -> ExitCode {
    match std::thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES).spawn(work) {
        Ok(thread) => ExitCode::from(thread.join().unwrap_or(BUG)),
        Err(error) => ExitCode::from(usage(&format!("no room for a stack of {} MiB: {error}", STACK_BYTES >> 20))),
    }
}

fn work() -> u8 {
    install_bug_report();
    let code = std::panic::catch_unwind(|| {
        let args = nvfortran::translate(std::env::args_os().map(|a| a.to_string_lossy().into_owned()));
        match Options::try_parse_from(args) {
            Ok(options) => start(&options),
            // `--help` and `--version` come as errors too.
            Err(error) => match error.print() {
                Ok(()) => u8::try_from(error.exit_code()).unwrap_or(USAGE),
                Err(error) => report::output_lost(&error),
            },
        }
    });
    code.unwrap_or(BUG)
}

fn start(options: &Options) -> u8 {
    if let Some(code) = &options.explain {
        return explain(code);
    }
    if let Some(what) = options.generate {
        return generate::print(what);
    }
    let compiler = nvfortran::Compiler::read(&options.nvfortran);
    for option in &compiler.refused {
        say(&format!("cufemu: the option `{option}` is not supported; host data stays out of reach of device code\n"));
    }
    for option in &compiler.inexact {
        say(&format!("cufemu: the option `{option}` has no effect here; results may differ from nvfortran's\n"));
    }
    if options.verbose {
        for option in &compiler.ignored {
            say(&format!("cufemu: the option `{option}` has no effect here\n"));
        }
    }
    if let Some(sentence) = options.conflict() {
        return usage(&sentence);
    }
    if options.files.is_empty() {
        return usage("no source file; say `cufemu prog.cuf`, or `cufemu --help` for the options");
    }
    run::run(options, &compiler)
}

fn explain(code: &str) -> u8 {
    let Some(text) = diag::explain(code) else {
        return usage(&format!("there is no code `{code}`; a code looks like `R0101`"));
    };
    report::print(format!("{}\n", text.trim_end()))
}

/// Says one sentence and gives the exit code for it.
fn usage(sentence: &str) -> u8 {
    say(&format!("cufemu: {sentence}\n"));
    USAGE
}

/// A panic is a bug of ours: it says so, and where.
fn install_bug_report() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        say(&format!(
            "cufemu: a bug in cufemu {}: {text} ({place})\nplease report it with the program that caused it\n",
            env!("CARGO_PKG_VERSION")
        ));
    }));
}
