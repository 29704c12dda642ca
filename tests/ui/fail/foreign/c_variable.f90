! A variable that C code defines cannot be shared where a run is recorded, to be done again.
! run: --explore 2 tests/ui/fail/foreign/own_memory.c
module shared
  use iso_c_binding
  implicit none
  integer(c_int), bind(c, name='shared_total') :: total
  integer(c_int), bind(c) :: own = 3
end module

program c_variable   !~ R0901
  use shared
  implicit none
  print '(2i3)', total, own
end program
