//! `--ranks`: what it cannot be combined with, the time limit.

use crate::process::{cufemu, file, said, text};

/// Each rank prints its number.
pub(crate) const PROGRAM: &str = "
program p
  use mpi
  integer :: rank, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  print '(i0)', rank
  call MPI_Finalize(ierr)
end program
";

#[test]
fn several_ranks_are_refused_where_only_one_can_be_shown() {
    let path = file("ranks.cuf", PROGRAM.as_bytes());
    let run = |options: &[&str]| cufemu().args(options).arg(&path).output().expect("it runs");
    said(&run(&["--ranks", "2", "--debug"]), 2, "the debugger shows one rank of several; say which by `--rank N`");
    said(&run(&["--ranks", "2", "--rank", "2", "--debug"]), 2, "there is no such rank");
    said(&run(&["--ranks", "2", "--rank", "1"]), 2, "`--rank` says which rank is debugged");
    said(&run(&["--rank", "1", "--debug"]), 2, "--ranks");
    said(&run(&["--ranks", "2", "--device", "gpu"]), 2, "the devices of several ranks are emulated");
    said(&run(&["--ranks", "2", "--many-seeds", "0..2"]), 2, "`--many-seeds` runs one rank only");
    said(&run(&["--ranks", "0"]), 2, "--ranks");
    let alone = run(&["--ranks", "1", "--many-seeds", "0..2"]);
    assert_eq!((alone.status.code(), text(&alone.stdout).as_str()), (Some(0), "0\n"));
}

#[test]
fn the_rank_whose_turn_it_is_is_named_when_time_is_over() {
    let endless = PROGRAM.replace("  print '(i0)', rank\n", "  do while (rank == 1)\n  end do\n");
    let path = file("endless.cuf", endless.as_bytes());
    let output = cufemu().args(["--ranks", "2", "--timeout", "0.3"]).arg(path).output().expect("it runs");
    said(&output, 124, "it was the turn of rank 1");
}
