! The nature of a module in a USE statement must be the module's (Fortran 2018, 14.2.2).
module own
  integer :: k = 3
end module
program main
  use, intrinsic :: own !~ E0206
  use, non_intrinsic :: iso_c_binding !~ E0206
  use, intrinsic :: iso_fortran_env
  print *, k, c_int, int32
end program
