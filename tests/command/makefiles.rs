//! `-c` and `-o` as makefiles use them: objects, archives of objects, programs.

use crate::process::{cufemu, file, said, text};
use std::path::Path;
use std::process::{Command, Output};

const KERNELS: &str = "module kernels\nimplicit none\ncontains\nattributes(global) subroutine scale(x)\nreal :: x(*)\n\
    x(threadidx%x) = FACTOR*x(threadidx%x)\nend subroutine\nend module\n";
const MAIN: &str = "program main\nuse kernels\nreal, device :: d(4)\nreal :: h(4)\ncharacter(len=8) :: word\nd = 1\n\
    call scale<<<1, 4>>>(d)\nh = d\ncall get_command_argument(1, word)\nprint *, trim(word), h(4)\nstop 3\nend program\n";

/// Runs a command of these words in a folder.
fn run_in(folder: &Path, words: &[&str]) -> Output {
    let (program, words) = words.split_first().expect("a command");
    let mut command = if *program == "cufemu" { cufemu() } else { Command::new(folder.join(program)) };
    command.args(words).current_dir(folder).output().expect("it runs")
}

fn fine(folder: &Path, words: &[&str]) {
    let output = run_in(folder, words);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{words:?}");
}

/// The source files in a folder of the test's own, which it gives.
fn sources() -> std::path::PathBuf {
    let folder = file("kernels.cuf", b"").parent().expect("a folder").to_path_buf();
    // Of an earlier run.
    std::fs::remove_dir_all(&folder).expect("an empty folder");
    file("kernels.cuf", KERNELS.as_bytes());
    file("main.cuf", MAIN.as_bytes());
    std::fs::create_dir_all(folder.join("build dir")).expect("a folder");
    folder
}

#[test]
fn objects_become_a_program_that_runs_anywhere() {
    let folder = sources();
    fine(&folder, &["cufemu", "-Mpreprocess", "-DFACTOR=2.5", "-c", "kernels.cuf", "-o", "build dir/kernels.o"]);
    fine(&folder, &["cufemu", "-Mpreprocess", "-DFACTOR=2.5", "-O2", "-c", "main.cuf"]);
    let output = run_in(&folder, &["cufemu", "main.o", "build dir/kernels.o", "-o", "main program"]);
    said(&output, 0, "have different options");
    let output = run_in(&folder.join("build dir"), &["../main program", "word"]);
    assert_eq!((output.status.code(), text(&output.stdout).trim()), (Some(3), "word    2.500000"), "{output:?}");
    // Objects can be run at once, and checked with more options.
    let output = run_in(&folder, &["cufemu", "main.o", "build dir/kernels.o", "--", "x"]);
    assert_eq!(output.status.code(), Some(3));
    let mut command = Command::new(folder.join("main program"));
    let output = command.env("CUFEMU_OPTIONS", "--race --message-format=json").output().expect("it runs");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[test]
fn an_archive_of_objects_is_one_of_sources() {
    let folder = sources();
    for name in ["kernels", "main"] {
        fine(&folder, &["cufemu", "-Mpreprocess", "-DFACTOR=2.0", "-c", &format!("{name}.cuf")]);
    }
    let Ok(made) = Command::new("ar").args(["rcs", "libkernels.a", "kernels.o"]).current_dir(&folder).output() else {
        eprintln!("skipped: there is no `ar`");
        return;
    };
    assert!(made.status.success(), "{made:?}");
    fine(&folder, &["cufemu", "-o", "program", "main.o", "libkernels.a"]);
    let output = run_in(&folder, &["program"]);
    assert_eq!((output.status.code(), text(&output.stdout).trim()), (Some(3), "2.000000"), "{output:?}");
}

#[test]
fn what_cannot_be_built_is_said_and_nothing_is_written() {
    let folder = sources();
    said(&run_in(&folder, &["cufemu", "-c", "kernels.cuf", "main.cuf", "-o", "x.o"]), 1, "E0201");
    assert!(!folder.join("x.o").exists() && !folder.join("kernels.o").exists());
    let options = ["cufemu", "-Mpreprocess", "-DFACTOR=2.0"];
    let run = |more: &[&str]| run_in(&folder, &[&options[..], more].concat());
    said(&run(&["-c", "kernels.cuf", "main.cuf", "-o", "x.o"]), 2, "takes one source file");
    said(&run(&["main.cuf", "kernels.cuf", "-o", "main.cuf"]), 2, "is a source file");
    said(&run(&["kernels.cuf", "-o", "x"]), 1, "E0213");
    assert!(!folder.join("x").exists() && std::fs::read_to_string(folder.join("main.cuf")).is_ok_and(|t| t == MAIN));
    fine(&folder, &[&options[..], &["-c", "kernels.cuf"]].concat());
    std::fs::remove_file(folder.join("kernels.cuf")).expect("a file");
    said(&run(&["main.cuf", "kernels.o"]), 2, "which is no longer there");
}
