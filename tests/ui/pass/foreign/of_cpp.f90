! A file of C++ on the command line.
! run: tests/ui/pass/foreign/of_cpp.cpp
module procedures
  use iso_c_binding
  implicit none
  interface
    real(c_double) function median(x, n) bind(c)
      import
      real(c_double), intent(in) :: x(*)
      integer(c_int), value :: n
    end function
    integer(c_int) function first_negative(x, n, told) bind(c)
      import
      real(c_double), intent(in) :: x(*)
      integer(c_int), value :: n
      type(c_funptr), value :: told
    end function
  end interface
contains
  integer(c_int) function told(i) bind(c)
    integer(c_int), value :: i
    print *, 'told', i
    told = 10 * i
  end function
end module
program p
  use procedures
  implicit none
  real(c_double) :: x(5) = [3, 1, -4, 1, 5]
  integer :: n
  print '(f5.1)', median(x, 5)
  n = first_negative(x, 5, c_funloc(told))
  print *, n
end program
