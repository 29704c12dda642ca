! The value of a defined assignment counts as if it stood in parentheses: also where it is the variable by a pointer, a pointer component,
! another name, a dummy argument with TARGET, and where the procedure is bound to the type and overridden.
module kinds
  implicit none
  type :: t
    integer :: k = 7
  contains
    procedure, pass(to) :: take
    generic :: assignment(=) => take
  end type
  type, extends(t) :: e
    integer :: z = 2
  contains
    procedure, pass(to) :: take => take_e
  end type
  type :: plain
    integer :: k = 7
  end type
  type :: holder
    type(plain), pointer :: p => null(), q(:) => null()
  end type
  interface assignment(=)
    procedure :: take_plain
  end interface
  type(plain), target :: g
contains
  subroutine take(to, from)
    class(t), intent(out) :: to
    class(t), intent(in) :: from
    to%k = to%k + from%k
  end subroutine
  subroutine take_e(to, from)
    class(e), intent(out) :: to
    class(t), intent(in) :: from
    to%k = to%k + 2*from%k
    select type (from)
    class is (e)
      to%z = to%z + from%z
    end select
  end subroutine
  impure elemental subroutine take_plain(to, from)
    type(plain), intent(out) :: to
    type(plain), intent(in) :: from
    to%k = to%k + from%k
  end subroutine
  subroutine by_dummy(d)
    type(plain), target, intent(inout) :: d
    g = d
    print *, g%k
  end subroutine
end module
program p
  use kinds
  implicit none
  type(plain), target :: x, y(3)
  type(plain), pointer :: px, py(:)
  type(holder) :: c
  type(t) :: a
  type(e), target :: b
  class(t), allocatable :: poly
  class(t), pointer :: q
  integer :: i
  px => x
  py => y
  c%p => x
  c%q => y
  call begin
  px = x
  print *, x%k
  call begin
  x = px
  print *, x%k
  call begin
  x = c%p
  print *, x%k
  call begin
  c%p = x
  print *, x%k
  call begin
  y = py
  print *, y%k
  call begin
  c%q = y(3:1:-1)
  print *, y%k
  call begin
  y = py(2)
  print *, y%k
  call begin
  y = c%q(2)
  print *, y%k
  call begin
  associate (s => y(2))
    s = y(2)
    y(2) = s
  end associate
  print *, y%k
  call begin
  i = 3
  y(i) = py(i)
  print *, y%k
  g%k = 1
  call by_dummy(g)
  a%k = 1
  a = a
  print *, a%k
  b%k = 1
  b = b
  print *, b%k, b%z
  allocate(e :: poly)
  poly%k = 1
  poly = poly
  print *, poly%k
  q => b
  b%k = 1
  b%z = 5
  q = b
  print *, b%k, b%z
  b%k = 1
  b%z = 5
  b = q
  print *, b%k, b%z
contains
  subroutine begin
    x%k = 1
    y%k = 1
  end subroutine
end program
