! The number of the last error of C, through its address: what C leaves there is read, and what the program writes is there for C.
! run: tests/ui/pass/foreign/error_number.c
program p
  use iso_c_binding
  implicit none
  interface
    type(c_ptr) function place_of_errno() bind(c)
      import
    end function
    subroutine fail(number) bind(c)
      import
      integer(c_int), value :: number
    end subroutine
    integer(c_int) function last_errno() bind(c)
      import
    end function
  end interface
  integer(c_int), pointer :: number
  call c_f_pointer(place_of_errno(), number)
  call fail(33)
  print *, number, last_errno()
  number = 4
  print *, number, last_errno()
  number = 0
  open (7, file='/nowhere/at/all', status='old', err=1)
1 number = 5
  print *, number, last_errno()
end program
