! An argument of a parameterised derived type with another length than the dummy argument declares.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 0
  end type
  type(row(3)) :: a
  call takes(a, 3)
  call takes(a, 4)
contains
  subroutine takes(r, n)
    integer, intent(in) :: n
    type(row(n)), intent(in) :: r !~ R0822
    print *, sum(r%x)
  end subroutine
end program
