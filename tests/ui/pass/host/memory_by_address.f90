! Memory by its address, as nvfortran's library has it, and MCLOCK.
program p
  implicit none
  integer(8) :: malloc, at, other
  integer :: mclock
  real :: x(4), y(2)
  pointer (at, x), (other, y)
  at = malloc(16)
  other = malloc(8)
  x = [1.0, 2.0, 3.0, 4.0]
  y = x(3:4)
  print *, sum(x), y, at /= other
  call free(at)
  print *, sum(y)
  call free(other)
  print *, mclock() >= 0
end program
