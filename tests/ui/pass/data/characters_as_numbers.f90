! Character literals give numbers their bytes, as Hollerith constants do; what the program defines for them comes first.
module defined
  implicit none
  interface operator(==)
    module procedure has_letter
  end interface
  interface assignment(=)
    module procedure take_letter
  end interface
contains
  pure logical function has_letter(n, c)
    integer(1), intent(in) :: n
    character(*), intent(in) :: c
    has_letter = n == ichar(c(1:1))
  end function

  pure subroutine take_letter(n, c)
    integer(1), intent(out) :: n
    character(*), intent(in) :: c
    n = int(ichar(c(1:1)), 1)
  end subroutine
end module

program main
  use defined
  implicit none
  integer :: k, j, a(2)
  integer, parameter :: p = 'pqrs' !~ W0333
  integer(1) :: n
  integer(8) :: wide
  real :: x
  complex :: z
  data j / 'zzzz' /, a / 'abcd', 'ef' / !~ W0333, W0333, W0333
  k = 'abcd'         !~ W0333
  x = "wxyz and more" !~ W0333
  wide = 'abc'       !~ W0333
  z = 'one two'      !~ W0333
  print '(8(a4, 1x))', k, x, j, a, p
  print '(a8, a8)', wide, z
  if (k == 'abcd') print *, 'the same'   !~ W0333
  if ('abce' /= k) print *, 'not the same' !~ W0333
  if (k < 'bbcd') print *, 'less'        !~ W0333
  n = 'A'
  print *, n, n == 'ABC', n == 'B'
end program
