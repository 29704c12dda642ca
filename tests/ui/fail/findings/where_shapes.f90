! run: --check bounds
! A mask of another shape than what it masks.
program p
  implicit none
  real, allocatable :: a(:), b(:)
  integer :: n
  n = 4
  allocate (a(n), b(n + 1))
  a = 1
  b = 2
  where (b > 1) a = 0 !~ R0814
end program
