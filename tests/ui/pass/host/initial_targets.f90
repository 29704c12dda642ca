! The declaration of a pointer may give it a target; procedure pointer components have default targets.
module targets
  implicit none
  real, target :: x(3) = [1., 2., 3.], s = 5.
  real, pointer :: p(:) => x, q => s
  real, pointer :: part(:) => x(2:3)
  integer, private, target :: hidden = 7
  integer, pointer :: shown => hidden
  type pair
    integer :: a = 1, b = 2
  end type
  type(pair), target, save :: both = pair(3, 4)
  type(pair), pointer :: whole => both
  integer, pointer :: second => both%b
  abstract interface
    integer function of_integer(n)
      integer, intent(in) :: n
    end function
  end interface
  procedure(of_integer), pointer :: f => twice
  type handler
    procedure(of_integer), pointer, nopass :: call => twice
    procedure(of_integer), pointer, nopass :: other => null()
    integer :: n = 3
  contains
    procedure :: run
  end type
  type, extends(handler) :: more
    procedure(show), pointer :: method => show
  end type
  type(handler), save :: kept
contains
  integer function twice(n)
    integer, intent(in) :: n
    twice = 2 * n
  end function
  integer function run(this)
    class(handler), intent(in) :: this
    run = this%call(this%n)
  end function
  subroutine show(this)
    class(more), intent(in) :: this
    print '(a,i4)', 'show', this%n
  end subroutine
  subroutine count_up
    integer, target, save :: n = 10
    integer, pointer :: at => n
    at = at + 1
    print '(a,2i4)', 'count', n, at
    at => hidden
  end subroutine
end module

program initial_targets
  use targets
  implicit none
  type(handler) :: h
  type(handler), allocatable :: many(:)
  type(more) :: m
  integer, target, save :: here = 4
  integer, pointer :: to_here => here
  interface
    real function outer(x)
      real :: x
    end function
  end interface
  procedure(outer), pointer :: g => outer
  print '(a,6f5.1)', 'arrays', p, q, part
  p(1) = 9.
  q = 6.
  print '(a,4f5.1)', 'targets', x, s
  print '(a,2i4,l2)', 'scalars', shown, second, associated(second, both%b)
  whole%a = 30
  print '(a,2i4)', 'both', both
  print '(a,2i4)', 'procedures', f(4), h%call(5)
  print '(a,3l2)', 'associated', associated(h%call), associated(h%other), associated(kept%call, twice)
  allocate (many(2))
  many(2)%n = 8
  print '(a,3i4)', 'run', many(1)%run(), many(2)%run(), kept%run()
  m%n = 11
  call m%method
  h = handler(n=2)
  print '(a,i4)', 'constructed', h%run()
  h%call => null()
  print '(a,l2)', 'null', associated(h%call)
  call count_up
  call count_up
  print '(a,i4)', 'hidden', shown
  here = 12
  print '(a,i4,f5.1)', 'main', to_here, g(1.)
end program

real function outer(x)
  real :: x
  outer = x + 0.5
end function
