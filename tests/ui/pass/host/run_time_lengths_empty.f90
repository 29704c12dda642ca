! Length parameters of arrays of no objects: allocated ones, sections, arguments, copies, results, parts.
module m
  implicit none
  type :: row(n)
    integer, len :: n
    integer :: x(n) = 1
    character(n) :: s = 'abc'
  end type
  type :: table(n)
    integer, len :: n
    type(row(n)) :: rows(2)
    type(row(n + 1)) :: list(0:n)
  end type
  type :: holder
    type(row(6)) :: none(0)
    integer :: guard = 77
    type(row(:)), allocatable :: some(:)
  end type
  type, extends(row) :: longer
    integer :: more = 1
  end type
contains
  subroutine show(what, a)
    character(*), intent(in) :: what
    type(row(*)), intent(in) :: a(:)
    print '(a, 4(i4))', what, size(a), a%n, len(a%s), storage_size(a%x(1))
  end subroutine
  subroutine explicit(a, n)
    integer, intent(in) :: n
    type(row(*)), intent(in) :: a(n)
    print '(a, 3(i4))', 'explicit', size(a), a%n, len(a%s)
  end subroutine
  subroutine contiguous_one(a)
    type(row(*)), intent(inout), contiguous :: a(:, :)
    print '(a, 4(i4))', 'contiguous', shape(a), a%n, len(a%s)
  end subroutine
  subroutine polymorphic(a)
    class(row(*)), intent(in) :: a(:)
    print '(a, 4(i4))', 'class', size(a), a%n
  end subroutine
  subroutine set(a, k)
    type(row(:)), allocatable, intent(out) :: a(:)
    integer, intent(in) :: k
    allocate (row(k) :: a(0))
  end subroutine
  function made(n, k) result(r)
    integer, intent(in) :: n, k
    type(row(n)) :: r(k)
  end function
  function given(k) result(r)
    integer, intent(in) :: k
    type(row(:)), allocatable :: r(:)
    allocate (row(k) :: r(0))
  end function
  elemental function wider(a, k) result(r)
    type(row(*)), intent(in) :: a
    integer, intent(in) :: k
    type(row(a%n + 2)) :: r
    r%x = k
  end function
end module
program p
  use m
  implicit none
  type(row(:)), allocatable :: a(:), b(:), c(:), two(:, :)
  type(row(:)), pointer :: q(:)
  type(row(4)), target :: fixed(3)
  type(row(2)), save :: still(0)
  class(row(:)), allocatable :: any(:)
  type(holder) :: h, g
  type(table(:)), allocatable :: t(:)
  type(longer(:)), allocatable :: l(:)
  integer :: none, i
  none = 0
  allocate (row(3) :: a(0))
  print '(a, 2(i4))', 'allocated', a%n, size(a)
  call show('argument', a)
  call explicit(a, none)
  call show('section', fixed(3:none))
  call show('last', fixed(4:3))
  call show('vector', fixed([integer ::]))
  call show('elements', fixed([3, 1]))
  call show('static', still)
  call show('paren', (a))
  call show('constructor', [a, a])
  call show('reshape', reshape(a, [0]))
  call show('pack', pack(fixed, .false.))
  call show('cshift', cshift(a, 1))
  call show('merge', merge(a, a, .true.))
  call show('result', made(5, none))
  call show('allocatable result', given(8))
  call show('component', h%none)
  print '(a, i4)', 'guard', h%guard
  b = a
  call show('assigned', b)
  b = made(7, none)
  call show('again', b)
  b = fixed
  call show('filled', b)
  b = fixed(2:none)
  call show('emptied', b)
  allocate (c, source=a)
  call show('source', c)
  deallocate (c)
  allocate (c(0), mold=fixed(1))
  call show('mold', c)
  call set(c, 9)
  call show('intent out', c)
  q => fixed(3:1)
  call show('pointer', q)
  allocate (row(2) :: q(0))
  call show('allocated pointer', q)
  deallocate (q)
  allocate (row(5) :: two(3, 0))
  call contiguous_one(two)
  call contiguous_one(two(1:3:2, :))
  allocate (row(11) :: h%some(0))
  g = h
  call show('copied component', g%some)
  allocate (longer(12) :: any(0))
  call polymorphic(any)
  allocate (table(2) :: t(0))
  print '(a, 9(i4))', 'parts', t%n, t%rows(1)%n, t%list(1)%n, len(t%list(1)%s), len(t%rows(2)%s(1:2))
  call show('parts', t%list(2))
  call show('parts', t%rows(2))
  a = [row(3 + none) :: ]
  call show('type alone', a)
  a = [row(2) :: (fixed(i), i = 1, none)]
  call show('type and loop', a)
  call show('loop', [(fixed(i), i = 1, none)])
  call show('types', [row(4) :: a(2:1), fixed(2:3)])
  l = [longer(5) :: ]
  call polymorphic(l)
  call show('elemental', wider(a, 1))
  b = wider(wider(a, 1), [integer ::])
  call show('elemental', b)
end program
