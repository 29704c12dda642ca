! Logical operators and constants of one letter, which nvfortran has, where the program defines no operator of that name.
module defined
  implicit none
  interface operator(.x.)
    module procedure cross
  end interface
  interface operator(.t.)
    module procedure twice
  end interface
contains
  pure integer function cross(a, b)
    integer, intent(in) :: a, b
    cross = 10*a + b
  end function

  pure integer function twice(a)
    integer, intent(in) :: a
    twice = 2*a
  end function
end module

program short
  use defined
  implicit none
  logical :: a, b, c
  integer :: i, j
  data c / .f. /
  i = 1
  j = 2
  a = i == 1
  b = .f.
  print *, a .a. b, a .o. b, .n. a, .n.b, c
  print *, b .a. b .o. a, a .o. b .a. b, .n. i .eq. j .a. a
  print *, i .x. j .x. 3, .t. j, 1 + .t. (i + j), i.a.3 !~ W0336
  if (i .lt. j .a. .n. b) print *, 'both'
  print *, '.a.', merge(1, 2, a.o..f.), kind(.f._1)
end program
