! Addresses of C_LOC and C_FUNLOC in variables that C code has, and in objects that C code has made.
! run: tests/ui/pass/foreign/addresses_in_c.c
module shared
  use iso_c_binding
  implicit none
  type, bind(c) :: object
    type(c_ptr) :: p
    integer(c_int) :: n
    type(c_funptr) :: f
  end type
  type(c_ptr), bind(c) :: data
  type(c_funptr), bind(c) :: hook
  type(object), bind(c) :: settings
  type(c_ptr), bind(c) :: table(3)
  interface
    real(c_double) function use_data() bind(c)
      import
    end function
    real(c_double) function use_hook(x) bind(c)
      import
      real(c_double), value :: x
    end function
    real(c_double) function use_settings() bind(c)
      import
    end function
    real(c_double) function use_table() bind(c)
      import
    end function
    subroutine set_own(x) bind(c)
      import
      real(c_double), value :: x
    end subroutine
    type(c_ptr) function new_object() bind(c)
      import
    end function
    real(c_double) function use_object(o) bind(c)
      import
      type(object) :: o
    end function
    real(c_double) function use_handle(o) bind(c, name='use_object')
      import
      type(c_ptr), value :: o
    end function
    subroutine free_object(o) bind(c)
      import
      type(c_ptr), value :: o
    end subroutine
  end interface
contains
  real(c_double) function twice(x) bind(c)
    real(c_double), value :: x
    twice = 2 * x
  end function

  real(c_double) function moves(x) bind(c)
    real(c_double), value :: x
    real(c_double), pointer :: now
    ! What C has set, and what the program has set, is there in both directions.
    call c_f_pointer(data, now)
    now = now + x
    hook = c_funloc(twice)
    moves = now
  end function

  subroutine local(handle)
    type(c_ptr), intent(in) :: handle
    type(object), pointer :: o
    real(c_double), target :: own(3)
    own = [7, 8, 9]
    call c_f_pointer(handle, o)
    o%p = c_loc(own)
    o%n = 3
    o%f = c_null_funptr
    print '(f8.1)', use_object(o)
  end subroutine
end module

program p
  use shared
  implicit none
  real(c_double), target :: x = 7, y(2) = [1, 2], z(3) = [10, 20, 30]
  real(c_double), pointer :: of_c
  type(object), pointer :: o
  type(c_ptr) :: handle
  integer :: i
  data = c_loc(x)
  print '(3f8.1)', use_data(), x, use_data()
  print *, c_associated(data, c_loc(x))
  hook = c_funloc(twice)
  print '(f8.1)', use_hook(4d0)
  hook = c_funloc(moves)
  print '(2f8.1)', use_hook(1d0), use_hook(1.5d0)
  settings = object(c_loc(y), 2, c_funloc(twice))
  print '(f8.1)', use_settings()
  do i = 1, 3
    table(i) = c_loc(z(i))
  end do
  print '(f8.1)', use_table()
  call set_own(0.5d0)
  call c_f_pointer(data, of_c)
  print '(2f8.1)', use_data(), of_c

  handle = new_object()
  call c_f_pointer(handle, o)
  o%p = c_loc(y)
  o%n = 2
  print '(f8.1)', use_object(o)
  o%f = c_funloc(twice)
  print '(2f8.1)', use_object(o), use_handle(handle)
  o%p = c_loc(z)
  print '(f8.1)', use_handle(handle)
  print *, c_associated(o%p, c_loc(z))
  call local(handle)
  call free_object(handle)
end program
