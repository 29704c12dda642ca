//! `--ranks`: what it cannot be combined with, the time limit, the debugger, records.

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
    said(&run(&["--ranks", "2", "--rank", "2", "--debug"]), 2, "there is no such rank");
    said(&run(&["--ranks", "2", "--rank", "1"]), 2, "`--rank` says which rank is debugged");
    said(&run(&["--rank", "1", "--debug"]), 2, "--ranks");
    said(&run(&["--replay", "x.1"]), 2, "`--replay` debugs a recorded rank");
    said(&run(&["--replay", "/nowhere/x.1", "--debug"]), 2, "cannot read `/nowhere/x.1`");
    said(&run(&["--record", "/nowhere/x"]), 2, "cannot write `/nowhere/x.0`");
    said(&run(&["--record", "x", "--device", "gpu"]), 2, "what is recorded is replayed on the emulator");
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

/// Rank 0 gets what the others send, and sends all the sum. Line 14 is the receive, 17 the send, 19 the broadcast.
pub(crate) const SUM: &str = "
program p
  use mpi
  implicit none
  integer :: rank, ranks, ierr, i, x, total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  total = rank
  x = 10*rank
  if (rank == 0) then
    do i = 1, ranks - 1
      print '(a,i0)', 'waits for ', i
      call MPI_Recv(x, 1, MPI_INTEGER, i, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      total = total + x
    end do
  else; call MPI_Send(x, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Bcast(total, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  print '(a,i0,a,i0)', 'rank ', rank, ' has ', total
  call MPI_Finalize(ierr)
end program
";

/// What the debugger says to these commands.
pub(crate) fn debugged(options: &[&str], commands: &[&str], path: &std::path::Path) -> String {
    let mut command = cufemu();
    command.args(options).args(["--debug", "--batch"]);
    for line in commands {
        command.args(["--ex", line]);
    }
    let output = command.arg(path).output().expect("it runs");
    text(&output.stderr) + &text(&output.stdout)
}

/// What each command was answered.
fn answers(said: &str) -> Vec<&str> {
    said.split("(cufemu) ").skip(1).map(|part| part.split_once('\n').map_or("", |(_, rest)| rest)).collect()
}

#[test]
fn the_debugger_goes_on_with_another_rank_where_that_was() {
    let path = file("sum.cuf", SUM.as_bytes());
    let commands = [
        "info ranks",
        "break 15",
        "display total",
        "rank 0",
        "run",
        "info ranks",
        "rank 2",
        "print rank",
        "info ranks",
        "rank 0",
        "rank 1",
        "reverse-next",
        "rank 0",
        "rank 3",
        "rank",
    ];
    let said = debugged(&["--ranks", "3", "--rank", "1"], &commands, &path);
    let answers = answers(&said);
    assert!(answers[0].contains("  0    -        -    has not begun") && answers[0].contains("* 1    -"), "{said}");
    assert_eq!(answers[3], "[Rank 0 of 3]\n", "{said}");
    // The first message has come; the second rank has sent its own, too.
    assert!(answers[4].contains("Breakpoint 1, p () at") && answers[4].ends_with("1: total = 0\n"), "{said}");
    assert!(answers[5].lines().nth(1).is_some_and(|row| row.starts_with("* 0") && row.ends_with("15   is here")));
    assert!(answers[5].contains("19   waits in `MPI_Bcast` for ranks 0 and 2"), "{said}");
    // The message is not lost that rank 2 sends: it waits until rank 0 takes it.
    assert!(answers[6].starts_with("[Switching to rank 2, which waits in `MPI_Send` for rank 0"), "{said}");
    assert!(answers[6].contains("\n17\t") && answers[6].ends_with("1: total = 2\n"), "{said}");
    assert_eq!(answers[7], "$1 = 2\n");
    assert!(answers[8].contains("15   was left here"), "{said}");
    assert!(answers[9].starts_with("[Switching to rank 0, which was left here]") && answers[9].contains("\n15\t"));
    assert!(answers[10].contains("\n19\t"), "{said}");
    assert!(answers[11].starts_with("17\t"), "{said}");
    // Before rank 1 has sent, rank 0 waits for it.
    assert!(answers[12].contains("which waits in `MPI_Recv` for a message from rank 1 with tag 5]"), "{said}");
    assert!(answers[12].contains("\n14\t"), "{said}");
    assert!(said.contains("There is no rank 3: the ranks are 0 to 2."), "{said}");
    // What a rank has printed before is not printed again.
    assert_eq!(said.matches("waits for 1\n").count(), 1, "{said}");
    let alone = debugged(&[], &["info ranks", "rank 1"], &path);
    assert!(
        alone.contains("The program is one rank.\n") && alone.contains("with \"cufemu --ranks N --debug\""),
        "{alone}"
    );
}

#[test]
fn a_rank_that_has_ended_or_not_begun_is_where_it_is() {
    let path = file("ended.cuf", PROGRAM.as_bytes());
    let commands = ["start", "rank 1", "next", "next", "rank 0", "continue", "rank 1", "reverse-next", "print rank"];
    let said = debugged(&["--ranks", "2"], &commands, &path);
    let answers = answers(&said);
    assert!(answers[1].starts_with("[Switching to rank 1, which has not begun]"), "{said}");
    assert!(answers[4].contains("[Switching to rank 0, which waits in `MPI_Finalize` for rank 1]"), "{said}");
    assert!(answers[5].contains("[Program exited normally]"), "{said}");
    assert!(answers[6].contains("[Switching to rank 1, which has ended]"), "{said}");
    assert_eq!(answers[8], "$1 = 1\n", "{said}");
}

#[test]
fn recorded_ranks_are_replayed_forwards_and_backwards() {
    let path = file("recorded.cuf", SUM.as_bytes());
    let record = path.with_file_name("recorded");
    let record = record.to_string_lossy();
    let run = cufemu().args(["--ranks", "3", "--record", &record]).arg(&path).output().expect("it runs");
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let file_of = |rank: u32| format!("{record}.{rank}");
    let commands = ["break 20", "run", "print total", "reverse-next", "print total", "rank 0", "info ranks"];
    let said = debugged(&["--replay", &file_of(2)], &commands, &path);
    let answers = answers(&said);
    assert_eq!((answers[2], answers[4]), ("$1 = 30\n", "$2 = 2\n"), "{said}");
    assert!(answers[5].contains("[Switching to rank 0, which"), "{said}");
    assert!(answers[6].contains("was left here"), "{said}");
    // Another program, another file, a file that was cut off.
    let other = file("other.cuf", SUM.replace("10*rank", "20*rank").as_bytes());
    let said_of = |words: &[&str], path| text(&cufemu().args(words).arg(path).output().expect("it runs").stderr);
    assert!(said_of(&["--replay", &file_of(1), "--debug"], &other).contains("is the record of another program"));
    let source = path.to_string_lossy();
    assert!(said_of(&["--replay", &source, "--debug"], &path).contains("is no record of a rank"));
    let bytes = std::fs::read(file_of(1)).expect("a record");
    std::fs::write(file_of(1), &bytes[..bytes.len() / 2]).expect("it is written");
    let cut = debugged(&["--replay", &file_of(1)], &["run", "info ranks"], &path);
    assert!(cut.contains("[Program exited with code 1]"), "{cut}");
}
