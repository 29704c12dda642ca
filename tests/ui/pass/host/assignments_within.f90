! The value of an assignment is complete before the variable changes (Fortran 2018, 10.2.1.3): objects that hold each other, that
! EQUIVALENCE lays over each other, and characters whose length the value decides.
module nodes
  implicit none
  integer :: numbers(4) = 0
  type :: t
    integer :: v = 0
  contains
    procedure, private :: take
    generic :: assignment(=) => take
  end type
  type :: node
    integer :: k = 0
    type(t) :: c
    type(node), allocatable :: kid
  end type
  type :: plain
    integer :: k = 0
    type(plain), allocatable :: kid
  end type
  type :: row
    sequence
    integer :: k(4)
  end type
contains
  elemental subroutine take(a, b)
    class(t), intent(inout) :: a
    type(t), intent(in) :: b
    a%v = b%v
  end subroutine
  impure elemental subroutine add(x, y)
    integer, intent(inout) :: x
    integer, intent(in) :: y
    numbers = 0
    x = x + y
  end subroutine
end module

program main
  use nodes
  implicit none
  type(node) :: r
  type(plain) :: a(3)
  type(row) :: p, q
  character(:), allocatable :: c(:)
  integer :: line(10), i, x(4) = 0
  equivalence (p, line(1)), (q, line(3))
  r%k = 1
  allocate (r%kid)
  r%kid%k = 2
  r%kid%c%v = 20
  allocate (r%kid%kid)
  r%kid%kid%k = 3
  r = (r%kid)
  print '(3i4)', r%k, r%c%v, r%kid%k
  r = merge(r%kid, r, .true.)
  print '(i4,l2)', r%k, allocated(r%kid)
  do i = 1, 3
    a(i)%k = i
    allocate (a(i)%kid)
    a(i)%kid%k = 10*i
  end do
  a(2:) = a(3)%kid
  print '(3i4,3l2)', a%k, (allocated(a(i)%kid), i = 1, 3)
  a = a(1)%kid
  print '(3i4)', a%k
  line = [(i, i = 1, 10)]
  q = p
  print '(10i3)', line
  c = ['ab', 'zz']
  c = max(c, ['mmmm', 'bbbb'])
  print '(i0,2(1x,"[",a,"]"))', len(c), c
  numbers = [1, 2, 3, 4]
  call add(x, numbers*2)
  print '(4i3)', x
end program
