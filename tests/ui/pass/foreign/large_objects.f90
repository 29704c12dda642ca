! Objects of many bytes, with addresses among their components, by reference.
! run: tests/ui/pass/foreign/large_objects.c
module shared
  use iso_c_binding
  implicit none
  type, bind(c) :: large
    character(c_char) :: name(300)
    type(c_ptr) :: data
    integer(c_int) :: n
    type(c_funptr) :: f
  end type
  interface
    real(c_double) function use_large(o, calls) bind(c)
      import
      type(large) :: o
      integer(c_int), value :: calls
    end function
  end interface
contains
  real(c_double) function three_times(x) bind(c)
    real(c_double), value :: x
    three_times = 3 * x
  end function
end module
program p
  use shared
  implicit none
  type(large) :: o
  real(c_double), target :: d(5) = [1, 2, 3, 4, 5]
  o%name = 'x'
  o%data = c_loc(d)
  o%n = 5
  o%f = c_funloc(three_times)
  print '(2f8.1)', use_large(o, 0), use_large(o, 1)
  print *, c_associated(o%data, c_loc(d))
end program
