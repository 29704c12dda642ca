! Procedure pointers: variables, components with and without the passed object, results, targets of dummies and intrinsics.
module m
  implicit none
  abstract interface
    real function fun(x)
      real, intent(in) :: x
    end function
  end interface
  type box
    integer :: total = 0
    procedure(act), pointer :: step => null()
    procedure(fun), pointer, nopass :: map => null()
  end type
  abstract interface
    subroutine act(this, n)
      import :: box
      class(box), intent(inout) :: this
      integer, intent(in) :: n
    end subroutine
  end interface
  procedure(fun), pointer :: chosen => null()
contains
  real function twice(x)
    real, intent(in) :: x
    twice = 2*x
  end function
  real function square(x)
    real, intent(in) :: x
    square = x*x
  end function
  subroutine add(this, n)
    class(box), intent(inout) :: this
    integer, intent(in) :: n
    this%total = this%total + n
  end subroutine
  subroutine choose(k, p)
    integer, intent(in) :: k
    procedure(fun), pointer, intent(out) :: p
    if (k == 1) then
      p => twice
    else
      p => square
    end if
  end subroutine
  function picked(k) result(p)
    integer, intent(in) :: k
    procedure(fun), pointer :: p
    call choose(k, p)
  end function
  real function applied(f, x)
    procedure(fun) :: f
    real, intent(in) :: x
    applied = f(x) + 1
  end function
  subroutine keep(f, b)
    procedure(fun) :: f
    type(box), intent(inout) :: b
    b%map => f
  end subroutine
end module
program p
  use m
  implicit none
  intrinsic :: sin
  procedure(fun), pointer :: q
  type(box) :: b, c
  integer :: i
  print *, associated(chosen), associated(b%step)
  do i = 1, 2
    call choose(i, q)
    print *, q(3.0), applied(q, 3.0), associated(q, twice)
    chosen => picked(3 - i)
    print *, chosen(4.0)
  end do
  b%step => add
  b%map => q
  c = b
  call c%step(5)
  call c%step(6)
  print *, b%total, c%total, c%map(1.5)
  call keep(twice, c)
  print *, c%map(1.5), associated(c%map, b%map)
  c = box(3, add, square)
  call c%step(1)
  print *, c%total, c%map(5.0)
  nullify(chosen)
  print *, associated(chosen)
  nullify(c%map)
  print *, associated(c%map)
  chosen => cos
  print *, chosen(0.0), applied(sin, 0.0)
end program
