//! Several ranks of MPI: turns, seeds, the routines that the modules name.

use crate::program::{TestWorld, load, modelled};
use compile::Options;
use diag::Diagnostics;
use finding::Findings;
use machine::{Ranks, RanksStop, RecordHead, Records};
use source::SourceMap;

/// What ranks print, and their exit code.
fn run(text: &str, count: u32, seed: u64, budget: u64) -> (String, i32) {
    let machine = load(text, modelled());
    let mut ranks = Ranks::new(&machine, count, seed, Findings::new()).expect("emulators");
    let mut world = TestWorld::default();
    while ranks.advance(budget, &mut world) != RanksStop::Done {}
    (world.out, ranks.exit_code(Some(diag::Severity::Error), 1))
}

const COLLECT: &str = "
program collect
  use mpi
  integer :: rank, size, ierr, i, x
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  if (rank == 0) then
    do i = 2, size
      call MPI_Recv(x, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      print '(i0)', x
    end do
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
end program
";

#[test]
fn slices_change_nothing_and_seeds_the_choice() {
    let whole = run(COLLECT, 5, 0, u64::MAX);
    assert_eq!(whole, ("1\n2\n3\n4\n".to_owned(), 0));
    assert_eq!(run(COLLECT, 5, 0, 7), whole);
    let seeded = run(COLLECT, 5, 3, u64::MAX);
    assert_eq!(run(COLLECT, 5, 3, 11), seeded);
    assert!((1..20).any(|seed| run(COLLECT, 5, seed, u64::MAX).0 != whole.0));
}

#[test]
fn ranks_that_only_look_for_messages_go_on() {
    let text = "
program look
  use mpi
  integer :: rank, ierr, x = 0, y = 0, s, r
  logical :: sent, received
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Isend(x, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, s, ierr)
  sent = .false.
  do while (.not. sent)
    call MPI_Test(s, sent, MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_Irecv(y, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, r, ierr)
  received = .false.
  do while (.not. received)
    call MPI_Test(r, received, MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_Finalize(ierr)
end program
";
    assert_eq!(run(text, 2, 0, u64::MAX), (String::new(), 0));
}

#[test]
fn every_routine_of_the_modules_is_there() {
    for source in ["use mpi\nend\n", "use mpi_f08\nend\n"] {
        let mut map = SourceMap::new();
        let file = map.add("test.cuf", source);
        let options = Options { whole_modules: true, ..Options::default() };
        let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut Diagnostics::new());
        let mut count = 0;
        for procedure in &compiled.expect("valid").program.procs {
            let body = format!("{:?}", procedure.body);
            if let Some(name) = body.strip_prefix("Service(\"mpi:") {
                assert!(mpi::number(name.trim_end_matches("\")")).is_some(), "{name}");
                count += 1;
            }
        }
        assert!(count > 100, "{count}");
    }
}

#[test]
fn bytes_that_are_no_record_are_refused_or_end_earlier() {
    let mut ranks = Ranks::new(&load(COLLECT, modelled()), 3, 0, Findings::new()).expect("emulators");
    ranks.keep_records();
    let mut world = TestWorld::default();
    while ranks.advance(u64::MAX, &mut world) != RanksStop::Done {}
    let mut bytes = RecordHead { rank: 1, count: 3, program: 9 }.bytes();
    bytes.extend(ranks.take_record(1));
    bytes.extend(ranks.end_record(1));
    assert_eq!(RecordHead::read(&bytes), Some(RecordHead { rank: 1, count: 3, program: 9 }));
    assert!(Records::missing(3).add(&bytes).is_some() && Records::missing(1).add(&bytes).is_none());
    for length in 0..bytes.len() {
        // Cut off anywhere, and one byte after another changed: no panic.
        let _ = Records::missing(3).add(&bytes[..length]);
        let mut changed = bytes.clone();
        changed[length] ^= 0xff;
        let _ = Records::missing(3).add(&changed);
    }
}
