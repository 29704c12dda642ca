//! The command line: it reads the options, connects the crates, and chooses the exit code.
//!
//! Exit codes: 0 success; the STOP code of the program; 1 diagnostics or findings; 2 wrong usage, unreadable files or no CUDA
//! driver; 101 internal error; 124 time limit reached; 130 interrupted. The output of the program goes to standard output,
//! all messages of cufemu go to standard error.

mod breakpoints;
mod check;
mod computer;
mod console;
mod debugging;
mod editor;
mod emit;
mod exploring;
mod files;
mod generate;
mod kernels;
mod lacking;
mod libraries;
mod live;
mod nvfortran;
mod objects;
mod options;
mod ranks;
mod recording;
mod report;
mod run;
mod seeds;
mod setup;
mod slice;
mod solo;
mod stopping;
mod suppress;

use clap::Parser;
use options::Options;
use report::say;
use std::process::ExitCode;

/// Exit code: wrong usage, unreadable files or no CUDA driver.
const USAGE: u8 = 2;
/// What is said when no file is given.
const WELCOME: &str = "\
cufemu: no source file given

  cufemu prog.cuf           run a CUDA Fortran program
  cufemu --race prog.cuf    run it and report data races
  cufemu --tui prog.cuf     debug it in the terminal, forwards and backwards
  cufemu check FILES        only look for errors, as an editor does

`cufemu --help` lists the options.
";
/// Exit code: internal error.
const BUG: u8 = 101;
/// Exit code: interrupted.
const INTERRUPTED: u8 = 130;

/// Bytes of the stack of the main thread. The stages of the compiler recurse over expressions.
const STACK_BYTES: usize = 256 << 20;
/// Largest height of an expression tree: a sum of this many terms fits. The stack has 100 KB for each level, many times what
/// the stages use.
const EXPRESSION_HEIGHT: u32 = 2500;

/// Runs cufemu on a thread with a large stack.
pub(crate) fn main() -> ExitCode {
    let work = || {
        let code = work();
        if foreign::is_copy() {
            // Nobody waits for the thread there.
            foreign::end_at_once(i32::from(code));
        }
        code
    };
    match std::thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES).spawn(work) {
        Ok(thread) => {
            // This thread has nothing else to do, and the first code that is compiled need not wait for it.
            emu::warm_up();
            let code = thread.join().unwrap_or(BUG);
            if foreign::has_crashed() {
                foreign::end_at_once(i32::from(code));
            }
            ExitCode::from(code)
        }
        Err(error) => ExitCode::from(usage(&format!("cannot allocate a stack of {} MiB: {error}", STACK_BYTES >> 20))),
    }
}

fn work() -> u8 {
    install_bug_report();
    let code = std::panic::catch_unwind(|| {
        let args = nvfortran::translate(std::env::args_os().map(|a| a.to_string_lossy().into_owned()));
        match Options::try_parse_from(&args) {
            Ok(options) => start(&Options { words: args, ..options }),
            // clap reports `--help` and `--version` as errors too.
            Err(error) if !error.use_stderr() => match error.print() {
                Ok(()) => 0,
                Err(error) => report::output_lost(&error),
            },
            Err(error) => {
                say(&error.render().to_string().replacen("error: ", "cufemu: ", 1));
                USAGE
            }
        }
    });
    code.unwrap_or(BUG)
}

fn start(options: &Options) -> u8 {
    if let [word, files @ ..] = &options.files[..]
        && word.as_os_str() == "check"
        && !word.exists()
    {
        return start(&Options { files: files.to_vec(), only_check: true, ..options.clone() });
    }
    if options.is_for_editor() {
        return editor::serve(options);
    }
    if let Some(code) = &options.explain {
        return explain(code);
    }
    if let Some(what) = options.generate {
        return generate::print(what);
    }
    let mut options = Options { given: options.files.clone(), ..options.clone() };
    match objects::expand(&mut options) {
        Ok(remarks) => remarks.iter().for_each(|remark| say(remark)),
        Err(sentence) => return usage(&sentence),
    }
    let compiler = nvfortran::Compiler::read(&options.nvfortran);
    let is_fast = run::is_fast(&options, &compiler);
    if let Some(sentence) = compiler.mistake() {
        return usage(&sentence);
    }
    compiler.remarks(is_fast).iter().for_each(|remark| say(remark));
    if options.fast_math && !is_fast {
        say("cufemu: `--fast-math` has no effect on the emulator, which computes exactly; add `--device gpu`\n");
    }
    if let Some(sentence) = options.conflict() {
        return usage(&sentence);
    }
    if options.files.is_empty() {
        say(WELCOME);
        return USAGE;
    }
    options.inputs.clone_from(&options.files);
    let mut inputs = libraries::take(&mut options.files, &compiler);
    inputs.mpi = ranks::launch(&options).and_then(|launch| launch.kind).map(libraries::of_mpi);
    if options.files.is_empty() {
        return usage("there is no Fortran file");
    }
    run::run(&options, &compiler, &inputs)
}

fn explain(code: &str) -> u8 {
    let Some(text) = diag::explain(code) else {
        return usage(&format!("there is no code `{code}`; codes look like `R0101`"));
    };
    report::print(format!("{}\n", text.trim_end()))
}

/// Prints one sentence and returns the exit code for wrong usage.
fn usage(sentence: &str) -> u8 {
    say(&format!("cufemu: {sentence}\n"));
    USAGE
}

/// Makes a panic print a request for a bug report, with its place.
fn install_bug_report() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        say(&format!(
            "cufemu: internal error in version {}: {text} ({place})\n\
             cufemu: please report this bug, with the program that caused it\n",
            env!("CARGO_PKG_VERSION")
        ));
    }));
}
