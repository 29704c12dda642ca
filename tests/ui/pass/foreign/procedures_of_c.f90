! Procedure pointers to procedures of C go back to C: as arguments, by C_FUNLOC, in objects.
! run: tests/ui/pass/foreign/procedures_of_c.c
module procedures
  use iso_c_binding
  implicit none
  abstract interface
    function function_of_one(x) bind(c)
      import
      real(c_double), value :: x
      real(c_double) :: function_of_one
    end function
  end interface
  type, bind(c) :: two
    type(c_funptr) :: f, g
  end type
  interface
    real(c_double) function apply(f, x) bind(c)
      import
      procedure(function_of_one) :: f
      real(c_double), value :: x
    end function
    real(c_double) function apply_pointer(f, x) bind(c, name='apply')
      import
      type(c_funptr), value :: f
      real(c_double), value :: x
    end function
    real(c_double) function apply_two(t, x) bind(c)
      import
      type(two) :: t
      real(c_double), value :: x
    end function
    type(c_funptr) function pick(k, a, b) bind(c)
      import
      integer(c_int), value :: k
      procedure(function_of_one) :: a, b
    end function
    type(c_funptr) function get_cube() bind(c)
      import
    end function
  end interface
contains
  function twice(x) bind(c)
    real(c_double), value :: x
    real(c_double) :: twice
    twice = 2 * x
  end function
end module
program p
  use procedures
  implicit none
  procedure(function_of_one), pointer :: cube, chosen
  type(two) :: t
  call c_f_procpointer(get_cube(), cube)
  print '(3f8.1)', cube(2d0), apply(cube, 3d0), apply_pointer(c_funloc(cube), 4d0)
  t = two(c_funloc(cube), c_funloc(twice))
  print '(f8.1)', apply_two(t, 2d0)
  call c_f_procpointer(pick(0, twice, cube), chosen)
  print '(f8.1)', chosen(5d0)
  print *, c_associated(c_funloc(chosen), get_cube())
  call c_f_procpointer(pick(1, twice, cube), chosen)
  print '(2f8.1)', chosen(5d0), apply(chosen, 6d0)
  nullify(cube)
  print *, c_associated(c_funloc(chosen), c_funloc(twice)), associated(cube)
end program
