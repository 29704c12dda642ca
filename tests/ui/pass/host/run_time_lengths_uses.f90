! Uses of derived types whose lengths are known at run time only: host association, results, input and output, parts of arrays.
module vectors
  implicit none
  type :: vector(n)
    integer, len :: n
    real :: x(n) = 0
    character(n) :: tag = 'abcdefgh'
  end type
  type :: pair
    type(vector(2)) :: left, right
    integer :: id = 3
  end type
  type(vector(3)) :: shared
  type(pair) :: both(2)
  interface operator(+)
    procedure plus
  end interface
contains
  elemental function plus(a, b) result(c)
    type(vector(*)), intent(in) :: a, b
    type(vector(a%n)) :: c
    c%x = a%x + b%x
    c%tag = b%tag
  end function
  function values(a) result(v)
    type(vector(*)), intent(in) :: a
    real :: v(a%n)
    v = a%x*2
  end function
  function name(a) result(text)
    type(vector(*)), intent(in) :: a
    character(a%n) :: text
    text = a%tag
  end function
  recursive integer function depth(n) result(d)
    integer, intent(in) :: n
    type(vector(n)) :: v
    v%x = n
    d = nint(sum(v%x))
    if (n > 1) d = d + depth(n - 1)
  end function
  subroutine outer(n)
    integer, intent(in) :: n
    type(vector(n)) :: v
    type(vector(n)), allocatable :: w
    integer :: calls
    v%x = 1
    calls = 0
    call inner
    call inner
    allocate(w)
    print '(a, 2i3, *(f5.1))', 'outer', v%n, w%n, v%x
    block
      type(vector(v%n + 1)) :: local
      type(vector(2)), save :: kept
      kept%x = kept%x + local%n
      print '(a, i3, 2f5.1)', 'block', local%n, kept%x
    end block
  contains
    subroutine inner
      calls = calls + 1
      v%x(calls) = v%n + calls
      print '(a, i3, 1x, a)', 'inner', size(v%x), v%tag
    end subroutine
  end subroutine
  subroutine given(a, b)
    type(vector(*)), intent(inout) :: a(:)
    type(vector(*)), intent(in), optional :: b
    if (present(b)) a(1) = b
    a%tag = 'zz'
    a%x(1) = a%x(1) + 1
    print '(a, 2i3, *(f5.1))', 'given', size(a), a%n, a%x(1)
  end subroutine
  subroutine anew(a)
    type(vector(*)), intent(out) :: a(:)
    a(1)%x = a(1)%x + 5
  end subroutine
  subroutine by_value(a)
    type(vector(2)), value :: a
    a%x = 99
  end subroutine
end module

program p
  use vectors
  implicit none
  type(vector(2)) :: a, b, many(3)
  type(vector(:)), allocatable :: c, some(:)
  type(vector(:)), pointer :: q
  type(vector(2)), target :: t
  type(pair) :: one
  real, pointer :: r(:)
  character(20) :: buffer
  integer :: i
  a%x = [1.0, 2.0]
  b%x = 10
  a = a + b
  print '(a, 2f5.1, 1x, 2a)', 'plus', a%x, a%tag, '|'
  print '(a, 2f5.1, 1x, 3a)', 'results', values(a), '|', name(a), '|'
  many = many + a
  many(2) = many(1) + many(3)
  print '(a, 6f5.1)', 'many', (many(i)%x, i = 1, 3)
  print '(a, i3)', 'depth', depth(3)
  call outer(3)
  call outer(2)
  call given(many(1:3:2), b)
  call given(many)
  print '(a, 6f5.1, *(1x, a))', 'many', (many(i)%x, i = 1, 3), many%tag
  many%tag = ['pq', 'rs', 'tu']
  many%tag(2:2) = '-'
  print '(a, *(1x, a))', 'tags', many%tag, many%tag(1:1)
  call anew(many)
  print '(a, 6f5.1)', 'anew', (many(i)%x, i = 1, 3)
  call by_value(a)
  print '(a, 2f5.1)', 'value', a%x
  ! targets and pointers
  t%x = [3.0, 4.0]
  q => t
  r => t%x
  t = a
  print '(a, i3, 4f5.1)', 'pointers', q%n, q%x, r
  allocate(vector(4) :: q)
  q%x = 6
  print '(a, i3, 4f5.1)', 'pointers', q%n, q%x
  deallocate(q)
  ! input and output
  write (buffer, '(2f4.1, a)') a
  print '(3a)', '[', trim(buffer), ']'
  read (buffer, '(2f4.1, a)') many(3)
  print '(2f5.1, 1x, a)', many(3)
  buffer = '7 8'
  read (buffer, *) b%x
  print *, b%x
  ! objects in objects
  print '(a, 2i3, 2f5.1, 1x, 2a)', 'pair', one%left%n, one%id, one%right%x, one%left%tag, one%right%tag
  one%left%x = 7
  both = one
  both(1)%right = both(2)%left
  print '(a, 6f5.1)', 'both', both(1)%left%x, both(1)%right%x, both(2)%right%x
  one = pair(vector(2)(1.5), both(1)%right, 4)
  print '(a, 4f5.1, i3)', 'pair', one%left%x, one%right%x, one%id
  shared%x(3) = 8
  print '(a, i3, 3f5.1, 1x, a)', 'shared', shared%n, shared%x, shared%tag
  ! the value of an ASSOCIATE name, and lengths of zero and less
  associate (v => a + b, w => c)
    print '(a, i3, 2f5.1)', 'associate', v%n, v%x
  end associate
  c = vector(0)()
  print '(a, 3i3, 3a)', 'empty', c%n, size(c%x), len(c%tag), '[', c%tag, ']'
  allocate(vector(-2) :: some(2))
  print '(a, 3i3)', 'negative', some%n, size(some(1)%x), len(some(2)%tag)
  some = [vector(1)(5.0, 'a'), vector(1)(6.0, 'b')]
  print '(a, i3, 2f5.1, 2(1x, a))', 'some', some%n, some%x(1), some%tag
end program
