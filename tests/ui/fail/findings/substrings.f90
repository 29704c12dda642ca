! run: --check bounds
! Substrings that take characters outside of their text (Fortran 2018, 9.4.1). Empty ones may begin and end anywhere.
program substrings
  implicit none
  type :: name
    character(4) :: s
  end type
  type(name) :: q
  character(3) :: u(2)
  integer :: n
  n = 5
  u = 'xyz'
  q%s = 'abcd'
  print *, '[', u(1)(4:3), u(2)(n:2), q%s(:0), u(2)(0:-1), ']', q%s(2:4)
  call last(u(2))
contains
  subroutine last(s)
    character(*), intent(inout) :: s
    s(3:3) = '-'
    s(len(s) + 1:) = 'none'
    print *, s
    s(n - 1:n - 1) = 'q' !~ R0813
  end subroutine
end program
