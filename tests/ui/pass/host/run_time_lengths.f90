! Derived types with length parameters that are known at run time only: declarations, arguments, allocation, assignment.
module rows
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 1.5
    character(len=n) :: tag = 'abcdef'
    integer :: id = 7
  end type
  type :: table(m, n)
    integer, len :: m = 2
    integer(8), len :: n
    type(row(int(n))) :: rows(m)
    type(row(2*int(m))) :: last
    real, allocatable :: extra(:)
    integer :: grid(0:m, -1:n)
  end type
contains
  real function total(r)
    type(row(*)), intent(in) :: r
    total = sum(r%x) + r%n
  end function
  subroutine automatic(n)
    integer, intent(in) :: n
    integer :: i
    type(row(n)) :: r
    type(row(n + 1)) :: two(2)
    r%x = [(real(n*10 + i), i = 1, n)]
    print '(a, i3, *(f6.1))', 'automatic', r%n, r%x
    print '(a, 2i3, 2(1x, a))', 'tag', len(r%tag), r%id, r%tag, '|'
    two(2)%x = two(1)%x + 1
    two(1)%tag = 'q'
    print '(a, 3i3, *(f6.1))', 'two', two%n, size(two(2)%x), two(1)%n, two(2)%x
    print '(a, 2(1x, a))', 'tags', two(1)%tag, two(2)%tag
  end subroutine

  function twice(r) result(s)
    type(row(*)), intent(in) :: r
    type(row(2*r%n)) :: s
    s%x = [r%x, r%x]
    s%id = r%id + 1
  end function
  subroutine reset(r)
    type(row(*)), intent(out) :: r
    r%id = r%id + 1
  end subroutine
  function made(n)
    integer, intent(in) :: n
    type(row(:)), allocatable :: made
    allocate(row(n) :: made)
    made%x = n
  end function
end module
program p
  use rows
  implicit none
  type(row(3)) :: a, b
  type(row(:)), allocatable :: c, d(:)
  type(row(4)), allocatable :: e
  type(table(3, 2_8)) :: t
  type(table(:, :)), allocatable :: u
  type(row(:)), pointer :: q
  integer :: k
  print '(a, i3, 3f5.1, 1x, 2a, i3)', 'a', a%n, a%x, a%tag, '|', a%id
  a%x = [1.0, 2.0, 3.0]
  b = a
  b%x(2) = 20
  print '(a, 3f5.1, a, 3f5.1)', 'a', a%x, ' b', b%x
  print '(a, f6.1)', 'total', total(b)
  call automatic(2)
  call automatic(4)
  ! allocation
  allocate(row(5) :: c)
  print '(a, i3, 5f5.1, 1x, a)', 'c', c%n, c%x, c%tag
  c = a
  print '(a, i3, 3f5.1, 1x, a)', 'c', c%n, c%x, c%tag
  c = twice(c)
  print '(a, i3, 6f5.1, 1x, a, i3)', 'c', c%n, c%x, c%tag, c%id
  c = made(2)
  print '(a, i3, 2f5.1, 1x, a, i3)', 'c', c%n, c%x, c%tag, c%id
  deallocate(c)
  allocate(c, source=b)
  print '(a, i3, 3f5.1, 1x, a, i3)', 'c', c%n, c%x, c%tag, c%id
  call reset(c)
  print '(a, i3, 3f5.1, 1x, a, i3)', 'c', c%n, c%x, c%tag, c%id
  allocate(row(2) :: d(0:3))
  d(1)%x = 8
  do k = 0, 3
    d(k)%id = k
  end do
  print '(a, 3i3, 2f5.1, *(i3))', 'd', d%n, size(d), lbound(d), d(1)%x, d%id
  d = d(1:2)
  print '(a, 3i3, 2f5.1, *(i3))', 'd', d%n, size(d), lbound(d), d(1)%x, d%id
  d = [row(3)([1.0, 2.0, 3.0], 'xyz', 4), row(3)(2.5, 'uv', 5)]
  print '(a, 3i3, 6f5.1, 1x, 3a, *(i3))', 'd', d%n, size(d), lbound(d), d(1)%x, d(2)%x, d(1)%tag, d(2)%tag, '|', d%id
  allocate(e)
  e%x(4) = 9
  print '(a, i3, 4f5.1)', 'e', e%n, e%x
  allocate(q, mold=e)
  print '(a, i3, 4f5.1)', 'q', q%n, q%x
  deallocate(q)
  ! types in types
  print '(a, *(i4))', 't', t%m, int(t%n), size(t%rows), t%rows(1)%n, t%last%n, shape(t%grid), lbound(t%grid)
  t%grid = 5
  t%rows(2)%x = [3.0, 4.0]
  t%extra = [1.0, 2.0]
  allocate(table(1, 4_8) :: u)
  print '(a, *(i4))', 'u', u%m, int(u%n), size(u%rows), u%rows(1)%n, u%last%n, shape(u%grid), lbound(u%grid)
  u = t
  print '(a, *(i4))', 'u', u%m, int(u%n), size(u%rows), u%rows(1)%n, u%last%n, shape(u%grid), lbound(u%grid), u%grid(3, 2)
  u%rows(2)%x(1) = 30
  print '(a, 4f5.1)', 'rows', t%rows(2)%x, u%rows(2)%x
  print '(a, *(f5.1))', 'extra', u%extra
  print *, a
end program
