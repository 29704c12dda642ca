! DATA for objects whose type has lengths that are known at run time elsewhere.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    integer :: id
    real :: x(n)
    character(n) :: name
  end type
  type :: outer(n)
    integer, len :: n
    type(line(n)) :: parts(2)
    complex :: z
  end type
  type(line(3)) :: shared
  type(line(2)) :: many(3)
  type(outer(2)) :: o
  data shared%x /1.0, 2.0, 3.0/, shared%id, shared%name /4, 'ab'/
  data many%id /3*7/, many(2)%x /8.0, 9.0/, (many(i)%name, i = 1, 3, 2) /'pq', 'rst'/
  data o%parts(1)%x(2), o%z /5.0, (1.0, 2.0)/
  data o%parts(2)%name(2:2) /'-'/
  integer, private :: i
contains
  subroutine counts()
    type(line(2)) :: c
    data c /line(2)(10, [0.5, 1.5], 'hi')/
    c%id = c%id + 1
    print '(i4, 2f5.1, 1x, a)', c%id, c%x, c%name
  end subroutine
  subroutine run_time(r)
    type(line(*)), intent(in) :: r
    print '(2i4, *(f5.1))', r%n, r%id, r%x
  end subroutine
end module
program p
  use m
  implicit none
  integer :: j
  type(line(1)) :: own = line(1)(1, 2.0, 'c'), second
  data second%id /6/
  second%x = 0
  call run_time(shared)
  print '(3a)', '[', shared%name, ']'
  print '(3i4, 2f5.1)', many%id, many(2)%x
  print '(6a)', ('[', many(j)%name, ']', j = 1, 3, 2)
  print '(3f5.1, a)', o%parts(1)%x(2), o%z, o%parts(2)%name(2:2)
  call counts()
  call counts()
  call run_time(own)
  call run_time(second)
end program
