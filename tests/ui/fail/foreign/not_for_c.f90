! A procedure that C cannot call, because its argument goes by a descriptor.
! run: tests/ui/fail/foreign/not_for_c.c
module procedures
  implicit none
contains
  subroutine total(x)
    real, intent(in) :: x(:)
    print *, sum(x)
  end subroutine
end module
program not_for_c
  use iso_c_binding
  use procedures
  implicit none
  interface
    subroutine call_it(f) bind(c)
      import
      type(c_funptr), value :: f
    end subroutine
  end interface
  print '(a)', 'before'
  call call_it(c_funloc(total))   !~ R0901
end program
