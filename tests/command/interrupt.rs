//! Runs that are ended from outside, at any moment: what was printed and written is kept, the exit code says what happened,
//! and nothing is left behind.

use crate::cli::{ENDLESS_KERNEL, piped};
use crate::process::{cufemu, file, said, text};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

/// Starts a program that prints `before` first, and waits for that line.
fn begun(command: &mut Command) -> Child {
    let mut child = piped(command);
    let mut line = [0; 8];
    child.stdout.as_mut().expect("a pipe").read_exact(&mut line).expect("the first line");
    assert_eq!(&line, b" before\n");
    child
}

fn kill(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

/// An empty folder.
fn empty(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn interrupt_ends_the_run_and_keeps_what_was_printed() {
    let path = file("forever.cuf", b"integer :: i\nprint *, 'before'\ndo\ni = i + 1\nend do\nend\n");
    let child = begun(cufemu().arg(&path));
    std::thread::sleep(Duration::from_millis(100));
    kill(&child, "-INT");
    said(&child.wait_with_output().expect("it ends"), 130, "interrupted");
    let child = begun(cufemu().arg(file("endless.cuf", ENDLESS_KERNEL.as_bytes())));
    kill(&child, "-INT");
    said(&child.wait_with_output().expect("it ends"), 130, "interrupted");
}

#[test]
fn a_run_that_only_calls_is_stopped_in_time() {
    let program = "integer(8) :: k\nprint *, 'before'\nk = f(90_8)\nprint *, k\ncontains\n\
        recursive integer(8) function f(n) result(r)\ninteger(8), intent(in) :: n\nr = n\n\
        if (n >= 2) r = f(n - 1) + f(n - 2)\nend function\nend\n";
    let path = file("calls.f90", program.as_bytes());
    for engine in ["native", "interpreter"] {
        let output = cufemu().args(["--engine", engine, "--timeout", "1"]).arg(&path).output().expect("it ends");
        assert!(text(&output.stdout).starts_with(" before\n"), "{}", text(&output.stdout));
        let said = text(&output.stderr);
        assert!(said.contains("stopped after 1 s, the limit of `--timeout`, at"), "{said}");
    }
}

#[test]
fn ranks_that_never_end_are_interrupted_before_one_is_debugged() {
    let program = "use mpi\ninteger :: rank, ierr, i\ncall MPI_Init(ierr)\ncall MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)\n\
        do while (rank == 1)\ni = i + 1\nend do\ncall MPI_Finalize(ierr)\nend\n";
    let mut command = cufemu();
    command.args(["--ranks", "2", "--rank", "0", "--debug", "--batch", "--ex", "run", "--ex", "print rank"]);
    let child = piped(command.arg(file("ranks.cuf", program.as_bytes())));
    std::thread::sleep(Duration::from_millis(1500));
    kill(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    said(&output, 1, "the 2 ranks have run until they were interrupted; this is rank 0");
    assert!(text(&output.stdout).contains("[Program exited with code 1]"), "{}", text(&output.stdout));
}

#[test]
fn findings_are_said_before_the_program_waits() {
    let kernel = "module m\ncontains\nattributes(global) subroutine k(x)\ninteger :: x(4)\nx(threadidx%x + 4) = 1\n\
        end subroutine\nend module\n";
    let main = "program p\nuse m\ninteger, device :: x(4)\ncall k<<<1, 1>>>(x)\ni = cudaDeviceSynchronize()\n\
        call sleep(60)\nend program\n";
    let program = format!("{kernel}{}", main.replace("use m", "use m\nuse cudafor"));
    let mut child = piped(cufemu().args(["--message-format", "short"]).arg(file("late.cuf", program.as_bytes())));
    let mut said = String::new();
    let mut errors = BufReader::new(child.stderr.as_mut().expect("a pipe"));
    errors.read_line(&mut said).expect("a finding while the program sleeps");
    assert!(said.contains("late.cuf:5"), "{said}");
    kill(&child, "-INT");
    child.wait().expect("it ends");
}

#[test]
fn interrupt_ends_a_program_that_waits_for_input_or_sleeps_and_its_files_are_written() {
    for (name, waits) in [("waiting", "read *, i"), ("sleeping", "call sleep(60)")] {
        let written = file(&format!("{name}.txt"), b"");
        let program = format!(
            "integer :: i\nopen(10, file='{}')\nwrite(10, '(a)') 'kept'\nprint *, 'before'\n{waits}\nend\n",
            written.display()
        );
        let mut child = begun(cufemu().arg(file(&format!("{name}.f90"), program.as_bytes())));
        std::thread::sleep(Duration::from_millis(100));
        // Input that stays open.
        let input = child.stdin.take();
        kill(&child, "-INT");
        let output = child.wait_with_output().expect("it ends");
        drop(input);
        // A run that is ended where it is, after some seconds, says something else.
        said(&output, 130, "interrupted");
        assert_eq!(std::fs::read(&written).expect("the file"), b"kept\n", "{name}");
    }
}

#[test]
fn a_run_that_is_stopped_at_any_moment_ends_in_order_and_leaves_nothing() {
    let folder = empty("stopped");
    // Lines that are printed, and written to a file that the user has not asked to keep, while kernels run.
    let program = ENDLESS_KERNEL
        .replace("do while (i /= 0)", "do while (i < 2000)")
        .replace("ieor(i, 2)", "i + 1")
        .replace("call spin", "open(8, status='scratch')\ndo\nwrite(8, *) h\nprint *, 'again'\ncall spin")
        .replace("print *, h", "end do");
    let path = file("stopped.cuf", program.as_bytes());
    let signals = ["-INT", "-TERM", "-HUP", "-KILL", "-INT", "-TERM", "-KILL", "-INT"];
    for (number, signal) in signals.into_iter().enumerate() {
        let options: &[&str] = [&["--jobs=1"][..], &["--jobs=3", "--race"]][number % 2];
        let mut command = cufemu();
        command.args(options).arg(&path).current_dir(&folder).env("TMPDIR", &folder);
        let child = begun(&mut command);
        // Moments that fall on different parts of the work.
        std::thread::sleep(Duration::from_micros(1 + 7919 * number as u64));
        kill(&child, signal);
        let output = child.wait_with_output().expect("it ends");
        if signal == "-KILL" {
            assert_eq!(output.status.signal(), Some(9));
        } else {
            said(&output, 130, "interrupted");
        }
        let printed = text(&output.stdout);
        assert!(printed.ends_with('\n') || printed.is_empty(), "{printed}");
        assert!(printed.lines().all(|line| line == " again"), "{signal}: {printed}");
    }
    let left: Vec<_> = std::fs::read_dir(&folder).expect("the folder").collect();
    assert!(left.is_empty(), "{left:?}");
}
