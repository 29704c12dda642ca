! An operand that is not allocated has no shape. One that is empty has.
program p
  implicit none
  real, allocatable :: a(:), b(:), empty(:)
  allocate (empty(0))
  b = empty
  b = 2*empty + 1
  b = 1 + 2*a !~ R0806
  print *, size(b)
end program
