! Pointers to and other names for parts with run-time lengths of each object of an array: they are the parts themselves.
module m
  implicit none
  type :: row(n)
    integer, len :: n
    integer(1) :: small(n) = 1
    integer :: x(n) = 0
    character(n) :: s = 'abcdef'
    complex :: z(n) = (1, 2)
  end type
  type :: table(n)
    integer, len :: n
    type(row(n)) :: rows(2)
    type(row(n)) :: list(n)
  end type
  type :: holder
    integer :: id = 5
    type(row(3)) :: r
  end type
  integer, pointer :: kept(:)
contains
  subroutine keep(a)
    integer, intent(inout), target :: a(:)
    kept => a
    a = a + 1
  end subroutine
  subroutine pass_pointer(p)
    integer, intent(in), pointer :: p(:)
    kept => p
  end subroutine
  subroutine bump(r)
    type(row(*)), intent(inout), target :: r(:)
    integer, pointer :: q(:)
    associate (y => r%x(2), last => r%s(2:3))
      y = y + 10
      last = 'XY'
      q => r%x(2)
      print '(a, *(i4))', 'dummy', y, q
      y(1) = -1
      print '(a, *(i4))', 'same', q(1), r(1)%x(2)
    end associate
  end subroutine
  subroutine whole(rows)
    type(row(*)), intent(inout), target :: rows(:)
    integer :: i
    do i = 1, size(rows)
      rows(i)%x = 100*i
    end do
  end subroutine
end module
program p
  use m
  implicit none
  type(row(:)), allocatable, target :: r(:), g(:, :), part(:)
  type(table(:)), allocatable, target :: t(:)
  type(table(2)), target :: one
  type(holder), target :: h(3)
  type(row(:)), pointer :: rows(:)
  integer, pointer :: q(:), two(:, :)
  integer(1), pointer :: bytes(:)
  character(:), pointer :: s(:)
  real, pointer :: im(:)
  integer :: i, j
  allocate (row(3) :: r(4))
  r%x(2) = [1, 2, 3, 4]
  q => r%x(2)
  print '(a, *(i4))', 'pointer', q, lbound(q), ubound(q)
  q(2) = 20
  q(3:4) = q(3:4)*2
  print '(a, *(i4))', 'stored', r(1)%x, r(2)%x, r(3)%x, r(4)%x
  q => r(4:1:-3)%x(2)
  print '(a, *(i4))', 'section', q
  q(0:) => r%x(2)
  print '(a, *(i4))', 'bounds', lbound(q), q(0)
  print '(a, 3(1x, l1))', 'associated', associated(q, r%x(2)), associated(q, r%x(1)), associated(q, r(1:3)%x(2))
  bytes => r%small(3)
  bytes = [(int(i, 1), i = 1, 4)]
  print '(a, *(i4))', 'bytes', r(2)%small, r(4)%small, sum(bytes)
  s => r%s
  print '(a, 2(i4), *(1x, a))', 'characters', len(s), size(s), s
  s(3) = 'new'
  s => r%s(2:2)
  s = '*'
  print '(*(1x, a))', r%s
  im => r%z(2)%im
  im = [1.0, 2.0, 3.0, 4.0]
  print '(a, *(f5.1))', 'imaginary', r(3)%z, sum(im)
  call keep(r%x(1))
  call keep(r(2:3)%x(1))
  kept = kept*7
  print '(a, *(i4))', 'target', r%x(1)
  call pass_pointer(r%x(3))
  kept = [5, 6, 7, 8]
  print '(a, *(i4))', 'pointer dummy', r(2)%x(3), r%x(3)
  call bump(r)
  call bump(r(4:2:-2))
  print '(a, *(i4))', 'after', r%x(2)
  print '(*(1x, a))', r%s
  associate (y => r%x(1), middle => r(2:3)%x(3))
    y = [9, 8, 7, 6]
    middle = middle + y(2:3)
    call keep(y)
  end associate
  print '(a, *(i4))', 'names', r%x(1), r%x(3)
  allocate (row(2) :: g(3, 2))
  two => g%x(2)
  two = reshape([(i, i = 1, 6)], [3, 2])
  print '(a, *(i4))', 'matrix', ((g(i, j)%x(2), i = 1, 3), j = 1, 2), shape(two)
  two => g(3:1:-2, :)%x(2)
  print '(a, *(i4))', 'matrix part', two
  two(1:2, 1:1) => g(:, 1)%x(2)
  two = 0
  print '(a, *(i4))', 'remapped', g%x(2)
  h%r%x(2) = [4, 5, 6]
  q => h%r%x(2)
  q = q*2
  print '(a, *(i4))', 'holder', h(1)%r%x, h(3)%r%x, q
  allocate (table(2) :: t(3))
  q => t%list(2)%x(1)
  q = [1, 2, 3]
  print '(a, *(i4))', 'nested', t(2)%list(2)%x, q
  q => t%rows(2)%x(2)
  q = [7, 8, 9]
  print '(a, *(i4))', 'plain part', t(3)%rows(2)%x, q
  q => one%list%x(2)
  q = [3, 4]
  print '(a, *(i4))', 'of one', one%list(1)%x, one%list(2)%x
  rows => t%list(1)
  print '(a, *(i4))', 'objects', rows%n, size(rows)
  rows(3)%x = [70, 80]
  q => rows%x(2)
  print '(a, *(i4))', 'objects', t(3)%list(1)%x, q
  call whole(t%list(2))
  print '(a, *(i4))', 'as argument', (t(i)%list(2)%x, i = 1, 3)
  part = r(2:4)
  q => part%x(1)
  print '(a, *(i4))', 'copy', q
  part = r(1:2)
  q => part%x(1)
  print '(a, *(i4))', 'copy', q
  q => r(3:2)%x(1)
  print '(a, *(i4))', 'none', size(q)
  q => r(2:2)%x(3)
  print '(a, *(i4))', 'single', q
end program
