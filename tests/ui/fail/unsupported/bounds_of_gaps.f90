! The target of a pointer with new bounds is of rank one, or its elements follow each other (Fortran 2018, 10.2.2.3).
program p
  implicit none
  integer, target :: a(3, 4) = 0
  integer, pointer :: q(:), r(:)
  integer :: last
  last = 3
  a(:, 2) = [1, 2, 3]
  q(1:6) => a(1:last, 2:3)
  r(0:1) => a(2, ::2)
  print *, q, r
  last = 2
  q(1:4) => a(1:last, 1:2) !~ R0901
end program
