! A contiguous pointer may be allocated though it has a target already (Fortran 2018, 9.7.1.3).
program main
  implicit none
  real, pointer, contiguous :: a(:)
  real, target :: t(4)
  integer :: status
  t = 1
  a => t
  allocate (a(3))
  a = 2
  print *, size(a), associated(a, t), t
  deallocate (a)
  a => t(2:3)
  allocate (a(2), stat=status)
  print *, status, size(a), associated(a, t(2:3))
  deallocate (a)
end program
