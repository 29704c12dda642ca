//! What memory costs, and what happens where there is no more.

use crate::program::{TestWorld, load, load_on, modelled, run};
use emu::{Emulator, Options};
use machine::{Machine, MachineOptions, MachineStop, NoObserver};

/// The smallest limit on pages that these programs run in; each would take many times as much without what is given back.
fn within(kilobytes: u64) -> MachineOptions {
    MachineOptions { page_memory: Some(kilobytes << 10), ..modelled() }
}

fn finish(machine: &mut Machine) -> (i32, String, Vec<&'static str>) {
    let mut world = TestWorld::default();
    let code = machine.run(&mut world);
    (code, world.out, machine.findings().iter().map(|f| f.code().id()).collect())
}

#[test]
fn small_and_short_lived_allocations_take_little() {
    let text = "program p
  type node
    integer :: v
    type(node), pointer :: next
  end type
  type(node), pointer :: head, n
  integer :: i, s
  s = 0
  nullify(head)
  do i = 1, 1000
    allocate(n)
    n%v = i
    n%next => head
    head => n
    s = s + total(i)
  end do
  do while (associated(head))
    n => head%next
    s = s + head%v
    deallocate(head)
    head => n
  end do
  print *, s
contains
  integer function total(n)
    integer, intent(in) :: n
    integer :: w(100 + n)
    w = 1
    total = sum(w)
  end function
end program
";
    let (code, out, found) = finish(&mut load(text, within(512)));
    assert_eq!((code, out.as_str(), found), (0, "      1101000\n", vec![]));
}

const LAUNCHES: &str = "module m
contains
  attributes(global) subroutine add(a, n)
    integer :: a(*), i
    integer, value :: n
    i = (blockidx%x - 1) * blockdim%x + threadidx%x
    if (i <= n) a(i) = a(i) + 1
  end subroutine
end module
program p
  use m
  integer, device :: a(16384)
  integer :: h(16384), i
  a = 0
  do i = 1, 30
    call add<<<64, 256>>>(a, 16384)
  end do
  h = a
  print *, minval(h), maxval(h)
end program
";

#[test]
fn launches_that_are_searched_for_races_give_back_what_they_kept() {
    let options = Options { race: Some(race::Rules::default()), is_proving: false, ..Options::default() };
    let mut machine = load_on(LAUNCHES, Emulator::new(0, options), within(512));
    let (code, out, found) = finish(&mut machine);
    assert_eq!((code, out.as_str(), found), (0, "           30           30\n", vec![]));
}

#[test]
fn checkpoints_that_have_gone_keep_nothing() {
    let mut machine = load(LAUNCHES, within(768));
    let mut world = TestWorld::default();
    let mut last = None;
    loop {
        let stop = machine.advance(20_000, &mut world, &mut NoObserver);
        if let MachineStop::Done(code) = stop {
            assert_eq!(code, 0);
            break;
        }
        last = machine.checkpoint();
    }
    assert!(last.is_some_and(|checkpoint| machine.restore(&checkpoint)));
    assert_eq!(world.out, "           30           30\n");
}

#[test]
fn the_place_where_memory_is_used_up_is_a_finding() {
    let text = "program p
  integer, allocatable :: a(:), b(:)
  integer :: i, st
  open(10, file='x.txt')
  write(10, *) 'kept'
  allocate(a(100000), b(100000))
  a = 1
  allocate(a(1), stat=st)
  print *, st
  do i = 1, 100000
    b(i) = i
  end do
  print *, 'not reached'
end program
";
    let mut machine = load(text, within(640));
    let mut world = TestWorld::default();
    let code = machine.run(&mut world);
    let found: Vec<&str> = machine.findings().iter().map(|f| f.code().id()).collect();
    assert_eq!((code, world.out.as_str(), found), (1, "          151\n", vec!["R0816"]));
    assert_eq!(world.files.get("x.txt").map(Vec::as_slice), Some(&b" kept\n"[..]));
}

#[test]
fn a_kernel_that_needs_more_pages_than_there_are_is_a_finding() {
    for jobs in [1, 2] {
        let grain = emu::Grain { prologue: 0, worth: 0, chunk: 1000, jitter: 0, insists: true };
        let options = Options { jobs, grain, ..Options::default() };
        // Ten pages for the host, so that there are not as many for what nothing has written before the kernel does.
        let text = LAUNCHES.replace("  a = 0\n", "  h = 1\n").replace("16384", "163840").replace("<<<64", "<<<640");
        let mut machine = load_on(&text, Emulator::new(0, options), within(900));
        let (_, _, found) = finish(&mut machine);
        assert_eq!(found.first(), Some(&"R0816"), "with {jobs} jobs");
        assert!(machine.findings().iter().next().is_some_and(|f| f.launch.is_some()));
    }
}

#[test]
fn an_allocation_beyond_what_is_left_fails_as_memory_that_is_full() {
    let text = "program p
  integer, allocatable :: a(:), b(:)
  integer, device, allocatable :: d(:)
  integer :: st(3)
  allocate(a(100000))
  a = 1
  allocate(b(100000), stat=st(1))
  allocate(d(100000), stat=st(2))
  deallocate(a)
  allocate(b(100000), stat=st(3))
  print *, st
  allocate(d(1000000))
end program
";
    let (code, out, found) = finish(&mut load(text, within(640)));
    assert_eq!((code, out.as_str(), found), (1, "            1            2            0\n", vec!["R0804"]));
}

#[test]
fn sizes_that_cannot_be_counted_are_too_large() {
    let text = "program p
  real(8), allocatable :: a(:), b(:,:)
  real, device, allocatable :: d(:,:)
  integer(8) :: n
  integer :: st(4)
  n = 2_8**31
  allocate(a(2_8**61), stat=st(1))
  allocate(b(n, n), stat=st(2))
  allocate(d(n, n), stat=st(3))
  allocate(b(n, 0), stat=st(4))
  print *, st, size(b)
  call work(n)
contains
  subroutine work(n)
    integer(8), intent(in) :: n
    integer :: w(n, n)
    w(1, 1) = 1
  end subroutine
end program
";
    let (code, out, found) = run(text);
    assert_eq!((code, out.as_str()), (1, "            1            1            2            0            0\n"));
    assert_eq!(found, ["R0804"]);
}

#[test]
fn a_variable_that_fits_nowhere_is_refused_with_its_place() {
    for (size, has) in [("2_8**40", "4398046511104 bytes"), ("2_8**62", "more bytes than can be addressed")] {
        let text = format!("program p\n  integer, save :: big({size})\n  big(1) = 1\nend program\n");
        let error = crate::program::try_load(&text, modelled()).expect_err("too large");
        assert_eq!(error.sentence, format!("there is no memory for `p.big`, which has {has}"));
        assert_eq!(&text[error.span.start as usize..error.span.end as usize], "big");
    }
}
