! Names in C files that the C library has too, and sections without elements for contiguous dummy arguments.
! run: tests/ui/pass/foreign/names_of_libraries.c
module of_c
  use iso_c_binding
  implicit none
  integer(c_int), bind(c) :: y1(2)
  interface
    integer(c_int) function of_y1() bind(c)
      import
    end function
    integer(c_int) function counted() bind(c)
      import
    end function
    integer(c_int) function of_index(a) bind(c)
      import
      integer(c_int), value :: a
    end function
    integer(c_int) function of_error(code) bind(c)
      import
      integer(c_int), value :: code
    end function
    integer(c_int) function extents(d) bind(c)
      import
      integer(c_int), contiguous, intent(in) :: d(:, :)
    end function
  end interface
end module
program p
  use of_c
  integer(c_int) :: a(4, 4) = 1, n = 3
  y1(1) = y1(1) + 10
  print '(3i4)', y1, of_y1()
  print '(2i4)', counted(), counted()
  print '(2i4)', of_index(4), of_error(3)
  print '(2i4)', extents(a(n:1, 4:1:-1)), extents(a(4:1:-1, :))
end program
