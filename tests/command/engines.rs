//! Both engines pass the same schedule points and draw the same orders, also where threads wait for others.

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
