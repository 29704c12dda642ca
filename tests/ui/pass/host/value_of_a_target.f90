! A dummy argument with VALUE is an object of its own, also where the argument is what a function points to
! (Fortran 2018, 8.5.19, 15.5.2.4).
program p
  implicit none
  type :: point
    integer :: a = 3
    real :: r = 0
  end type
  type, extends(point) :: named
    character(3) :: name = 'xyz'
  end type
  type(point), target :: points(3)
  type(named), target :: thing
  character(4), target :: text = 'abcd'
  points = [point(1, 1.), point(2, 2.), point(3, 3.)]
  call change(at(points, 2))
  call change((at(points, 1)))
  print *, points%a
  call change_named(same(thing))
  print *, thing%a, thing%name
  call change_text(words())
  print *, text
contains
  function at(x, k) result(r)
    type(point), target :: x(:)
    integer, intent(in) :: k
    type(point), pointer :: r
    r => x(k)
  end function
  function same(x) result(r)
    type(named), target :: x
    type(named), pointer :: r
    r => x
  end function
  function words() result(r)
    character(4), pointer :: r
    r => text
  end function
  subroutine change(x)
    type(point), value :: x
    x%a = 100
    print *, x%a, x%r
  end subroutine
  subroutine change_named(x)
    type(named), value :: x
    x%name = '---'
    x%a = 0
  end subroutine
  subroutine change_text(x)
    character(4), value :: x
    x = '----'
  end subroutine
end program
