//! What valid programs mean.

use crate::support::dump;
use expect_test::expect;

#[test]
fn kernel_and_launch_are_typed() {
    expect![[r#"
        module m
        host program main
          integer(4) n [parameter] = 1024
          real(4) x(1024) [static]
          real(4) y(1024) [static]
          real(4) a [static]
          real(4) x_d(1024) [static] device
          real(4) y_d(1024) [static] device
          type(dim3) grid [static]
          type(dim3) tblock [static]
          integer(4) istat [static]
          tblock = dim3(256, 1, 1)
          grid = dim3(ceiling((1024.0_4 / real(4)<tblock%x>)), 1, 1)
          x = 1.0_4
          y = 2.0_4
          a = 2.0_4
          x_d = x
          y_d = y
          launch m.saxpy<<<grid, tblock>>>(x_d, y_d, a, 1024)
          launch m.saxpy<<<4, 256, bytes=0, stream=3>>>(x_d, y_d, 2.0_4, 1024)
          istat = cudafor.cudadevicesynchronize()
          y = y_d
          if (maxval(abs((y - 4.0_4))) > 1e-5_4)
            print(*, *) "bad", istat
          else
            write(*, "(a,i4)") "ok", 1024
        kernel subroutine m.saxpy(x, y, a, n)
          real(4) x(*) [dummy 0]
          real(4) y(*) [dummy 1]
          real(4) a [dummy 2] value
          integer(4) n [dummy 3] value
          integer(4) i [local]
          i = ((ntid.x * ((ctaid.x+1 - 1))) + tid.x+1)
          if (i <= n)
            y(integer(8)<i>) = (y(integer(8)<i>) + (a * x(integer(8)<i>)))
    "#]]
    .assert_eq(&dump(
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
