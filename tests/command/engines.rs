//! Both engines pass the same schedule points and draw the same orders, also where threads wait for others, and run the same host
//! program.

use crate::process::{run, text};

/// Threads that wait for the next block by atomics, with loads between, and atomics whose order a seed draws.
const WAITS: &str = r"
module m
contains
attributes(global) subroutine wait(flag, x, y)
  integer :: flag(*), x(*), y(*), b, o, v
  b = blockidx%x
  v = 0
  if (b < griddim%x) then
    do
      o = atomicadd(flag(b + 1), 0)
      if (o /= 0) exit
      v = v + x(b + 1)
    end do
  end if
  x(b) = 5
  y(b) = v
  o = atomicexch(flag(b), 1)
end subroutine
attributes(global) subroutine draw(last, x)
  integer :: last(*), x(*), i, j, o
  i = (blockidx%x - 1)*blockdim%x + threadidx%x
  do j = 1, 3
    x(i) = x(i) + j
    o = atomicexch(last(j), i)
  end do
end subroutine
end module
program p
  use m
  use cudafor
  integer, device :: flag(10), x(1024), y(10), last(3)
  integer :: h(10), l(3), i, round
  type(cudaEvent) :: from, to
  real :: ms
  i = cudaEventCreate(from)
  i = cudaEventCreate(to)
  do round = 1, 3
    flag = 0
    x = 0
    i = cudaEventRecord(from, 0)
    call wait<<<10, 32>>>(flag, x, y)
    i = cudaEventRecord(to, 0)
    i = cudaDeviceSynchronize()
    i = cudaEventElapsedTime(ms, from, to)
    h = y
    call draw<<<8, 128>>>(last, x)
    l = last
    print *, ms, h, l
  end do
end program
";

/// One lane of the first warp loads 6000 words, the others one each; then all load 5000 more. After 16384 loads a warp lets others
/// have their turn, so the order of the atomics says how many the warp has counted.
const LOADS: &str = r"
module m
contains
attributes(global) subroutine count(a, n, last)
  integer :: a(*), n(*), last(*), t, k, s, o
  t = threadidx%x
  s = 0
  k = 0
  do while (k < n(t))
    s = s + a(1 + iand(k, 7))
    k = k + 1
  end do
  do k = 1, n(64)
    s = s + a(1 + iand(k, 7))
  end do
  if (iand(t, 31) == 1) o = atomicexch(last(1), t + 100*atomicadd(last(2), s))
end subroutine
end module
program p
  use m
  integer :: h(64), l(2), launch
  integer, device :: a(8), n(64), last(2)
  a = 1
  h = 0
  h(1:31) = 1
  h(32) = 6000
  h(64) = 5000
  n = h
  do launch = 1, 3
    last = 0
    call count<<<1, 64>>>(a, n, last)
    l = last
    print *, l
  end do
end program
";

#[test]
fn lanes_that_meet_have_loaded_since_the_last_store_as_often_as_those_that_loaded_least() {
    let output = |engine: &str| {
        let output = run("loads.cuf", LOADS, &["--check", "none", "--jobs", "1", "--engine", engine]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(output("native"), output("interpreter"));
}

#[test]
fn threads_that_wait_do_so_alike() {
    for seed in ["seed:0", "seed:1", "seed:3", "seed:7"] {
        let output = |engine: &str| {
            let options = ["--check", "none", "--clock", "model", "--schedule", seed, "--engine", engine];
            let output = run("waits.cuf", WAITS, &options);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            text(&output.stdout)
        };
        assert_eq!(output("interpreter"), output("native"), "{seed}");
    }
}

/// Loops of the host that run long enough to be compiled: of all types, in procedures that are called again, left early, with branches,
/// text and allocations inside, over more memory than a page, and one that polls what a kernel writes.
const HOST: &str = r"
module m
  implicit none
  type particle
    real(8) :: x(3)
    integer(2) :: kind
    logical(1) :: is_alive
  end type
contains
attributes(global) subroutine raise(flag)
  integer :: flag(*)
  flag(1) = 7
end subroutine
integer function collatz(n)
  integer, intent(in) :: n
  integer(8) :: k
  collatz = 0
  k = n
  do while (k /= 1)
    if (mod(k, 2_8) == 0) then
      k = k/2
    else
      k = 3*k + 1
    end if
    collatz = collatz + 1
  end do
end function
subroutine sort(a)
  integer, intent(inout) :: a(:)
  integer :: i, j, t
  do i = 2, size(a)
    t = a(i)
    j = i - 1
    do while (j >= 1)
      if (a(j) <= t) exit
      a(j + 1) = a(j)
      j = j - 1
    end do
    a(j + 1) = t
  end do
end subroutine
end module
program p
  use m
  use cudafor
  integer :: i, j, k, n, a(400), counts(0:4) = 0, row(3)
  integer(1) :: bytes(70000)
  real(4) :: single
  real(8) :: matrix(60, 60), other(60, 60), product(60, 60), nan
  complex(8) :: z
  logical :: sieve(20000)
  character(len=12) :: word
  type(particle) :: swarm(500)
  integer, allocatable :: list(:)
  integer, pinned, allocatable :: flag(:)
  integer, device :: on_device(1)
  integer(8) :: hash
  n = 0
  do i = 1, 3000
    n = max(n, collatz(i))
  end do
  print *, n
  do i = 1, size(a)
    a(i) = mod(i*7919, 1009) - 500
  end do
  call sort(a)
  print *, a(1:5), a(396:400)
  sieve = .true.
  do i = 2, 141
    if (sieve(i)) then
      do j = i*i, size(sieve), i
        sieve(j) = .false.
      end do
    end if
  end do
  print *, count(sieve)
  do j = 1, 60
    do i = 1, 60
      matrix(i, j) = 1d0/(i + j)
      other(j, i) = i - j
    end do
  end do
  product = 0
  do j = 1, 60
    do k = 1, 60
      do i = 1, 60
        product(i, j) = product(i, j) + matrix(i, k)*other(k, j)
      end do
    end do
  end do
  print *, sum(product), maxval(product), minloc(product)
  do i = 1, size(bytes)
    bytes(i) = int(mod(i, 251) - 125, 1)
  end do
  hash = 0
  do i = size(bytes), 1, -3
    hash = ieor(ishftc(hash, 7), int(bytes(i), 8))
  end do
  print *, hash
  single = 0
  do i = 1, 5000
    single = sqrt(abs(single - 0.37*i)) + real(i)/7
    select case (mod(i, 7))
    case (0)
      counts(0) = counts(0) + 1
    case (1, 3)
      counts(1) = counts(1) + int(single)
    case (4:5)
      counts(2) = counts(2) + nint(single)
      cycle
    case default
      counts(3) = counts(3) + floor(-single)
    end select
    if (single > 700) counts(4) = counts(4) + 1
  end do
  print *, single, counts
  do i = 1, size(swarm)
    swarm(i)%x = [i*0.5d0, i*0.25d0, -i*1d0]
    swarm(i)%kind = int(mod(i, 5), 2)
    swarm(i)%is_alive = mod(i, 3) /= 0
  end do
  do k = 1, 20
    do i = 1, size(swarm)
      if (.not. swarm(i)%is_alive) cycle
      swarm(i)%x = swarm(i)%x + 0.125d0*swarm(i)%kind
      if (sum(swarm(i)%x) > 10) swarm(i)%is_alive = .false.
    end do
  end do
  print *, count(swarm%is_alive), sum(swarm%x(2))
  hash = 5381
  do i = 1, 1500
    write (word, '(i0, a, f6.2)') i, ':', i*0.25
    hash = hash*33 + ichar(word(1:1)) + len_trim(word)
    allocate (list(mod(i, 9) + 1))
    list = i
    hash = hash + sum(list)
    deallocate (list)
  end do
  print *, hash
  z = (0.3d0, 0.5d0)
  nan = 0
  do i = 1, 2000
    z = z*z + (0.1d0, -0.2d0)
    if (i == 1000) nan = (nan - nan)/(nan - nan)
    nan = nan + real(z)
  end do
  print *, z, nan
  row = 0
  do i = 1, 3000
    row(mod(i, 3) + 1) = row(mod(i, 3) + 1) + i/3*(-1)**i
  end do
  print *, row
  allocate (flag(1))
  flag = 0
  call raise<<<1, 1>>>(on_device)
  i = cudaMemcpyAsync(flag, on_device, 1)
  n = 0
  do while (flag(1) == 0)
    n = n + 1
  end do
  print *, flag(1)
end program
";

#[test]
fn the_host_runs_alike() {
    for options in [&[][..], &["--race"], &["--check", "init"], &["--clock", "model", "--jobs", "1"]] {
        let output = |engine: &str| {
            let options = [options, &["--engine", engine]].concat();
            let output = run("host.cuf", HOST, &options);
            (output.status.code(), text(&output.stdout), text(&output.stderr))
        };
        let found = output("native");
        // The loop that polls is a data race, which `--race` reports.
        assert_eq!(found.0, Some(i32::from(options == ["--race"])), "{}", found.2);
        assert_eq!(output("interpreter"), found, "{options:?}");
    }
}
