//! Ranks in processes of their own: here each on a thread, with channels in place of an MPI library.

use crate::program::{TestWorld, load, modelled};
use diag::Severity;
use machine::{Machine, MachineStop, NoObserver};
use mpi::{Packet, Place, Transport};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How long a program may take, and the exit code of one that takes longer.
const LIMIT: Duration = Duration::from_secs(30);
const TOO_LATE: i32 = 124;

type Notes = (u32, Vec<u8>);

/// Channels to all ranks.
#[derive(Debug)]
struct Channels {
    rank: u32,
    to: Vec<Sender<Notes>>,
    from: Receiver<Notes>,
    /// The code with which a rank has ended all; 0 if none has.
    aborted: Arc<AtomicI32>,
}

impl Transport for Channels {
    fn place(&self) -> (Place, u32) {
        let (computer, carrier) = ("cufemu".to_owned(), "channels".to_owned());
        (Place { rank: self.rank, computer, node: 7, carrier }, self.to.len() as u32)
    }

    fn send(&mut self, packet: Packet) {
        // A rank that is over takes no notes.
        let _ = self.to[packet.to as usize].send((self.rank, packet.bytes));
    }

    fn receive(&mut self, milliseconds: u64) -> Option<Notes> {
        self.from.recv_timeout(Duration::from_millis(milliseconds)).ok()
    }

    fn abort(&mut self, code: i32) {
        self.aborted.store(code, Ordering::Relaxed);
    }

    fn finish(&mut self) {}
}

/// What a rank printed, its exit code, and what it found.
#[derive(Debug)]
struct End {
    out: String,
    code: i32,
    found: Vec<&'static str>,
}

fn run_rank(text: &str, channels: Channels) -> End {
    let mut machine: Machine = load(text, modelled());
    let mut world = TestWorld::default();
    let (aborted, begun) = (channels.aborted.clone(), Instant::now());
    machine.connect(Box::new(channels));
    while !matches!(machine.advance(100_000, &mut world, &mut NoObserver), MachineStop::Done(_)) {
        if aborted.load(Ordering::Relaxed) != 0 {
            machine.end(aborted.load(Ordering::Relaxed));
        } else if begun.elapsed() > LIMIT {
            machine.end(TOO_LATE);
        }
    }
    let code = machine.exit_code(Some(Severity::Error), 1).unwrap_or(0);
    machine.leave(code);
    End { out: world.out, code, found: machine.findings().iter().map(|f| f.code().id()).collect() }
}

fn run(text: &str, count: u32) -> Vec<End> {
    let (to, from): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
    let aborted = Arc::new(AtomicI32::new(0));
    std::thread::scope(|scope| {
        let ranks: Vec<_> = from
            .into_iter()
            .zip(0..)
            .map(|(from, rank)| {
                let channels = Channels { rank, to: to.clone(), from, aborted: aborted.clone() };
                let builder = std::thread::Builder::new().stack_size(64 << 20);
                builder.spawn_scoped(scope, move || run_rank(text, channels)).unwrap()
            })
            .collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// The programs of a folder of `tests/ui` that run as several ranks: name, text, how many ranks, codes that are expected.
fn programs(folder: &str) -> Vec<(PathBuf, String, u32, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ui").join(folder);
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "cuf") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let options = text.lines().find_map(|line| line.strip_prefix("! run: ")).unwrap_or_default();
        let Some(ranks) = options.strip_prefix("--ranks ").and_then(|n| n.parse().ok()) else { continue };
        // The tests of this crate have no include files, and no files that ranks share.
        if text.contains("mpif.h") || text.contains("MPI_File") {
            continue;
        }
        let marks = text.lines().filter_map(|line| Some(line.split_once("!~ ")?.1));
        let codes = marks.flat_map(str::split_whitespace).filter(|word| word.starts_with('R')).map(str::to_owned);
        let codes = codes.collect();
        out.push((path, text, ranks, codes));
    }
    assert!(out.len() > 5, "{}", out.len());
    out
}

/// The words of the lines, in whatever order these were printed.
fn sorted(text: &str) -> Vec<Vec<&str>> {
    let mut lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    lines.sort_unstable();
    lines
}

/// Looks at each program of a folder, at all of them at one time: most wait most of the time.
fn each(folder: &str, check: impl Fn(&Path, &str, &[String], &[End]) + Sync) {
    let check = &check;
    std::thread::scope(|scope| {
        for (path, text, ranks, codes) in programs(folder) {
            scope.spawn(move || check(&path, &text, &codes, &run(&text, ranks)));
        }
    });
}

#[test]
fn programs_print_what_they_print_in_one_process() {
    each("pass/mpi", |path, text, _, ends| {
        let expected = std::fs::read_to_string(path.with_extension("stdout")).unwrap_or_default();
        let all: String = ends.iter().map(|end| end.out.as_str()).collect();
        assert!(ends.iter().all(|end| end.code == 0), "{}: {ends:?}", path.display());
        // Ranks do not find their number in the environment of this world.
        if !text.contains("get_environment_variable") {
            assert_eq!(sorted(&all), sorted(&expected), "{}", path.display());
        }
    });
}

/// Codes that only the one who sees all ranks can give.
const ONLY_TOGETHER: [&str; 2] = ["R1111", "R1115"];

#[test]
fn what_is_wrong_is_found_as_in_one_process() {
    each("fail/mpi", |path, text, codes, ends| {
        // A message for a ready send may have been received by the time that it is looked at.
        if text.contains("MPI_Rsend") {
            return;
        }
        let found: BTreeSet<&str> = ends.iter().flat_map(|end| end.found.iter().copied()).collect();
        let expected: BTreeSet<&str> =
            codes.iter().map(String::as_str).filter(|code| !ONLY_TOGETHER.contains(code)).collect();
        assert_eq!(found, expected, "{}: {ends:?}", path.display());
    });
}

#[test]
fn long_messages_wait_for_their_receives_and_are_not_lost() {
    let text = "
program long
  use mpi
  integer, parameter :: n = 100000
  integer :: rank, ierr, i, r(3), st(MPI_STATUS_SIZE, 3), count
  real(8) :: a(n), b(n, 3)
  logical :: flag
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) then
    do i = 1, 3
      a = i
      call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, i, MPI_COMM_WORLD, ierr)
    end do
  else
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(0, 1, MPI_COMM_WORLD, flag, st(:, 1), ierr)
    end do
    call MPI_Get_count(st(:, 1), MPI_DOUBLE_PRECISION, count, ierr)
    if (count /= n) error stop 'count'
    do i = 1, 3
      call MPI_Irecv(b(:, i), n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, r(i), ierr)
    end do
    call MPI_Waitall(3, r, st, ierr)
    print *, int(b(1, :)), all(b(1, :) == b(n, :))
  end if
  call MPI_Send(rank, 1, MPI_INTEGER, rank, 9, MPI_COMM_WORLD, ierr)
  call MPI_Recv(i, 1, MPI_INTEGER, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  if (i /= rank) error stop 'self'
  call MPI_Finalize(ierr)
end program
";
    let ends = run(text, 2);
    assert_eq!(ends[1].out.split_whitespace().collect::<Vec<_>>(), ["1", "2", "3", "T"]);
    assert!(ends.iter().all(|end| end.code == 0 && end.found.is_empty()), "{ends:?}");
}
