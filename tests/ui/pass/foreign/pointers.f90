! run: tests/ui/pass/foreign/pointers.c
! Procedure pointers to procedures of C, by `c_f_procpointer` and by assignment.

program pointers
  use iso_c_binding
  implicit none
  abstract interface
    integer(c_int) function on_integers(x) bind(c)
      import :: c_int
      integer(c_int), value :: x
    end function
  end interface
  interface
    integer(c_int) function twice(x) bind(c)
      import :: c_int
      integer(c_int), value :: x
    end function
    real(c_double) function half(x) bind(c)
      import :: c_double
      real(c_double), value :: x
    end function
  end interface
  procedure(on_integers), pointer :: p => null()
  procedure(half), pointer :: q
  type(c_funptr) :: address
  address = c_funloc(twice)
  call c_f_procpointer(address, p)
  print *, p(21), associated(p)
  p => own
  print *, p(21)
  q => half
  print *, q(3d0)
contains
  integer(c_int) function own(x) bind(c)
    integer(c_int), value :: x
    own = -x
  end function
end program
