! C code that crashes: what was printed stays, and the call is named.
! run: tests/ui/fail/foreign/crash.c
program crash
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function look_at(p) bind(c)
      import
      type(c_ptr), value :: p
    end function
  end interface
  print '(a)', 'before'
  print '(i3)', look_at(c_null_ptr)   !~ R0821
end program
