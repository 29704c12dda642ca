! Components whose type binds an assignment are assigned by it when the object around them is: scalars, arrays, allocatable
! components, nested objects; one that is not elemental takes no arrays, and one that only an interface defines is not used.
module m
  implicit none
  type counted
    integer :: n = 0, copies = 0
  contains
    procedure, private :: take
    generic :: assignment(=) => take
  end type
  type list
    integer :: n = 0
  contains
    procedure, private :: take_one
    generic :: assignment(=) => take_one
  end type
  type loose
    integer :: n = 0
  end type
  interface assignment(=)
    module procedure take_loose
  end interface
  type inner
    type(counted) :: c
  end type
  type outer
    integer :: id = 0
    type(counted) :: one
    type(counted) :: three(3)
    type(counted), allocatable :: some(:)
    type(inner) :: deep
    type(list) :: l, ls(2)
    type(loose) :: free
    type(counted), pointer :: other => null()
  end type
  type, extends(counted) :: more
    real :: x = 0
  end type
  type frame
    type(more) :: m
  end type
  type tree
    type(counted) :: c
    type(tree), allocatable :: next
  end type
contains
  elemental subroutine take(left, right)
    class(counted), intent(inout) :: left
    class(counted), intent(in) :: right
    left%n = right%n
    left%copies = right%copies + 1
  end subroutine
  subroutine take_one(left, right)
    class(list), intent(inout) :: left
    type(list), intent(in) :: right
    left%n = right%n + 1000
  end subroutine
  subroutine take_loose(left, right)
    type(loose), intent(inout) :: left
    type(loose), intent(in) :: right
    left%n = -right%n
  end subroutine
  function itself(x) result(r)
    type(inner), target, intent(in) :: x
    type(inner), pointer :: r
    r => x
  end function
  subroutine show(name, x)
    character(*), intent(in) :: name
    type(outer), intent(in) :: x
    print '(a,*(1x,i0))', name, x%id, x%one%n, x%one%copies, x%three%n, x%three%copies
    if (allocated(x%some)) print '(2x,*(1x,i0))', lbound(x%some), x%some%n, x%some%copies
    print '(2x,*(1x,i0))', x%deep%c%n, x%deep%c%copies, x%l%n, x%ls%n, x%free%n
  end subroutine
end module
program component_assignment
  use m
  implicit none
  type(outer) :: a, b, many(2)
  type(outer), allocatable :: c, d(:)
  type(counted), target :: t
  type(frame) :: f, g
  type(tree) :: r, s
  type(inner), target :: n
  a%id = 7
  a%one%n = 1
  a%three%n = [2, 3, 4]
  allocate (a%some(0:1))
  a%some%n = [5, 6]
  a%deep%c%n = 8
  a%l%n = 9
  a%ls%n = [10, 11]
  a%free%n = 12
  a%other => t
  b = a
  call show('scalar', b)
  print '(l1)', associated(b%other, t)
  b = b
  call show('itself', b)
  many = b
  call show('broadcast', many(2))
  many(2)%one%n = 99
  many = many(2:1:-1)
  call show('reversed', many(1))
  c = a
  call show('allocated', c)
  d = many
  call show('array', d(2))
  g%m%n = 3
  g%m%x = 2.5
  f = g
  n%c%n = 4
  n = itself(n)
  print '(a,2(1x,i0))', 'pointer', n%c%n, n%c%copies
  print '(a,2(1x,i0),f5.1)', 'inherited', f%m%n, f%m%copies, f%m%x
  r%c%n = 1
  allocate (r%next)
  r%next%c%n = 2
  s = r
  print '(a,*(1x,i0))', 'tree', s%c%n, s%c%copies, s%next%c%n, s%next%c%copies
end program
