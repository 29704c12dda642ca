! An overrun through a dummy argument names the array that was passed, however far it goes.
program p
  implicit none
  real(8), allocatable :: a(:), b(:)
  allocate (a(4), b(4))                !~ (1) R0201
  a = 1
  b = 2
  call set(a, 300000000)
contains
  subroutine set(x, n)
    integer, intent(in) :: n
    real(8) :: x(n)
    x(n) = 1                           !~ R0201
  end subroutine
end program
