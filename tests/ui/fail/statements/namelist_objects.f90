! Objects of namelist groups and polymorphic items that are transferred by defined input and output only (Fortran 2018, 12.6.3, 13.11.3).
program main
  implicit none
  type holder
    integer, allocatable :: a(:)
  end type
  type plain
    integer :: n = 1
  end type
  type, extends(plain) :: more
  end type
  type(holder) :: h
  class(plain), allocatable :: c
  namelist /held/ h
  namelist /of_class/ c
  allocate (c)
  write (*, held) !~ E0326
  write (*, of_class) !~ E0326
  print *, [c] !~ E0326
end program
