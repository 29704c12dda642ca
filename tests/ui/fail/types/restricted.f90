! Bounds and lengths that refer to what has no value on entry.
module m
  implicit none
  integer :: count = 3
contains
  pure integer function twice(i)
    integer, intent(in) :: i
    twice = 2 * i
  end function
  integer function noisy(i)
    integer, intent(in) :: i
    count = count + 1
    noisy = i
  end function
  subroutine s(n, k, o, x)
    integer, intent(in) :: n
    integer, intent(out) :: o
    integer, optional, intent(in) :: k
    real, intent(in) :: x(:)
    integer :: local, saved = 2
    real :: fine(n, count, twice(n), size(x))
    real :: a(local) !~ E0318
    real :: b(saved) !~ E0318
    real :: c(k) !~ E0318
    real :: d(o) !~ E0318
    real :: e(noisy(n)) !~ E0318
    character(len=local) :: t !~ E0318
    real :: f(sum([(local, local=1, 3)]))
    o = 1
    fine = 1
    block
      real :: inner(local)
      inner = 1
    end block
  end subroutine
end module

subroutine old(a)
  common /sizes/ n
  dimension a(n), b(n)
  b = 1
  a = b
end subroutine

program main
end program
