! A scalar says nothing of the bounds of an array that is not allocated.
program p
  implicit none
  integer, allocatable :: a(:)
  a = 1 !~ R0806
  print *, size(a)
end program
