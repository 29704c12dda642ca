! A dummy matrix that is declared much larger than its actual argument: MATMUL reports the first element that is not there.
program main
  implicit none
  real :: a(64), b(64)
  a = 1
  b = 1
  call multiply(a, b, 1000000000000_8)
contains
  subroutine multiply(a, b, n)
    integer(8), intent(in) :: n
    real, intent(in) :: a(8, n), b(n, 8)
    real :: c(8, 8)
    c = matmul(a, b) !~ R0201
    print *, c(1, 1)
  end subroutine
end program
