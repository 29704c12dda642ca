! `procedure(interface) :: name` declares an external procedure `name`; the interface is that of another procedure, which is not
! the one that is called.
module shapes
  abstract interface
    function area(x)
      real, intent(in) :: x
      real :: area
    end function
  end interface
  procedure(area) :: square
contains
  real function twice(f, x)
    procedure(area) :: f
    real, intent(in) :: x
    twice = 2 * f(x)
  end function
end module

program procedure_declarations
  use shapes
  implicit none
  procedure(report) :: other
  procedure(area) :: circle
  procedure(square) :: cube
  procedure(real) :: typed
  procedure(integer) :: counted
  procedure(), pointer :: nothing => null()
  procedure(report), pointer :: p
  procedure(area), pointer :: q
  call other(1.)
  call report(1.)
  print '(a,2f7.2)', 'functions', circle(1.), square(3.)
  print '(a,f7.2)', 'by the interface of a declared one', cube(3.)
  print '(a,2f7.2)', 'as arguments', twice(circle, 1.), twice(cube, 2.)
  print '(a,f7.2,i4)', 'typed', typed(2.), counted(2)
  p => other
  call p(2.)
  q => circle
  print '(a,f7.2)', 'through a pointer', q(2.)
  print '(3l2)', associated(p, other), associated(q, circle), associated(nothing)
  call inner
contains
  subroutine report(r)
    real :: r
    print '(a,f7.2)', 'report', r
  end subroutine
  subroutine inner
    procedure(report) :: other
    call other(3.)
  end subroutine
end program

subroutine other(r)
  real :: r
  print '(a,f7.2)', 'other', r
end subroutine

real function circle(x)
  real, intent(in) :: x
  circle = 3.0 * x * x
end function

real function square(x)
  real, intent(in) :: x
  square = x * x
end function

real function cube(x)
  real, intent(in) :: x
  cube = x**3
end function

real function typed(x)
  real :: x
  typed = x + 0.5
end function

integer function counted(n)
  integer :: n
  counted = n + 1
end function
