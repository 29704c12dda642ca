! A module of the program may have the name of an intrinsic one: a USE statement without a nature means the program's, and
! `intrinsic` the other (Fortran 2018, 14.2.2).
module iso_fortran_env
  real :: x = 2
contains
  subroutine show()
    print '(f4.1)', x
  end subroutine
end module

module ieee_features
  integer :: y = 7
end module

module both
  use, intrinsic :: iso_fortran_env, only: bits => file_storage_size
  use, non_intrinsic :: ieee_features, only: y
end module

subroutine of_compiler()
  use, intrinsic :: iso_fortran_env
  implicit none
  print '(3i4)', file_storage_size, int32, output_unit
end subroutine

program main
  use iso_fortran_env, only: show, z => x
  use both
  use, intrinsic :: iso_c_binding
  implicit none
  z = z + 1
  call show()
  call of_compiler()
  print '(3i4)', bits, y, c_int
end program
