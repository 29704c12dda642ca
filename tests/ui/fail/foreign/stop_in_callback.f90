! A procedure that C has called ends the program.
! run: tests/ui/fail/foreign/stop_in_callback.c
module steps
  use iso_c_binding
  implicit none
contains
  subroutine step(i) bind(c)
    integer(c_int), value :: i
    print '(i3)', i
    if (i == 3) error stop 'three is enough'   !~ R0801
  end subroutine
end module
program stop_in_callback
  use steps
  implicit none
  interface
    subroutine each(n, f) bind(c)
      import
      integer(c_int), value :: n
      type(c_funptr), value :: f
    end subroutine
  end interface
  call each(5, c_funloc(step))
  print '(a)', 'not reached'
end program
