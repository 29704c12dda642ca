! COMMON and EQUIVALENCE: names that share storage, in other shapes and types, in several units.
program associated
  implicit none
  integer :: i, words(2), n
  real(8) :: d
  real :: x(4), y(3), z
  character(4) :: c
  character(1) :: letters(4)
  logical :: flag
  integer, pointer :: p
  integer, target :: seven = 7
  equivalence (d, words), (x(2), y(1)), (z, y(3)), (c, letters)
  common /block/ n, i, x
  common flag
  common /pointers/ p
  data letters(1), letters(3) / 'a', 'c' /
  data letters(2) / 'b' /
  d = 1.0d0
  print '(2z9.8)', words
  x = [1., 2., 3., 4.]
  print *, y, z
  z = -1.
  print *, x
  ! The source and the target overlap under two names.
  x(2:4) = y(1:3) + 1.
  y(2:3) = x(2:3)
  print *, x
  print '(4a)', letters(1:3)
  letters(4) = 'd'
  print '(a)', c
  n = 5
  i = 6
  flag = .true.
  call other(3)
  print *, n, i, flag
  call counted()
  call counted()
  call local(2)
  call show_named()
  p => seven
  call pointed()
contains
  recursive subroutine local(m)
    integer, intent(in) :: m
    integer :: a(4), b(2, 2)
    equivalence (a, b)
    b = reshape([1, 2, 3, 4], [2, 2]) * m
    if (m > 1) call local(m - 1)
    print *, a(2:3), half()
  end subroutine
  integer function half()
    half = n / 2
  end function
end program

subroutine other(k)
  implicit none
  integer :: k, pair(2)
  real :: part(3), rest
  logical :: l
  common /block/ pair, part, rest
  common l
  ! The bound is a variable of the block.
  real :: table(pair(1))
  table = 1.
  print *, pair, part, rest, ubound(table), sum(table), l
  pair = pair * k
  rest = 0.5
  l = .false.
end subroutine

subroutine counted()
  integer :: count, last(2)
  equivalence (count, last(2))
  save count
  data count / 10 /
  count = count + 1
  print *, last(2)
end subroutine

block data
  common /named/ a(3), b, c
  integer :: a
  real :: b
  character(2) :: c(2), d(4)
  equivalence (c(1), d(1))
  data a(2) / 7 /, b / 2.5 /
  data d(1), d(2) / 'no', 'de' /
end block data

subroutine show_named()
  common /named/ a(3), b, c
  integer :: a
  real :: b
  character(2) :: c(2)
  print *, a, b, c
end subroutine

subroutine pointed()
  common /pointers/ p
  integer, pointer :: p
  print *, associated(p), p
end subroutine
