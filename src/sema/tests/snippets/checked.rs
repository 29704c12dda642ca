//! What valid programs mean.

use crate::support::dump;
use expect_test::expect;

#[test]
fn kernel_and_launch_are_typed() {
    expect![[""]].assert_eq(&dump(
        "module m
contains
  attributes(global) subroutine saxpy(x, y, a, n)
    real :: x(*), y(*)
    real, value :: a
    integer, value :: n
    integer :: i
    i = blockDim%x * (blockIdx%x - 1) + threadIdx%x
    if (i <= n) y(i) = y(i) + a*x(i)
  end subroutine
end module
program main
  use cudafor
  use m
  implicit none
  integer, parameter :: n = 2**10
  real :: x(n), y(n), a
  real, device :: x_d(n), y_d(n)
  type(dim3) :: grid, tblock
  integer :: istat
  tblock = dim3(256,1,1)
  grid = dim3(ceiling(real(n)/tBlock%x), 1, 1)
  x = 1.0; y = 2.0; a = 2
  x_d = x
  y_d = y
  call saxpy<<<grid, tBlock>>>(x_d, y_d, a, n)
  call saxpy<<<(n+255)/256, 256, 0, 3>>>(x_d, y_d, 2.0, n)
  istat = cudaDeviceSynchronize()
  y = y_d
  if (maxval(abs(y-4.0)) > 1.0e-5) then
    print *, 'bad', istat
  else
    write(*,'(a,i4)') 'ok', n
  end if
end program
",
    ));
}
