! run: --check bounds
! An array that is not allocated has no sum: without the check it would be zero.
program sum_of_unallocated
  implicit none
  real, allocatable :: a(:), b(:)
  allocate (b(0))
  print *, sum(b), size(b), maxloc(b)
  print *, sum(a) !~ R0806
end program
