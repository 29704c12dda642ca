! The C library is there without being named.
program c_library
  use iso_c_binding
  implicit none
  interface
    integer(c_size_t) function strlen(s) bind(c)
      import c_size_t
      character(1), intent(in) :: s(*)
    end function
    real(c_double) function hypotenuse(x, y) bind(c, name='hypot')
      import c_double
      real(c_double), value :: x, y
    end function
    function to_number(s) bind(c, name='atoi') result(n)
      import c_int
      character(1), intent(in) :: s(*)
      integer(c_int) :: n
    end function
  end interface
  print *, strlen('twelve chars' // c_null_char), hypotenuse(3d0, 4d0), to_number('42' // c_null_char)
end program
