! `<>`, Hollerith constants by a letter behind a literal, literals that end with a zero, octal constants with `b`.
module pairs
  implicit none
  type pair
    integer :: a
  end type
  interface operator(<>)
    module procedure differ
  end interface operator(.ne.)
contains
  pure logical function differ(x, y)
    type(pair), intent(in) :: x, y
    differ = x%a /= y%a
  end function
end module

program constants
  use pairs
  implicit none
  integer, parameter :: k = kind('a')
  integer :: i, j
  integer :: b = 7b
  real :: r
  character(6) :: s
  i = 17b
  j = 20
  data r / 7776b /
  print *, i, b, i <> j, i <> 15, transfer(r, 1), ior(i, 20b)
  print *, pair(1) <> pair(2), pair(1) <> pair(1)
  if (i<>j) print *, 'different'
  j = 'AB'H !~ W0333
  print *, j == 4hAB  , transfer("a'h"h, 'abc') !~ W0333
  s = 'abc'c
  print *, len('abc'c), ichar(s(4:4)), ichar(s(5:5)), len(k_"it's"C), len(''c)
  print *, 'a'c // 'b' == 'a' // char(0) // 'b'
  print '(3hH:'',a)', 'h'
end program
