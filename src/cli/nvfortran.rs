//! Options of nvfortran, which begin with one dash and include their value.
//!
//! [`translate`] turns them into `--nvfortran=…` before clap sees them. [`Compiler`] is their meaning. Options without a meaning
//! for cufemu are accepted and named in one line; options that nvfortran does not have either are errors.

use crate::cli::options::{KNOWN_SM, Options};
use clap::CommandFactory;

/// Options of nvfortran whose value is the next argument.
const WITH_VALUE: &[&str] = &["-o", "-module", "-J"];

/// Options of nvfortran that have no value behind them, and no effect here but for what [`Compiler`] reads.
const WITHOUT_EFFECT: &[&str] = &[
    "acc",
    "noacc",
    "Bdynamic",
    "Bstatic",
    "c++libs",
    "cudalib",
    "fastsse",
    "fopenmp",
    "fortranlibs",
    "fPIC",
    "fpic",
    "i4",
    "m64",
    "mp",
    "nomp",
    "nofma",
    "noswitcherror",
    "p",
    "pg",
    "pgc++libs",
    "pgf90libs",
    "pthread",
    "rdynamic",
    "r4",
    "s",
    "shared",
    "show",
    "silent",
    "static",
    "static-nvidia",
    "nostdpar",
    "time",
    "traceback",
    "notraceback",
    "w",
];

/// The beginnings of options of nvfortran that have a value behind them, and no effect here but for what [`Compiler`] reads.
const WITH_A_TAIL: &[&str] = &[
    "acc=",
    "cudalib=",
    "idirafter",
    "isystem",
    "J",
    "K",
    "march=",
    "mcmodel=",
    "module=",
    "mp=",
    "mtune=",
    "O",
    "R",
    "rpath",
    "stdpar=multicore",
    "target=",
    "tp",
    "W",
    "X",
];

/// What may follow `-M` in options of nvfortran that have no effect here, from the beginning; `no` before any of them turns it
/// off.
const M_OPTIONS: &[&str] = &[
    "allocatable",
    "autoinline",
    "bdynamic",
    "bstatic",
    "cache_align",
    "chkptr",
    "chkstk",
    "concur",
    "cpp",
    "cray",
    "cudalib",
    "dalign",
    "dclchk",
    "defaultunit",
    "depchk",
    "dlines",
    "dse",
    "dwarf",
    "eh_frame",
    "extract",
    "fcon",
    "fma",
    "fpapprox",
    "fpmisalign",
    "fprelaxed",
    "frame",
    "func32",
    "gccbugs",
    "i4",
    "idiom",
    "info",
    "inform",
    "inline",
    "instrument",
    "iomutex",
    "ipa",
    "keepasm",
    "large_arrays",
    "lfs",
    "list",
    "llvm",
    "loop32",
    "lre",
    "m128",
    "main",
    "mkl",
    "movnt",
    "mpi",
    "neginfo",
    "onetrip",
    "openmp",
    "pfi",
    "pfo",
    "pre",
    "prefetch",
    "prof",
    "propcond",
    "quad",
    "r8intrinsics",
    "recursive",
    "reentrant",
    "ref_externals",
    "rpath",
    "safe_lastval",
    "safeptr",
    "scalapack",
    "scalarsse",
    "second_underscore",
    "sgimp",
    "signed",
    "signextend",
    "single",
    "smart",
    "smartalloc",
    "split",
    "stack_arrays",
    "standard",
    "startup",
    "stddef",
    "stride0",
    "target_temps",
    "traceback",
    "unixlogical",
    "unroll",
    "unsafe_par_align",
    "upcase",
    "varargs",
    "vect",
    "vintr",
    "writable-strings",
    "zerotrip",
];

/// The beginnings of options of nvfortran that have no effect here and change what programs mean or compute.
const CHANGING: &[&str] = &[
    "i2",
    "Mallocatable=95",
    "Mdefaultunit",
    "Mdlines",
    "Mfcon",
    "Mfpapprox",
    "Mfprelaxed",
    "Mnoi4",
    "Monetrip",
    "Mr8intrinsics",
    "Mstride0",
    "Munixlogical",
    "Mupcase",
];

/// Options of nvfortran that ask for something else than a program.
const OTHER_WORK: &[&str] = &["dryrun", "E", "F", "P", "S"];

/// What may follow `-gpu=` without an effect here, from the beginning.
const GPU_OPTIONS: &[&str] = &[
    "autocollapse",
    "autocompare",
    "beta",
    "ccall",
    "ccnative",
    "cc",
    "cuda",
    "debug",
    "nodebug",
    "deepcopy",
    "nodeepcopy",
    "host",
    "implicitsections",
    "noimplicitsections",
    "interceptdeallocations",
    "nointerceptdeallocations",
    "keep",
    "lineinfo",
    "nolineinfo",
    "loadcache",
    "lto",
    "nolto",
    "math_uniform",
    "maxregcount",
    "mem:separate",
    "nomanaged",
    "nounified",
    "nounroll",
    "nvlamath",
    "pinned",
    "pinnedalloc",
    "prec",
    "ptxinfo",
    "rdc",
    "nordc",
    "redundant",
    "noredundant",
    "safecache",
    "sm_",
    "stacklimit",
    "tripcount",
    "unroll",
    "zeroinit",
];

/// Whether nvfortran has the option, `text` without its dash.
fn is_known(text: &str) -> bool {
    let of_m = |rest: &str| M_OPTIONS.iter().any(|known| rest.strip_prefix("no").unwrap_or(rest).starts_with(known));
    WITHOUT_EFFECT.contains(&text)
        || WITH_A_TAIL.iter().any(|known| text.starts_with(known))
        || text.strip_prefix('M').is_some_and(of_m)
}

/// The option of cufemu, with two dashes, that was written with one.
fn own(arg: &str) -> Option<String> {
    let name = arg.strip_prefix('-').filter(|rest| rest.len() > 1 && !rest.starts_with('-'))?;
    let word = name.split('=').next()?;
    let is_long = |a: &clap::Arg| a.get_long() == Some(word) && !a.is_hide_set();
    let is_own = matches!(word, "help" | "version") || Options::command().get_arguments().any(is_long);
    is_own.then(|| format!("--{name}"))
}

/// Rewrites options of nvfortran, and options of cufemu with one dash, for clap. Arguments after `--` stay as they are.
pub(crate) fn translate(args: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut args = args.into_iter();
    out.extend(args.next());
    while let Some(arg) = args.next() {
        if arg == "--" {
            out.push(arg);
            out.extend(args.by_ref());
        } else if let Some(own) = own(&arg) {
            out.push(own);
        } else if WITH_VALUE.contains(&arg.as_str()) {
            let value = args.next().unwrap_or_default();
            out.push(format!("--nvfortran={arg}={value}"));
        } else if matches!(arg.as_str(), "-D" | "-U" | "-I" | "-l" | "-L") {
            let value = args.next().unwrap_or_default();
            out.push(format!("--nvfortran={arg}{value}"));
        } else if is_nvfortran(&arg) {
            out.push(format!("--nvfortran={arg}"));
        } else {
            out.push(arg);
        }
    }
    out
}

fn is_nvfortran(arg: &str) -> bool {
    let Some(rest) = arg.strip_prefix('-') else { return false };
    // `-h`, `-V` and `-v` belong to cufemu. Two or more letters after a single dash are an option of nvfortran.
    !rest.starts_with('-')
        && (rest.len() > 1 || matches!(rest, "g" | "O" | "c" | "C" | "E" | "F" | "P" | "S" | "p" | "s" | "w"))
        && rest.starts_with(char::is_alphabetic)
}

/// The meaning of the options of nvfortran.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Compiler {
    /// `-D name[=value]`
    pub(crate) defines: Vec<(String, Option<String>)>,
    /// `-U name`
    pub(crate) undefines: Vec<String>,
    /// `-I directory`
    pub(crate) includes: Vec<String>,
    /// `-l name`
    pub(crate) libraries: Vec<String>,
    /// `-L directory`
    pub(crate) library_directories: Vec<String>,
    /// `-Mfixed` (true) or `-Mfree` (false)
    pub(crate) fixed: Option<bool>,
    /// `-Mextend`
    pub(crate) extended_columns: bool,
    /// `-Mpreprocess`, `-cpp`
    pub(crate) preprocess: bool,
    /// `-r8`
    pub(crate) real8: bool,
    /// `-i8`
    pub(crate) int8: bool,
    /// `-O0` …; absent means the default.
    pub(crate) level: Option<u8>,
    /// `-g`
    pub(crate) debug: bool,
    /// `-gpu=nofma`, `-Mcuda=nofma`
    pub(crate) no_fma: bool,
    /// `-gpu=fastmath`, `-Mcuda=fastmath`, as it was given
    pub(crate) fast_math: Option<String>,
    /// `-nocuda`, `-Mnocuda`, unless `-cuda` comes later
    pub(crate) no_cuda: bool,
    /// `-gpu=managed`
    pub(crate) managed: bool,
    /// `-cuda=charstring`: characters longer than 1 in device code.
    pub(crate) charstring: bool,
    /// `-gpu=ccNN`
    pub(crate) sm: Option<u32>,
    /// `-fsyntax-only`
    pub(crate) only_checks: bool,
    /// `-c`
    pub(crate) writes_objects: bool,
    /// `-o NAME`
    pub(crate) output: Option<String>,
    /// `-Mbyteswapio`
    pub(crate) swaps_bytes: bool,
    /// `-Mbackslash`
    pub(crate) plain_backslash: bool,
    /// `-mp`: OpenMP, of which only conditional compilation has an effect.
    pub(crate) openmp: bool,
    /// `-acc`: OpenACC, likewise.
    pub(crate) openacc: bool,
    /// `-Msave`
    pub(crate) saves: bool,
    /// `-Mstandard`
    pub(crate) standard: bool,
    /// `-C`, `-Mbounds`
    pub(crate) bounds: bool,
    /// Options that cufemu does not support.
    pub(crate) refused: Vec<String>,
    /// Options without effect here that change the results of programs compiled by nvfortran.
    pub(crate) inexact: Vec<String>,
    /// Options by which nvfortran makes something else than a program.
    pub(crate) undone: Vec<String>,
    /// Options without effect here.
    pub(crate) ignored: Vec<String>,
    /// Options that nvfortran does not have either.
    pub(crate) unknown: Vec<String>,
}

impl Compiler {
    /// Reads the options that [`translate`] collected.
    pub(crate) fn read(options: &[String]) -> Compiler {
        let mut c = Compiler::default();
        for option in options {
            c.option(option);
        }
        c
    }

    /// The macros that options define, as `-D` has them.
    pub(crate) fn predefined(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.openmp {
            all.push("_OPENMP=202011".to_owned());
        }
        if self.openacc {
            all.push("_OPENACC=201711".to_owned());
        }
        all
    }

    /// What the user should know of options that mean something else here, or nothing; a line each. `is_fast` says whether device code
    /// has approximate operations where the user wants them.
    pub(crate) fn remarks(&self, is_fast: bool) -> Vec<String> {
        let of = |options: &[String], what: &str| -> Vec<String> {
            options.iter().map(|option| format!("cufemu: `{option}` {what}\n")).collect()
        };
        let mut all = of(&self.refused, "is not supported; device code cannot access host data");
        let fast: Vec<String> = self.fast_math.iter().filter(|_| !is_fast).cloned().collect();
        let inexact = [&self.inexact[..], &fast].concat();
        all.extend(of(&inexact, "has no effect; results may differ from those of nvfortran"));
        all.extend(of(&self.undone, "has no effect; the program is compiled as a whole"));
        if !self.ignored.is_empty() {
            let names: Vec<String> = self.ignored.iter().map(|option| format!("`{option}`")).collect();
            all.push(format!("cufemu: without effect here: {}\n", names.join(", ")));
        }
        all
    }

    /// An option that neither nvfortran nor cufemu has, in a sentence.
    pub(crate) fn mistake(&self) -> Option<String> {
        let option = self.unknown.first()?;
        let long: Vec<String> =
            Options::command().get_arguments().filter_map(|a| a.get_long().map(str::to_owned)).collect();
        let near = diag::nearest_name(option.trim_start_matches('-'), long.iter().map(String::as_str));
        let near = near.map_or(String::new(), |name| format!("; did you mean `--{name}`?"));
        Some(format!("`{option}` is no option of cufemu or nvfortran{near}"))
    }

    fn option(&mut self, option: &str) {
        let text = option.trim_start_matches('-');
        if let Some(define) = text.strip_prefix('D') {
            match define.split_once('=') {
                Some((name, value)) => self.defines.push((name.to_owned(), Some(value.to_owned()))),
                None => self.defines.push((define.to_owned(), None)),
            }
        } else if let Some(name) = text.strip_prefix('U') {
            self.undefines.push(name.to_owned());
        } else if let Some(directory) = text.strip_prefix('I') {
            self.includes.push(directory.to_owned());
        } else if let Some(name) = text.strip_prefix('l') {
            self.libraries.push(name.to_owned());
        } else if let Some(directory) = text.strip_prefix('L') {
            self.library_directories.push(directory.to_owned());
        } else if let Some(list) = text.strip_prefix("gpu=").or_else(|| text.strip_prefix("Mcuda=")) {
            list.split(',').for_each(|sub| self.gpu(option, sub));
        } else if let Some(target) = text.strip_prefix("ta=") {
            // The name of `-acc -gpu=` before 20.7: a target and behind it what `-gpu` takes.
            let (target, list) = target.split_once(':').unwrap_or((target, ""));
            match target {
                "tesla" | "nvidia" => list.split(',').filter(|s| !s.is_empty()).for_each(|sub| self.gpu(option, sub)),
                "multicore" | "host" => self.ignored.push(option.to_owned()),
                _ => self.unknown.push(option.to_owned()),
            }
        } else {
            match text {
                "cuda" | "Mcuda" => self.no_cuda = false,
                "cuda=charstring" => (self.no_cuda, self.charstring) = (false, true),
                "cuda=madconst" => {
                    self.no_cuda = false;
                    self.ignored.push(option.to_owned());
                }
                "nocuda" | "Mnocuda" => self.no_cuda = true,
                "Mfixed" | "Mnofree" => self.fixed = Some(true),
                "Mfree" | "Mfreeform" | "Mnofixed" => self.fixed = Some(false),
                "Mextend" => self.extended_columns = true,
                "Mnoextend" => self.extended_columns = false,
                "Mpreprocess" | "cpp" => self.preprocess = true,
                "r8" | "Mr8" => self.real8 = true,
                "Mnor8" => self.real8 = false,
                "C" | "Mbounds" => self.bounds = true,
                "Mnobounds" => self.bounds = false,
                "i8" => self.int8 = true,
                "Mbackslash" => self.plain_backslash = true,
                "Mnobackslash" => self.plain_backslash = false,
                "Msave" => self.saves = true,
                "Mnosave" => self.saves = false,
                "mp" | "fopenmp" => self.openmp = true,
                "nomp" => self.openmp = false,
                "acc" => self.openacc = true,
                "noacc" => self.openacc = false,
                _ if text.starts_with("mp=") => self.openmp = true,
                _ if text.starts_with("acc=") => self.openacc = true,
                "Mstandard" => self.standard = true,
                "Mnostandard" => self.standard = false,
                "Mbyteswapio" | "byteswapio" => self.swaps_bytes = true,
                "Mnobyteswapio" => self.swaps_bytes = false,
                "c" => self.writes_objects = true,
                "fsyntax-only" | "Msyntax-only" => self.only_checks = true,
                "g" | "gopt" => self.debug = true,
                "O0" => self.level = Some(0),
                "O" | "O1" | "O2" | "O3" | "O4" | "fast" => self.level = Some(1),
                // Allocatable data is managed where DO CONCURRENT runs on a GPU, as it is with -gpu=managed.
                "stdpar" | "stdpar=gpu" => {
                    self.managed = true;
                    self.ignored.push(option.to_owned());
                }
                "Mflushz" | "Mdaz" | "ffast-math" => self.inexact.push(option.to_owned()),
                _ if text.starts_with("o=") => self.output = text.strip_prefix("o=").map(str::to_owned),
                _ if OTHER_WORK.contains(&text) => self.undone.push(option.to_owned()),
                _ if CHANGING.iter().any(|known| text.starts_with(known)) => self.inexact.push(option.to_owned()),
                _ if is_known(text) => self.ignored.push(option.to_owned()),
                _ => self.unknown.push(option.to_owned()),
            }
        }
    }

    fn gpu(&mut self, option: &str, sub: &str) {
        match sub {
            "emu" => {}
            "nofma" => self.no_fma = true,
            "fma" | "nofastmath" | "noflushz" => {}
            "fastmath" => self.fast_math = Some(format!("{option} ({sub})")),
            "flushz" => self.inexact.push(format!("{option} ({sub})")),
            "managed" | "mem:managed" => self.managed = true,
            "unified" | "mem:unified" | "mem:unified:managedalloc" | "mem:unified:nomanagedalloc" => {
                self.refused.push(format!("{option} ({sub})"));
            }
            _ => match sub.strip_prefix("cc").and_then(|n| n.parse().ok()).filter(|sm| KNOWN_SM.contains(sm)) {
                Some(sm) => self.sm = Some(sm),
                None if GPU_OPTIONS.iter().any(|known| sub.starts_with(known)) => {
                    self.ignored.push(format!("{option} ({sub})"));
                }
                None => self.unknown.push(format!("{option} ({sub})")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> Vec<String> {
        translate(line.split(' ').map(str::to_owned))
    }

    #[test]
    fn options_with_one_dash_are_told_apart() {
        assert_eq!(
            run("cufemu -Mcuda=cc90,nofma -DN=4 -I inc -ex run --race -v a.cuf -- -Mcuda"),
            [
                "cufemu",
                "--nvfortran=-Mcuda=cc90,nofma",
                "--nvfortran=-DN=4",
                "--nvfortran=-Iinc",
                "--ex",
                "run",
                "--race",
                "-v",
                "a.cuf",
                "--",
                "-Mcuda"
            ]
        );
    }

    #[test]
    fn options_of_cufemu_may_have_one_dash() {
        assert_eq!(
            run("cufemu -race=strict -check init -help -g -r8 a.cuf"),
            ["cufemu", "--race=strict", "--check", "init", "--help", "--nvfortran=-g", "--nvfortran=-r8", "a.cuf"]
        );
    }

    #[test]
    fn options_that_nvfortran_does_not_have_are_told_apart() {
        let c = Compiler::read(
            &["-ffoo", "-Mfoo", "-gpu=foo", "-Minfo=accel", "-Mnobounds", "-lcublas"].map(str::to_owned),
        );
        assert_eq!(c.unknown, ["-ffoo", "-Mfoo", "-gpu=foo (foo)"]);
        assert_eq!(c.ignored, ["-Minfo=accel"]);
        assert_eq!(c.libraries, ["cublas"]);
    }

    #[test]
    fn options_that_change_programs_are_honoured_or_named() {
        let c = Compiler::read(&["-C", "-Mr8", "-i2", "-Mallocatable=03", "-Monetrip", "-E"].map(str::to_owned));
        assert!(c.bounds && c.real8 && c.unknown.is_empty());
        assert_eq!((c.inexact.len(), &c.ignored[..]), (2, &["-Mallocatable=03".to_owned()][..]));
        assert_eq!(c.undone, ["-E"]);
        let last = c.remarks(true);
        assert!(last.iter().any(|line| line.contains("`-Monetrip` has no effect; results may differ")), "{last:?}");
    }

    #[test]
    fn options_without_effect_are_kept_to_be_named() {
        let options: Vec<String> =
            ["-gpu=cc80,managed,keep,fastmath", "-r8", "-DA=1", "-DB", "-O0", "-Minline", "-cuda", "-Mextend"]
                .map(str::to_owned)
                .into();
        let c = Compiler::read(&options);
        assert_eq!((c.sm, c.managed, c.real8, c.level), (Some(80), true, true, Some(0)));
        assert_eq!(c.defines, [("A".to_owned(), Some("1".to_owned())), ("B".to_owned(), None)]);
        assert!(c.extended_columns && !c.no_cuda);
        let no_cuda =
            |options: &[&str]| Compiler::read(&options.iter().map(|&o| o.to_owned()).collect::<Vec<_>>()).no_cuda;
        assert!(no_cuda(&["-Mcuda", "-nocuda"]) && no_cuda(&["-Mnocuda"]) && !no_cuda(&["-nocuda", "-cuda"]));
        let character_strings = Compiler::read(&["-nocuda".to_owned(), "-cuda=charstring".to_owned()]);
        assert!(!character_strings.no_cuda && character_strings.unknown.is_empty());
        let target = Compiler::read(&["-ta=tesla:cc70,managed".to_owned(), "-ta=multicore".to_owned()]);
        assert_eq!(
            (target.sm, target.managed, &target.ignored[..]),
            (Some(70), true, &["-ta=multicore".to_owned()][..])
        );
        let managed = |option: &str| Compiler::read(&[option.to_owned()]).managed;
        assert!(managed("-stdpar") && managed("-stdpar=gpu") && !managed("-stdpar=multicore") && !managed("-nostdpar"));
        assert!(c.refused.is_empty());
        assert!(c.inexact.is_empty());
        assert_eq!(c.fast_math.as_deref(), Some("-gpu=cc80,managed,keep,fastmath (fastmath)"));
        assert_eq!(c.ignored, ["-gpu=cc80,managed,keep,fastmath (keep)", "-Minline"]);
        assert_eq!(Compiler::read(&["-gpu=unified".to_owned()]).refused, ["-gpu=unified (unified)"]);
    }
}
