! run: --check bounds
! A pointer with new bounds has no more elements than its target (Fortran 2018, 10.2.2.3).
program p
  implicit none
  integer, target :: big(20)
  integer, pointer :: table(:, :), row(:)
  integer :: n
  n = 3
  big = 0
  table(1:2, 1:n) => big(1:6)
  table(2, n) = 1
  row(0:5) => big(::3)
  row(5) = 2
  print *, big(6), big(16)
  n = 8
  table(1:2, 1:n) => big(1:6) !~ R0803
end program
