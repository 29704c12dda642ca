! The masks of a WHERE construct are evaluated once: what its assignments change later does not matter (Fortran 2018, 10.2.3.2).
module masks
  implicit none
  integer :: mm(4) = [1, 0, 1, 1]
  type :: t
    integer :: v = 0
  contains
    procedure, private :: take
    generic :: assignment(=) => take
  end type
  type :: holder
    type(t) :: inner
    integer :: k = 0
  end type
contains
  impure elemental integer function turned(i)
    integer, intent(in) :: i
    mm = 1 - mm
    turned = i*10
  end function
  function five() result(r)
    integer :: r(4)
    mm = 0
    r = 5
  end function
  impure elemental subroutine take(a, b)
    class(t), intent(out) :: a
    type(t), intent(in) :: b
    mm = 0
    a%v = b%v + 100
  end subroutine
end module

program main
  use masks
  implicit none
  integer :: x(4) = [1, 2, 3, 4]
  type(t) :: a(4), b(4)
  type(holder) :: c(4), d(4)
  where (mm > 0)
    x = turned(x)
  elsewhere
    x = x - 50
  end where
  print '(4i4)', x
  mm = [1, 0, 1, 1]
  b%v = [1, 2, 3, 4]
  where (mm > 0)
    a = b
  elsewhere
    a = t(7)
  end where
  print '(4i4)', a%v
  mm = [1, 0, 1, 1]
  d%k = [1, 2, 3, 4]
  where (mm > 0)
    c = d
  end where
  print '(8i4)', c%inner%v, c%k
  mm = [1, 0, 1, 1]
  x = 0
  where (mm > 0) x = five()
  print '(4i4)', x
end program
