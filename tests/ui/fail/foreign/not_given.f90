! C code makes a pointer of a number: what is there it was not given.
! run: tests/ui/fail/foreign/not_given.c
program not_given
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function at(address) bind(c)
      import
      integer(c_long), value :: address
    end function
  end interface
  integer, target :: n
  n = 3
  print '(i3)', at(transfer(c_loc(n), 1_c_long))   !~ R0821
end program
