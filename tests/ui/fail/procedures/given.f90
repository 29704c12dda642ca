! Arguments that lack what their dummies need, and calls that need an explicit interface.
module m
  implicit none
  type :: t
    integer :: i = 1
  end type
contains
  elemental subroutine each(a, b)
    integer, intent(out) :: a
    integer, intent(in) :: b
    a = b
  end subroutine
  elemental integer function one(n)
    integer, intent(in) :: n
    one = n
  end function
  integer function apply(f)
    integer, external :: f
    apply = f(1)
  end function
  integer function total(p)
    integer, pointer, intent(in) :: p(:)
    total = sum(p)
  end function
  subroutine shaped(a)
    integer, intent(in) :: a(:)
  end subroutine
  subroutine sized(a)
    integer, intent(in) :: a(*)
    call shaped(a) !~ E0403
    call shaped(a(1:3))
  end subroutine
  subroutine moves(p)
    integer, pointer, intent(inout) :: p
    nullify (p)
  end subroutine
  subroutine keeps(p)
    integer, pointer, intent(in) :: p
    call moves(p) !~ E0411
  end subroutine
end module

function pair()
  integer :: pair(2)
  pair = 1
end function

subroutine takes_class(x)
  use m
  class(t), intent(in) :: x
end subroutine

subroutine watched(x)
  integer, volatile :: x
end subroutine

program main
  use m
  implicit none
  integer :: i, a(3), many(3)
  integer, target :: b(3)
  integer :: pair
  type(t) :: x
  call each(many, a)
  call each(i, a) !~ E0414
  i = apply(one) !~ E0413
  i = total(b)
  i = total(a) !~ E0415
  a(1:2) = pair() !~ E0405
  call takes_class(x) !~ E0405
  call watched(i) !~ E0405
  associate (part => a([1, 3]))
    part = 1 !~ E0311
  end associate
end program
