! Components of derived types behind points, as of structures.
module shapes
  implicit none
  type part
    integer :: i
    real, dimension(3) :: r
    character(4) name
  end type
  type whole
    type(part) :: a(2), first
    type(whole), pointer :: next => null()
  end type
  interface operator(.plus.)
    module procedure add
  end interface
contains
  pure type(part) function add(x, y)
    type(part), intent(in) :: x, y
    add = part(x.i + y.i, x%r + y.r, x.name)
  end function
end module

program points
  use shapes
  implicit none
  type(whole), target :: v, w
  type(part) :: p
  v.a(2).i = 5
  v%a(1).r(2) = 3
  v.first.i = 1
  v.first%r = [1., 2., 3.]
  v.first.name = 'abcd'
  v.next => w
  w.first = part(2, 1.5, 'ef')
  print *, v.a(2).i, v.a(1)%r(2), v.first.i+1.e0, v.first.name(2:3)
  p = v.first.plus.w.first
  print *, p.i, p.r, p.name
  if (v.next.first.i.eq.2.and.p.i.gt.2) print *, v.next.first.i
  if (v.first.i.eq.v.a(2).i-4) print *, 'equal'
  v%a.i = 4
  print *, v%a.i, sum(v%a.i)
end program
