//! `--ranks`: what it cannot be combined with, the time limit, the debugger.

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

/// Numbers go round, and each rank writes its own to a file at the end.
const ROUND: &str = "
program p
  use mpi
  implicit none
  integer :: rank, ranks, ierr, step, x, got = -1
  character(8) :: argument
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  x = rank
  call get_command_argument(1, argument)
  if (argument /= '') read (argument, *) x
  do step = 1, 3
    call MPI_Sendrecv(x, 1, MPI_INTEGER, mod(rank + 1, ranks), 0, got, 1, MPI_INTEGER, mod(rank + ranks - 1, ranks), 0, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    x = 10*got + rank
    if (x < 0) call MPI_Barrier(MPI_COMM_WORLD, ierr)
    print *, x
  end do
  open (10, file='FILE', position='append')
  write (10, *) x
  close (10)
  call MPI_Finalize(ierr)
end program
";

#[test]
fn one_rank_of_several_is_debugged_backwards_too() {
    let out = file("out.txt", b"");
    let path = file("round.cuf", ROUND.replace("FILE", &out.to_string_lossy()).as_bytes());
    let output = cufemu()
        .args([
            "--ranks",
            "3",
            "--rank",
            "1",
            "--debug",
            "--batch",
            "--ex",
            "break 16",
            "--ex",
            "run",
            "--ex",
            "print got",
        ])
        .args([
            "--ex",
            "continue",
            "--ex",
            "print got",
            "--ex",
            "continue",
            "--ex",
            "print got",
            "--ex",
            "reverse-continue",
        ])
        .args(["--ex", "print got", "--ex", "reverse-next", "--ex", "print got", "--ex", "delete", "--ex", "continue"])
        .args(["--ex", "run 7", "--ex", "break 16", "--ex", "run", "--ex", "set var got = -5", "--ex", "delete"])
        .args(["--ex", "continue"])
        .arg(path)
        .output()
        .expect("it runs");
    let said = text(&output.stdout);
    let values: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with('$'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(_, value)| value)
        .collect();
    // Rank 1 gets what rank 0 has: its number, what that got from rank 2, and so on.
    assert_eq!(&values[..5], ["0", "20", "120", "20", "0"], "{said}");
    assert!(said.contains(" 1201\n"), "{said}");
    // There was no barrier in the run of all.
    assert!(said.contains("the record of this rank has no such call of MPI"), "{said}");
    let written = std::fs::read_to_string(&out).expect("the ranks have run");
    // Three ranks ran twice, with each argument once, and the rank alone has written nothing.
    assert_eq!(written.lines().count(), 6, "{written}");
}
