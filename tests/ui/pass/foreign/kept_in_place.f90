! The same as `kept.f90`, with calls on the memory of the program itself.
! run: tests/ui/pass/foreign/kept.c
module procedures
  use iso_c_binding
  implicit none
  type, bind(c) :: context
    type(c_ptr) :: p
    integer(c_int) :: n
    type(c_funptr) :: f
  end type
  interface
    subroutine keep(x, n) bind(c)
      import
      type(c_ptr), value :: x
      integer(c_int), value :: n
    end subroutine
    real(c_double) function sum_kept() bind(c)
      import
    end function
    subroutine hold(c) bind(c)
      import
      type(context), target :: c
    end subroutine
    real(c_double) function step_held() bind(c)
      import
    end function
  end interface
  type(context), target, save :: saved
contains
  recursive subroutine local(n, depth)
    integer, intent(in) :: n, depth
    real(c_double), target :: x(8)
    integer :: i
    x = [(real(i * depth, c_double), i = 1, 8)]
    call keep(c_loc(x), n)
    print '(2f8.1)', sum_kept(), x(1)
    if (depth > 1) call local(n, depth - 1)
    x(2) = 100
    call keep(c_loc(x), n)
    print '(2f8.1)', sum_kept(), x(2)
  end subroutine

  real(c_double) function square(x) bind(c)
    real(c_double), value :: x
    square = x * x
  end function

  subroutine objects
    type(context), target :: c
    real(c_double), target :: data(3), more(2)
    data = [1, 2, 3]
    c%p = c_loc(data)
    c%n = 3
    c%f = c_funloc(square)
    call hold(c)
    print '(4f8.1)', step_held(), data
    more = [10, 20]
    c%p = c_loc(more)
    c%n = 2
    call hold(c)
    print '(3f8.1)', step_held(), more
    print *, c_associated(c%p, c_loc(more)), c_associated(c%f, c_funloc(square))
  end subroutine
end module

program p
  use procedures
  implicit none
  real(c_double), target :: values(2)
  call local(4, 2)
  call local(3, 1)
  call objects
  values = [3, 4]
  saved = context(c_loc(values), 2, c_funloc(square))
  call hold(saved)
  print '(3f8.1)', step_held(), values
  values = 5
  print '(3f8.1)', step_held(), values
  print *, c_associated(saved%p, c_loc(values))
end program
