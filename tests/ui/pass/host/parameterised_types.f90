! Derived types with type parameters whose values are constant: kinds, lengths and bounds of components depend on them.
module vectors
  implicit none
  integer, parameter :: dp = kind(1d0)
  type :: vector(k, n)
    integer, kind :: k = 4
    integer(8), len :: n = 3
    real(k) :: x(n) = 1.5_k
    character(len=n) :: tag = 'abcdef'
  contains
    procedure :: total
    procedure, nopass :: word
    generic :: operator(+) => plus
    procedure :: plus
  end type
  type, extends(vector) :: named(m)
    integer, kind :: m = 2
    integer(m) :: id = 7
  end type
  type :: node(k)
    integer, kind :: k
    integer(k) :: value = -1_k
    type(node(k)), pointer :: next => null()
    type(node(k)), allocatable :: below
  end type
  type :: mesh(n)
    integer, len :: n
    type(vector(dp, 2*n)) :: row(0:n)
    type(node(2)) :: first
  end type
  interface size_of
    procedure size4, size8
  end interface
contains
  real(dp) function total(this)
    class(vector(dp, 2)), intent(in) :: this
    total = sum(this%x) + this%n
  end function
  function plus(a, b) result(c)
    class(vector(dp, 2)), intent(in) :: a, b
    type(vector(dp, 2)) :: c
    c%x = a%x + b%x
    c%tag = b%tag
  end function
  function word()
    character(4) :: word
    word = 'word'
  end function
  integer function size4(v)
    type(vector), intent(in) :: v
    size4 = size(v%x)*v%k
  end function
  integer function size8(v)
    type(vector(k=8, n=5)), intent(in) :: v
    size8 = size(v%x)*v%k
  end function
end module

program p
  use vectors, only: vec => vector, named, node, mesh, dp, size_of
  implicit none
  type(vec) :: a
  type(vec(dp, 2)) :: b
  type(vec(n=5, k=dp)), allocatable :: c(:)
  type(vec(dp, 2)), parameter :: fixed = vec(dp, 2)([8d0, 9d0], 'fi')
  type(named(8, 2, m=8)) :: d
  type(node(2)), target :: n1, n2
  type(mesh(3)) :: g
  real(a%k) :: r
  real(dp) :: local(b%n)
  class(vec(dp, 2)), allocatable :: q
  class(*), allocatable :: u
  integer :: i

  ! defaults, inquiry
  print '(a, 6i3)', 'a', a%k, a%n, kind(a%n), size(a%x), kind(a%x), kind(r)
  print '(a, 3f5.1, 1x, a)', 'a', a%x, a%tag
  print '(a, 3i3)', 'local', size(local), kind(local), fixed%n

  ! constructors, operators, type-bound procedures
  b = vec(dp, 2)([1d0, 2d0], 'zz')
  print '(a, 3f5.1, 1x, 2a, i3)', 'b', b%x, b%total(), b%tag, b%word(), len(b%tag)
  b = b + fixed
  print '(a, 2f5.1, 1x, a)', 'b', b%x, b%tag
  a = vec(x=2.0, tag='q')
  print '(a, 3f5.1, 1x, 2a)', 'a', a%x, a%tag, '|'
  c = [(vec(k=dp, n=5)(x=real(i, dp), tag='item'), i = 1, 3)]
  print '(a, 3i3, 5f5.1, 1x, 2a)', 'c', size(c), c%n, size(c(2)%x), c(3)%x, c(3)%tag, '|'
  deallocate(c)
  allocate(vec(dp, 5) :: c(2))
  print '(a, i3, 5f5.1)', 'c', size(c), c(2)%x
  print '(a, 2i4)', 'size', size_of(a), size_of(c(1))

  ! extensions, dynamic types
  print '(a, 6i3, f5.1)', 'd', kind(d%id), d%id, d%k, d%n, d%m, size(d%vector%x), d%total()
  allocate(named(8, 2, 8) :: q)
  q%x = [3d0, 4d0]
  select type (q)
  class is (named(8, *, 8))
    print '(a, i3, f5.1)', 'named(m=8)', q%id, q%total()
  class is (named(8, *, 4))
    print *, 'named(m=4)'
  end select
  n2%value = 4
  u = n2
  select type (u)
  type is (node(4))
    print *, 'node(4)'
  type is (node(2))
    print '(a, i3)', 'node(2)', u%value
  end select
  print *, same_type_as(q, d), extends_type_of(d, b), same_type_as(a, b)

  ! types that hold themselves, and each other
  n1%next => n2
  allocate(n1%below)
  print '(a, 3i4)', 'node', n1%next%value, kind(n1%value), n1%below%value
  print '(a, 5i3)', 'mesh', size(g%row), lbound(g%row), size(g%row(1)%x), g%row(2)%n, g%first%k
end program
