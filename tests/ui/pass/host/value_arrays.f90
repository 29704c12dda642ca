! Dummy arrays with VALUE are copies (Fortran 2018, 8.5.19).
module m
  implicit none
  type :: t
    integer :: k = 0
    integer, allocatable :: a(:)
  end type
contains
  subroutine explicit(a, n)
    integer, intent(in) :: n
    integer, value :: a(0:n - 1)
    a = a + 1
    print '(a, 2i3, *(i4))', 'explicit', lbound(a), ubound(a), a
  end subroutine
  subroutine shaped(a, c, o)
    real, value :: a(:, 2:)
    character(*), value :: c(:)
    type(t), value, target :: o(:)
    a(:, 2) = -1
    c(2) = '*'
    o(1)%a = 9
    o(2)%k = 8
    print '(a, 4f5.1, 2i2)', 'shaped', a, lbound(a)
    print '(4a, *(i3))', c, ' ', o(1)%a, o%k
  end subroutine
  recursive integer function down(a) result(r)
    integer, value :: a(3)
    integer :: i
    a = a - 1
    r = sum(a)
    if (all(a > 0)) r = r + down(a)
    r = r + 100*a(1)
  end function
end module
program p
  use m
  implicit none
  integer :: b(4) = [1, 2, 3, 4]
  real :: x(2, 2) = 2
  character(3) :: c(3) = ['abc', 'def', 'ghi']
  type(t) :: o(2)
  call explicit(b, 4)
  call explicit(b(4:1:-2), 2)
  call explicit(2*b, 3)
  print '(*(i3))', b
  o(1)%a = [1, 2, 3]
  call shaped(x(2:1:-1, :), c, o)
  print '(4f5.1, 3a, *(i3))', x, c, o(1)%a, o%k
  print '(i6, *(i3))', down([3, 4, 5]), down(b(2:))
end program
