! Procedure pointer components that are declared with the type of their results, of any kind and length. There is no
! `implicit none`: what the names begin with says nothing.
module tables
  integer, parameter :: dp = kind(1d0)
  type :: pair
    integer :: a, b
  end type
  type :: table
    procedure(real(dp)), pointer, nopass :: f => null()
    procedure(integer(8)), pointer, nopass :: great => null()
    procedure(complex), pointer, nopass :: h => null()
    procedure(logical(1)), pointer, nopass :: flag => null()
    procedure(double precision), pointer, nopass :: i => null()
    procedure(character(len=4)), pointer, nopass :: text => null()
    procedure(type(pair)), pointer, nopass :: both => null()
    procedure(sin), pointer, nopass :: wave => null()
  end type
contains
  real(dp) function twice(x)
    real(dp) :: x
    twice = 2*x
  end function
  integer(8) function raised(n)
    integer(8) :: n
    raised = 2_8**40 + n
  end function
  complex function turned(z)
    complex :: z
    turned = (0., 1.)*z
  end function
  logical(1) function is_large(n)
    integer :: n
    is_large = n > 2
  end function
  character(4) function shown(n)
    integer :: n
    write (shown, '(i4)') n
  end function
  type(pair) function split(n)
    integer :: n
    split = pair(n/10, mod(n, 10))
  end function
end module

program pointer_components
  use tables
  type(table) :: t
  type(pair) :: p
  t%f => twice
  t%great => raised
  t%h => turned
  t%flag => is_large
  t%i => twice
  t%text => shown
  t%both => split
  t%wave => sin
  print '(f6.2,i15,2f6.2,l2,f6.2)', t%f(1.5d0), t%great(3_8), t%h((1., 2.)), t%flag(3), t%i(2.5d0)
  print '(3a,i3)', '[', t%text(17), ']', len(t%text(17))
  p = t%both(42)
  print '(2i3,f5.1)', p, t%wave(0.)
end program
