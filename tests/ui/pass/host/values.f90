! What an assignment or a call evaluates first: the value is complete before the target changes, and a real DO variable runs
! int((last - first + step)/step) times.
module m
  type :: t
    integer :: i = 2
  end type t
  interface assignment(=)
    module procedure set
  end interface
contains
  subroutine set(x, y)
    type(t), intent(out) :: x
    type(t), intent(in) :: y
    x%i = y%i + 1
  end subroutine set
  subroutine cut(a, b)
    character(*), intent(in) :: a
    character(*), intent(out) :: b
    b = ''
    b = a(1:3)
  end subroutine cut
end module m

program p
  use m
  implicit none
  character(4) :: c(3) = ['abcd', '1234', 'wxyz']
  character(8) :: word = 'harbour'
  character(:), allocatable :: list(:)
  integer, allocatable :: ints(:)
  integer(8), allocatable :: longs(:)
  real :: x
  real(8) :: y
  integer :: n, width
  type(t) :: d
  c(:)(1:2) = c(2)(2:3)
  print *, c
  call cut(trim(word), word)
  print *, word, '|'
  d = d
  print *, d%i
  n = 0
  do x = 1.0, 2.05, 0.1
    n = n + 1
  end do
  print *, n
  do y = 3, -1, -0.5d0
    n = n + 1
  end do
  print *, n, y
  do x = 2, 1
    n = 0
  end do
  print *, n
  width = 5
  list = [character(3) :: 'one', 'two']
  list = [character(width) :: list, 'three']
  print *, len(list), list
  width = -3
  list = [character(width) :: 'one', 'two']
  print *, len(list), size(list)
  allocate(longs(7:9), source=[7_8, 8_8, 9_8])
  ints = longs
  print *, lbound(ints), ubound(ints), ints
end program p
