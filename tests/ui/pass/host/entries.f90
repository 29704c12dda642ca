! ENTRY: procedures that share the statements and variables of the one around them (Fortran 2018, 15.6.2.6).
module shapes
  implicit none
contains
  ! Results of one type are one variable, those of other types are their own.
  function area(a, b) result(r)
    real, intent(in) :: a, b
    real :: r, half
    real, intent(in) :: h
    integer :: count
    r = a*b
    return
  entry triangle(a, h) result(half)
    half = a*h/2
    return
  entry corners(a) result(count)
    count = int(a) + 4
  end function

  subroutine fill(x, n)
    integer, intent(in) :: n
    real, intent(inout) :: x(n)
    real :: work(n), y(*)
    character(*) :: name
    integer, save :: calls = 0
    work = 1
    x = work + x
    calls = calls + 1
    goto 10
  entry report(name)
    print '(a,a,i0)', name, ': ', calls
    return
  entry clear(y, n)
    y(1:n) = 0
10  continue
    print '(a,i0)', 'done ', n
  end subroutine

  recursive subroutine down(n)
    integer, intent(in) :: n
    integer :: m
    if (n == 0) return
    print '(a,i0)', 'down ', n
    call up(n - 1)
    return
  entry up(m)
    print '(a,i0)', 'up ', m
    if (m > 0) call down(m)
  end subroutine
end module

program entries
  use shapes
  implicit none
  interface
    integer function twice(i)
      integer :: i
    end function
    subroutine passed(f, x)
      interface
        real function f(a)
          real, intent(in) :: a
        end function
      end interface
      real, intent(in) :: x
    end subroutine
    real function negated(a)
      real, intent(in) :: a
    end function
  end interface
  integer, external :: thrice
  character(3) :: first, last
  real :: x(3)
  print '(2f6.1,i3)', area(2., 3.), triangle(2., 3.), corners(2.)
  x = [1, 2, 3]
  call fill(x, 3)
  call fill(x, 2)
  print '(3f5.1)', x
  call clear(x(2:), 2)
  print '(3f5.1)', x
  call report('calls')
  call down(3)
  print '(2i4)', twice(4), thrice(4)
  call passed(negated, 2.)
  print '(a,1x,a)', first(), last()
  call choose(1, *100, *200)
  print '(a)', 'not reached'
100 print '(a)', 'first label'
  call other(*300, 2, *200)
200 print '(a)', 'second label'
  call init
  call show
300 print '(a)', 'end'
end program

integer function twice(i)
  implicit none
  integer :: i, thrice
  twice = 2*i
  return
entry thrice(i)
  twice = 0
  thrice = 3*i
end function

real function positive(a)
  implicit none
  real, intent(in) :: a
  real :: negated
  positive = a
  return
entry negated(a)
  negated = -a
end function

subroutine passed(f, x)
  implicit none
  real, external :: f
  real, intent(in) :: x
  print '(f6.1)', f(x)
end subroutine

character(3) function first()
  implicit none
  character(3) :: last
  first = 'abc'
  return
entry last()
  last = 'xyz'
end function

subroutine choose(i, *, *)
  integer i
  return i
entry other(*, i, *)
  if (i == 2) return 2
end subroutine

! Code before the first executable statement, entries one after another.
subroutine init
  entry start
  entry show
  integer, save :: a(2)
  data a /4, 5/
  print '(2i3)', a
  a = a + 1
end subroutine
