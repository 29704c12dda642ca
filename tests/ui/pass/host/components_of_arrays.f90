! An element or a section of an array component of each object of an array: one part of a designator has a rank.
module particles_of
  implicit none
  type inner
    integer :: k(2) = [1, 2]
  end type
  type particle
    real :: x(3) = 0
    integer :: id = 0
    character(4) :: tags(2) = ['ab  ', 'cd  ']
    type(inner) :: in(2)
  end type
contains
  subroutine double(v)
    real, intent(inout) :: v(:)
    v = 2 * v
  end subroutine
  subroutine triple(v, n)
    integer, intent(in) :: n
    real, intent(inout) :: v(n)
    v = 3 * v
  end subroutine
end module

program components_of_arrays
  use particles_of
  implicit none
  type(particle), target :: p(4), g(2, 2)
  type(particle), allocatable :: a(:)
  real, pointer :: q(:)
  integer :: i
  p(:)%x(1) = [1., 2., 3., 4.]
  p%x(2) = p%x(1) + 10
  p(2:4:2)%x(3) = -1
  do i = 1, 4
    print '(3f6.1)', p(i)%x
  end do
  print '(f6.1)', sum(p%x(2))
  q => p%x(1)
  q(2) = 20
  print '(4f6.1)', p%x(1)
  call double(p(1:2)%x(3))
  call double(p%x(2))
  call triple(p(::3)%x(2), 2)
  print '(8f6.1)', p%x(2), p%x(3)
  p%tags(2) = 'wxyz'
  print '(4a)', p%tags(2)(2:3)
  p%in(2)%k(1) = [5, 6, 7, 8]
  print '(8i3)', p%in(2)%k(1), p%in(1)%k(2)
  g(1, :)%x(1) = 7
  g%x(2) = reshape([1., 2., 3., 4.], [2, 2])
  print '(8f5.1)', g%x(1), transpose(g%x(2))
  a = p(1:2)
  a%x(1) = -a%x(1)
  where (a%x(2) > 50) a%x(2) = 50
  print '(4f6.1)', a%x(1), a%x(2)
  print '(2i3)', maxloc(p%x(1)), minloc(a%x(1))
end program
