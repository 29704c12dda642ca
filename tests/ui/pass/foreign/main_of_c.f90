! A program whose main program is in C.
! run: tests/ui/pass/foreign/main_of_c.c
subroutine greet(name, length) bind(c)
  use iso_c_binding
  implicit none
  integer(c_int), value :: length
  character(c_char), intent(in) :: name(length)
  print '(*(a))', 'hello, ', name
end subroutine

function twice(n) bind(c) result(m)
  use iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer(c_int) :: m
  m = 2 * n
end function
