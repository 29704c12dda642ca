! C code that crashes once a procedure of the program, which it has called, is over. The loop runs in machine code by then.
! run: tests/ui/fail/foreign/crash_behind_callback.c
module divisors
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function divide(n, f) bind(c)
      import
      integer(c_int), value :: n
      type(c_funptr), value :: f
    end function
  end interface
contains
  integer(c_int) function divisor(n) bind(c)
    integer(c_int), value :: n
    divisor = 5000 - n
  end function
end module

program crash_behind_callback
  use divisors
  implicit none
  integer :: i, total
  total = 0
  do i = 1, 10000
    total = total + divide(i, c_funloc(divisor))   !~ R0821
  end do
  print '(i10)', total
end program
