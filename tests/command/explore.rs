//! `--explore`, and `--schedule order:` which replays what it finds.

use crate::process::{cufemu, run, said, text};
use std::path::PathBuf;
use std::process::Output;

fn twin(name: &str, is_wrong: bool, options: &[&str]) -> Output {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/explore").join(name);
    let macros: &[&str] = if is_wrong { &["-cpp", "-DRACY"] } else { &["-cpp"] };
    cufemu().args(macros).args(options).arg(path).output().expect("it runs")
}

/// The first order that a run has named.
fn order(output: &Output) -> String {
    let said = text(&output.stderr);
    let at = said.find("--schedule order:").unwrap_or_else(|| panic!("no order in\n{said}"));
    said[at + "--schedule ".len()..].split_whitespace().next().expect("an order").to_owned()
}

#[test]
fn a_race_of_some_orders_is_reported_with_one_that_replays_it() {
    let output = twin("mailbox.CUF", true, &["--explore", "5"]);
    said(&output, 1, "error[R0104]: data race on global `box`");
    said(&output, 1, "cufemu: 5 orders run; ");
    said(&output, 1, " more are known, which a larger `--explore` runs");
    assert!(!text(&output.stderr).contains("seed:"), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), text(&twin("mailbox.CUF", true, &[]).stdout), "only the first run prints");
    let replayed = format!("--schedule={}", order(&output));
    said(&twin("mailbox.CUF", true, &["--race", &replayed]), 1, "error[R0104]: data race on global `box`");
    said(&twin("mailbox.CUF", true, &["--race", "-O0", &replayed]), 1, "error[R0104]: data race on global `box`");
    let debugged = twin("mailbox.CUF", true, &["--race", &replayed, "--batch", "--ex", "run"]);
    assert!(text(&debugged.stdout).contains("data race"), "{}{}", text(&debugged.stdout), text(&debugged.stderr));
}

/// Which of two warps adds first decides what both see; the first one polls, and both come to a barrier.
#[test]
fn warps_that_poll_before_a_barrier_leave_orders_to_seeds() {
    let program = "module m
contains
  attributes(global) subroutine k(x, o)
    integer :: x(1), o(2), r
    r = -1
    if (threadidx%x == 1) then
      r = atomicadd(x(1), 1)
      do while (atomicadd(x(1), 0) < 2)
      end do
    end if
    if (threadidx%x == 33) r = atomicadd(x(1), 2)
    call syncthreads()
    if (threadidx%x == 1) o(1) = r
    if (threadidx%x == 33) o(2) = r
  end subroutine
end module
program p
  use m
  integer, device :: x(1), o(2)
  integer :: h(2)
  x = 0
  o = 0
  call k<<<1, 64>>>(x, o)
  h = o
  print *, h
end program
";
    let output = run("polls.cuf", program, &["--explore", "30"]);
    said(&output, 1, "orders differ from the first");
    said(&output, 1, "there may be more, since a warp polls before a barrier of its block");
}

#[test]
fn all_orders_of_a_program_that_is_right_are_seen() {
    let output = twin("mailbox.CUF", false, &["--explore", "1000"]);
    said(&output, 0, "orders run; all orders seen\n");
    assert_eq!(text(&output.stderr).lines().count(), 1, "{}", text(&output.stderr));
    let output = run("alone.cuf", "print *, 1\nend\n", &["--explore", "9"]);
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        ("            1\n".to_owned(), "cufemu: 1 order run; all orders seen\n".to_owned())
    );
}

#[test]
fn the_search_does_not_depend_on_the_number_of_threads() {
    for name in ["three_forks.CUF", "places_of_lanes.CUF", "warps_share_a_slot.CUF"] {
        let one = twin(name, true, &["--explore", "40", "--jobs", "1"]);
        let many = twin(name, true, &["--explore", "40", "--jobs", "3"]);
        assert_eq!(text(&one.stderr), text(&many.stderr));
        assert_eq!((one.status.code(), &one.stdout), (many.status.code(), &many.stdout));
    }
}

#[test]
fn threads_that_wait_for_ever_in_some_order_are_reported() {
    let output = twin("two_locks.CUF", true, &["--explore", "10"]);
    said(&output, 1, "error[R0405]: livelock");
    said(&output, 1, "cufemu: the exit code is 1 with --schedule order:");
    let replayed = format!("--schedule={}", order(&output));
    said(&twin("two_locks.CUF", true, &[&replayed]), 1, "error[R0405]: livelock");
}

#[test]
fn results_that_depend_on_the_order_are_reported() {
    let output = twin("last_one_wins.CUF", true, &["--explore", "10"]);
    said(
        &output,
        1,
        "cufemu: the result depends on the order of blocks, warps and commands: 4 of 6 orders differ from the first",
    );
    said(&output, 1, "cufemu: line 1 is ` wrong` with --schedule order:");
    let replayed = format!("--schedule={}", order(&output));
    assert_eq!(text(&twin("last_one_wins.CUF", true, &[&replayed]).stdout), " wrong\n");
    // What is not printed is compared, too.
    let silent = "module m\ncontains\nattributes(global) subroutine k(x)\nuse cudafor\ninteger :: x, old\n\
        old = atomicexch(x, int(blockidx%x))\nend subroutine\nend module\nprogram p\nuse m\n\
        integer, device :: x\ninteger :: h\nx = 0\ncall k<<<2, 1>>>(x)\nh = x\nif (h > 2) print *, h\nend program\n";
    said(&run("silent.cuf", silent, &["--explore", "10"]), 1, "cufemu: what is copied to the host at ");
}

#[test]
fn lanes_that_meet_in_more_orders_than_are_tried_are_named() {
    let places = "module m\ncontains\nattributes(global) subroutine k(n, y)\nuse cudafor\ninteger :: n, y(*)\n\
        y(atomicadd(n, 1) + 1) = threadidx%x\nend subroutine\nend module\nprogram p\nuse m\n\
        integer, device :: n, y(32)\nn = 0\ncall k<<<1, 32>>>(n, y)\nend program\n";
    let output = run("lanes.cuf", places, &["--explore", "10"]);
    said(&output, 0, "; there may be more, since lanes meet in an atomic in more orders than are tried");
    // The runs that are left are made by chance.
    said(&output, 0, "cufemu: 10 orders run, ");
    said(&output, 0, " of them by a seed; no other is known");
}

#[test]
fn options_that_a_search_cannot_work_with_are_refused() {
    for options in [
        &["--explore", "4", "--schedule", "seed:1"][..],
        &["--explore", "4", "--many-seeds", "0..4"],
        &["--explore", "4", "--tui"],
        &["--explore", "4", "--verify"],
        &["--explore", "0"],
    ] {
        let output = run("contradiction.cuf", "print *, 1\nend\n", options);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {}", text(&output.stderr));
    }
    let run = |options: &[&str]| run("refused.cuf", "print *, 1\nend\n", options);
    said(&run(&["--explore", "4", "--device", "gpu"]), 2, "`--explore` directs the emulator");
    said(&run(&["--schedule", "order:1:5=1", "--device", "gpu"]), 2, "`--schedule order:` directs the emulator");
    said(&run(&["--schedule", "order:1:5"]), 2, "an order is written as cufemu prints it");
    said(&run(&["--schedule", "backwards"]), 2, "write `seed:N` with a number N");
    // An order that names blocks that are not there changes nothing.
    assert_eq!(text(&run(&["--schedule", "order:1:0=99.5.3+7p1"]).stdout), "            1\n");
}

/// What rank 0 gets of two others, which of them comes first.
fn messages(body: &str) -> String {
    format!(
        "program p\nuse mpi\nimplicit none\ninteger :: rank, ierr, got(2), k, status(MPI_STATUS_SIZE)\nlogical :: flag\n\
         call MPI_Init(ierr)\ncall MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)\nif (rank == 0) then\n{body}\nelse\n\
         call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)\nend if\ncall MPI_Finalize(ierr)\nend program\n"
    )
}

#[test]
fn orders_of_messages_between_ranks_are_seen() {
    let any = "do k = 1, 2\ncall MPI_Recv(got(k), 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, ierr)\n\
        end do\nprint *, got";
    let program = messages(any);
    let output = run("any.cuf", &program, &["--ranks", "3", "--explore", "10"]);
    said(&output, 1, "cufemu: the result depends on the order of messages: 1 of 2 orders differ from the first");
    said(&output, 1, "cufemu: 2 orders run; all orders seen");
    assert_eq!(order(&output), "order:m:1");
    let replayed = run("any.cuf", &program, &["--ranks", "3", "--schedule", "order:m:1"]);
    assert_eq!(text(&replayed.stdout), "            2            1\n");
    // One that says from whom it receives gets the same in every order.
    let each = any.replace("MPI_ANY_SOURCE", "k");
    said(&run("each.cuf", &messages(&each), &["--ranks", "3", "--explore", "10"]), 0, "1 order run; all orders seen");
    let probed = format!("call MPI_Iprobe(1, 0, MPI_COMM_WORLD, flag, status, ierr)\n{any}");
    let output = run("probed.cuf", &messages(&probed), &["--ranks", "3", "--explore", "10"]);
    said(&output, 1, "there may be more, since a rank asks which message is there");
}

#[test]
fn a_deadlock_of_ranks_in_some_order_is_reported() {
    // The first may be of rank 2, and then the second one never comes.
    let body = "call MPI_Recv(got(1), 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, ierr)\n\
        call MPI_Recv(got(2), 1, MPI_INTEGER, 2, 0, MPI_COMM_WORLD, status, ierr)\nprint *, got";
    let output = run("second.cuf", &messages(body), &["--ranks", "3", "--explore", "10"]);
    said(&output, 1, "deadlock");
    said(&output, 1, "not in all orders; replay with --schedule order:m:1");
    let right = body.replacen("MPI_ANY_SOURCE", "1", 1);
    said(&run("right.cuf", &messages(&right), &["--ranks", "3", "--explore", "10"]), 0, "all orders seen");
    let refused = run("refused.cuf", &messages(body), &["--ranks", "3", "--schedule", "order:1:0=1"]);
    said(&refused, 2, "an order of launches directs one rank only");
}

/// Kernels in two streams, with a statement between them.
fn streams(between: &str) -> String {
    format!(
        "module m\nuse cudafor\ncontains\nattributes(global) subroutine fill(x, v)\ninteger :: x(*)\n\
         integer, value :: v\nx(threadidx%x) = v\nend subroutine\nattributes(global) subroutine next(x, y)\n\
         integer :: x(*), y(*)\ny(threadidx%x) = x(threadidx%x) + 1\nend subroutine\nend module\nprogram p\nuse m\n\
         integer :: h(2), k\ninteger, device :: x(2), y(2)\ninteger(cuda_stream_kind) :: a, b\ntype(cudaEvent) :: e\n\
         x = 1\nk = cudaStreamCreate(a)\nk = cudaStreamCreate(b)\nk = cudaEventCreate(e)\ncall fill<<<1, 2, 0, a>>>(x, 5)\n\
         {between}\ncall next<<<1, 2, 0, b>>>(x, y)\nk = cudaDeviceSynchronize()\nh = y\nprint *, h\nend program\n"
    )
}

#[test]
fn kernels_of_streams_without_an_event_are_turned_round() {
    let program = streams("");
    let output = run("streams.cuf", &program, &["--explore", "10"]);
    said(&output, 1, "error[R0105]: data race on global `x` between two streams");
    said(&output, 1, "with --schedule order:c:1-2 and `            6            6` in the first run");
    assert_eq!(text(&output.stderr).matches("error[").count(), 1, "{}", text(&output.stderr));
    let replayed = run("streams.cuf", &program, &["--schedule", "order:c:1-2"]);
    assert_eq!(
        (text(&replayed.stdout), text(&replayed.stderr)),
        ("            2            2\n".to_owned(), String::new())
    );
    let waits = "k = cudaEventRecord(e, a)\nk = cudaStreamWaitEvent(b, e, 0)";
    for between in [waits, "k = cudaStreamSynchronize(a)", "k = cudaEventRecord(e, a)\nk = cudaEventSynchronize(e)"] {
        let output = run("ordered.cuf", &streams(between), &["--explore", "10"]);
        said(&output, 0, "cufemu: 1 order run; all orders seen");
        // What has to come first is not put off.
        let forced = run("ordered.cuf", &streams(between), &["--schedule", "order:c:1-2"]);
        assert_eq!(text(&forced.stdout), "            6            6\n");
    }
}

#[test]
fn a_copy_that_the_host_has_not_waited_for_comes_late() {
    let program = "program p\nuse cudafor\ninteger, pinned, allocatable :: h(:)\ninteger, device, allocatable :: x(:)\n\
        integer(cuda_stream_kind) :: a\ninteger :: k\nallocate(h(2), x(2))\nh = 0\nx = 7\nk = cudaStreamCreate(a)\n\
        k = cudaMemcpyAsync(h, x, 2, a)\nprint *, h(1)\ndeallocate(x)\nprint *, h(2)\nend program\n";
    let output = run("late.cuf", program, &["--explore", "10"]);
    said(&output, 1, "error[R0106]");
    let replayed = run("late.cuf", program, &["--schedule", &order(&output)]);
    // It does not come after its source is gone.
    assert_eq!(text(&replayed.stdout), "            0\n            7\n");
}
