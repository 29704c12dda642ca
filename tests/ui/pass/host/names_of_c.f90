! Names of procedures of iso_c_binding are the program's own where that module is not used (Fortran 2018, 18.2.3).
integer function c_associated(v)
  integer v
  c_associated = v + 100
end function

integer function c_sizeof(v)
  integer v
  c_sizeof = v + 200
end function

subroutine c_f_pointer(v)
  integer v
  v = v + 300
end subroutine

program main
  integer c_associated, c_sizeof
  complex(8), parameter :: one = (0d0, 0d0)**(0d0, 0d0)
  n = 5
  print *, c_associated(2), c_sizeof(3)
  call c_f_pointer(n)
  print *, n, one
  call with_module
end program

subroutine with_module
  use iso_c_binding
  integer, target :: n
  integer, pointer :: p
  n = 7
  call c_f_pointer(c_loc(n), p)
  print *, p, c_associated(c_loc(n)), c_sizeof(n)
end subroutine
