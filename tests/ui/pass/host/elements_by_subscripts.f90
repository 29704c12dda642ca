! Arrays with vector subscripts as arguments that an elemental subroutine defines (Fortran 2018, 15.5.2.4).
module changes
  implicit none
  type :: pair
    integer :: n = 0
    real :: r = 0
  end type
contains
  elemental subroutine double(a, b)
    integer, intent(in) :: a
    integer, intent(out) :: b
    b = 2*a
  end subroutine
  elemental subroutine add(a, b)
    integer, intent(inout) :: a
    integer, intent(in) :: b
    a = a + b
  end subroutine
  elemental subroutine name(t, i)
    character(*), intent(out) :: t
    integer, intent(in) :: i
    t = repeat(achar(96 + i), len(t))
  end subroutine
  elemental subroutine make(p, i)
    type(pair), intent(out) :: p
    integer, intent(in) :: i
    p%n = i
  end subroutine
end module

program p
  use changes
  implicit none
  integer :: x(5) = 0, v(3) = [4, 1, 3], m(3, 3) = 0
  character(2) :: t(4) = '..'
  type(pair) :: q(4)
  call double([10, 20, 30], x(v))
  print *, x
  call add(x(v), [1, 2, 3])
  print *, x
  call add(x(v), x(v))
  print *, x
  call add(m(v(2:3), [3, 1]), reshape([1, 2, 3, 4], [2, 2]))
  print *, m
  call name(t([4, 2]), [1, 2])
  print *, t
  call make(q([3, 1]), [7, 8])
  print *, q%n, q%r
  call double(5, q(v(2:3))%n)
  print *, q%n
end program
