//! Ranks that `mpirun` has started, with the MPI libraries that are here: Open MPI and MPICH, as Debian names their launchers,
//! and whatever `mpirun` is. Where there is none, the tests say so and pass.

use crate::process::{cufemu, file, said, text};
use crate::ranks::{PROGRAM, SUM, debugged};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The launchers that are here.
pub(crate) fn launchers() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |name: &str| std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file());
    let mut launchers: Vec<PathBuf> = ["mpirun.openmpi", "mpirun.mpich"].into_iter().filter_map(found).collect();
    if launchers.is_empty() {
        launchers.extend(found("mpirun"));
    }
    for name in ["mpirun.openmpi", "mpirun.mpich"] {
        if found(name).is_none() && found("mpirun").is_none() {
            eprintln!("!! SKIPPED: there is no `{name}`, so nothing was run with that MPI");
        }
    }
    launchers
}

/// A run as that many ranks.
pub(crate) fn launch(launcher: &Path, ranks: u32, words: &[&str]) -> Output {
    let mut command = Command::new(launcher);
    command.args(["-n", &ranks.to_string(), env!("CARGO_BIN_EXE_cufemu"), "--timeout", "60"]).args(words);
    // Open MPI starts nothing for root, and no more ranks than cores, unless it is told so.
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"] {
        command.env(name, "1");
    }
    command.env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
    // Some programs write files.
    command.current_dir(env!("CARGO_TARGET_TMPDIR")).output().expect("it runs")
}

fn program(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui").join(name).display().to_string()
}

fn ranks_of(path: &str) -> u32 {
    let text = std::fs::read_to_string(path).expect("a program");
    let line = text.lines().find_map(|line| line.strip_prefix("! run: --ranks ")).expect("a number of ranks");
    line.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
}

fn lines(output: &[u8]) -> Vec<String> {
    let mut lines: Vec<String> = text(output).lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// The codes of what was found.
fn codes(output: &Output) -> BTreeSet<String> {
    let is_code =
        |word: &str| word.len() == 5 && word.starts_with('R') && word[1..].bytes().all(|b| b.is_ascii_digit());
    text(&output.stderr).split(['[', ']']).filter(|word| is_code(word)).map(str::to_owned).collect()
}

#[test]
fn programs_print_what_they_print_in_one_process() {
    const PROGRAMS: [&str; 16] = [
        "attributes",
        "collectives",
        "communicators",
        "datatypes",
        "f08",
        "files",
        "graphs",
        "grid",
        "halo",
        "one_sided",
        "one_sided_device",
        "own_operations",
        "own_operations_f08",
        "requests",
        "send_modes",
        "streams",
    ];
    for launcher in launchers() {
        for name in PROGRAMS {
            let path = program(&format!("pass/mpi/{name}.cuf"));
            let ranks = ranks_of(&path);
            let alone = cufemu()
                .args(["--ranks", &ranks.to_string(), &path])
                .current_dir(env!("CARGO_TARGET_TMPDIR"))
                .output()
                .expect("it runs");
            let launched = launch(&launcher, ranks, &[&path]);
            let said = text(&launched.stderr);
            assert_eq!(launched.status.code(), Some(0), "{}: {name}: {said}", launcher.display());
            assert_eq!(lines(&launched.stdout), lines(&alone.stdout), "{}: {name}", launcher.display());
        }
    }
}

#[test]
fn what_is_wrong_is_found_as_in_one_process() {
    const PROGRAMS: [(&str, &[&str]); 12] = [
        ("abort", &[]),
        ("collective_order", &[]),
        ("deadlock", &[]),
        ("lock_deadlock", &[]),
        ("not_finalized", &[]),
        ("not_freed", &["--check", "leak"]),
        ("one_rank_fails", &[]),
        ("pending_device_buffer", &["--race"]),
        ("put_buffer_written", &["--race"]),
        ("put_outside_epoch", &[]),
        ("truncated", &[]),
        ("wrong_communicator", &[]),
    ];
    for launcher in launchers() {
        for (name, options) in PROGRAMS {
            let path = program(&format!("fail/mpi/{name}.cuf"));
            let ranks = if name == "wrong_communicator" { 2 } else { ranks_of(&path) };
            let words: Vec<&str> = options.iter().copied().chain([path.as_str()]).collect();
            let alone = cufemu().args(["--ranks", &ranks.to_string()]).args(&words).output().expect("it runs");
            let launched = launch(&launcher, ranks, &words);
            let said = text(&launched.stderr);
            assert_eq!(launched.status.code(), alone.status.code(), "{}: {name}: {said}", launcher.display());
            assert_eq!(codes(&launched), codes(&alone), "{}: {name}: {said}", launcher.display());
        }
    }
}

#[test]
fn a_launcher_without_its_library_is_refused() {
    let path = file("ranks.cuf", PROGRAM.as_bytes());
    for (rank, ranks) in [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")] {
        let run = |options: &[&str]| {
            cufemu().env(rank, "1").env(ranks, "2").args(options).arg(&path).output().expect("it runs")
        };
        let library = "/nowhere/libmpi.so";
        said(&run(&["--mpi", library]), 2, "cannot load the MPI library `/nowhere/libmpi.so`: ");
        said(
            &run(&["--debug", "--mpi", library]),
            2,
            "the debugger cannot go back in a rank that `mpirun` has started",
        );
        said(&run(&["--many-seeds", "0..2"]), 2, "`--many-seeds` cannot repeat what `mpirun` has started");
        // Ranks of one process need no library.
        let alone = run(&["--ranks", "2"]);
        assert_eq!((alone.status.code(), text(&alone.stdout).as_str()), (Some(0), "0\n1\n"));
    }
}

#[test]
fn the_library_of_another_mpi_is_refused() {
    let path = file("ranks.cuf", PROGRAM.as_bytes());
    let launchers = launchers();
    for (launcher, library) in [("mpirun.openmpi", "libmpich.so.12"), ("mpirun.mpich", "libmpi.so.40")] {
        let Some(launcher) = launchers.iter().find(|l| l.ends_with(launcher)).filter(|_| launchers.len() == 2) else {
            eprintln!("!! SKIPPED: Open MPI and MPICH are not both here, so they were not mixed up");
            return;
        };
        let output = launch(launcher, 2, &["--mpi", library, &path.display().to_string()]);
        said(&output, 2, "it is of another MPI than the launcher");
    }
}

#[test]
fn a_rank_that_is_killed_ends_the_others() {
    let killed = PROGRAM.replace(
        "  print '(i0)', rank\n",
        "  if (rank == 1) call execute_command_line('kill -9 $PPID')\n  call MPI_Barrier(MPI_COMM_WORLD, ierr)\n",
    );
    let path = file("killed.cuf", killed.as_bytes()).display().to_string();
    for launcher in launchers() {
        let output = launch(&launcher, 2, &[&path]);
        let err = text(&output.stderr) + &text(&output.stdout);
        assert!(output.status.code().is_some_and(|code| code != 0 && code != 124), "{}", launcher.display());
        assert!(err.to_lowercase().contains("kill"), "{}: {err}", launcher.display());
    }
}

#[test]
fn a_rank_is_recorded_and_replayed_alone() {
    let path = file("launched.cuf", SUM.as_bytes());
    for launcher in launchers() {
        let name = launcher.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let record = path.with_file_name(format!("launched.{name}")).display().to_string();
        let output = launch(&launcher, 3, &["--record", &record, &path.display().to_string()]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
        let replay = format!("{record}.2");
        let commands = ["break 20", "run", "print total", "reverse-next", "print total", "rank 0", "print rank"];
        let said = debugged(&["--replay", &replay], &commands, &path);
        for expected in ["$1 = 30\n", "$2 = 2\n", "[Switching to rank 0, which", "$3 = 0\n"] {
            assert!(said.contains(expected), "{name}: {said}");
        }
        // A deadlock is found again where it was, and a rank that others have ended ends in its call.
        let wrong = program("fail/mpi/deadlock.cuf");
        let output = launch(&launcher, ranks_of(&wrong), &["--record", &record, &wrong]);
        assert_ne!(output.status.code(), Some(0), "{name}");
        let all: String = (0..ranks_of(&wrong))
            .map(|rank| debugged(&["--replay", &format!("{record}.{rank}")], &["run"], Path::new(&wrong)))
            .collect();
        assert!(all.contains("R1101"), "{name}: {all}");
    }
}
