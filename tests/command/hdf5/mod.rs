//! Module `hdf5`, with the HDF5 library that is here. Where there is none, the tests say so and pass.
//!
//! What the programs print was recorded with gfortran 12 and HDF5 1.10.8.

use crate::mpirun::{launch, launchers};
use crate::process::{cufemu, file, text};
use crate::ranks::debugged;
use std::path::{Path, PathBuf};
use std::process::Output;

/// What `ranks.cuf` prints with three ranks.
const OF_RANKS: &str = "T\n   0   1   2   3  72\n   3\n";

fn program(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/hdf5").join(name).display().to_string()
}

/// A file for data that only one test uses.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Whether HDF5 could be loaded.
fn is_here(output: &Output, what: &str) -> bool {
    let missing = text(&output.stderr).contains("the HDF5 library cannot be loaded");
    if missing {
        eprintln!("!! SKIPPED: there is no HDF5 library, so {what} was not run");
    }
    !missing
}

#[test]
fn a_program_prints_what_it_prints_with_the_fortran_library() {
    let directory = data("hdf5-alone");
    std::fs::create_dir_all(&directory).expect("a directory");
    for engine in ["native", "interpreter"] {
        let words = ["--check", "init,bounds", "--engine", engine, &program("alone.f90")];
        let output = cufemu().args(words).current_dir(&directory).output().expect("it runs");
        if is_here(&output, "`alone.f90`") {
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            assert_eq!(text(&output.stdout), include_str!("alone.expected"), "{engine}");
        }
    }
}

#[test]
fn ranks_share_a_file() {
    let file = data("hdf5-ranks.h5");
    let shown = file.display().to_string();
    for options in [&["--jobs", "1"][..], &["--jobs", "4"], &["--race", "--check", "all"], &["--schedule", "seed:3"]] {
        let _ = std::fs::remove_file(&file);
        let words = ["--ranks", "3", &program("ranks.cuf"), "--", &shown];
        let output = cufemu().args(options).args(words).output().expect("it runs");
        if is_here(&output, "`ranks.cuf`") {
            assert_eq!(output.status.code(), Some(0), "{options:?}: {}", text(&output.stderr));
            assert_eq!(text(&output.stdout), OF_RANKS, "{options:?}");
            assert!(file.is_file());
        }
    }
}

#[test]
fn processes_share_a_file_by_the_library_of_their_mpi() {
    for (number, launcher) in launchers().into_iter().enumerate() {
        let file = data(&format!("hdf5-launched-{number}.h5"));
        let output = launch(&launcher, 3, &[&program("ranks.cuf"), "--", &file.display().to_string()]);
        let said = text(&output.stderr);
        let name = launcher.display();
        if said.contains("this HDF5 library was built without MPI") {
            eprintln!("!! SKIPPED: there is no HDF5 library for `{name}`");
        } else if is_here(&output, "`ranks.cuf` with an MPI") {
            assert_eq!(output.status.code(), Some(0), "{name}: {said}");
            // Which rank's line comes first is up to the launcher.
            let sorted = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort_unstable();
                lines
            };
            assert_eq!(sorted(&text(&output.stdout)), sorted(OF_RANKS), "{name}");
        }
    }
}

#[test]
fn the_debugger_goes_back_over_calls() {
    let source = "program p\n  use hdf5\n  integer :: e, n\n  integer(hid_t) :: s\n  n = 1\n  call h5open_f(e)\n  \
                  call h5screate_simple_f(2, [3_hsize_t, 4_hsize_t], s, e)\n  call h5sget_simple_extent_ndims_f(s, n, e)\n  \
                  print *, n\nend program\n";
    let path = file("hdf5-back.f90", source.as_bytes());
    let commands = ["break 9", "run", "print n", "reverse-next", "print n", "next", "print n"];
    let said = debugged(&[], &commands, &path);
    if said.contains("the HDF5 library cannot be loaded") {
        eprintln!("!! SKIPPED: there is no HDF5 library, so the debugger was not run");
        return;
    }
    let values: Vec<&str> = said.lines().filter(|line| line.contains(" = ")).collect();
    assert_eq!(values, ["$1 = 2", "$2 = 1", "$3 = 2"], "{said}");
}

#[test]
fn a_crash_in_the_library_ends_the_process() {
    // The library holds its lock, and would wait for it when the process ends.
    let source = "program p\n  use hdf5\n  use iso_c_binding, only: c_null_ptr\n  integer :: e\n  integer(hid_t) :: f, s, d\n  \
                  character(80) :: name\n  call get_command_argument(1, name)\n  call h5open_f(e)\n  \
                  call h5fcreate_f(name, H5F_ACC_TRUNC_F, f, e)\n  call h5screate_simple_f(1, [10_hsize_t], s, e)\n  \
                  call h5dcreate_f(f, 'x', H5T_NATIVE_DOUBLE, s, d, e)\n  print *, 'before'\n  \
                  call h5dwrite_f(d, H5T_NATIVE_DOUBLE, transfer(16_8, c_null_ptr), e)\nend program\n";
    let path = file("hdf5-crash.f90", source.as_bytes());
    let name = data("hdf5-crash.h5").display().to_string();
    let output = cufemu().arg(&path).args(["--", &name]).output().expect("it runs");
    if is_here(&output, "a crash") {
        let found = text(&output.stderr);
        assert!(found.contains("library procedure `H5Dwrite`: it has crashed"), "{found}");
        assert_eq!((output.status.code(), text(&output.stdout).trim()), (Some(1), "before"));
    }
}
