! Components of constants in constant expressions: in the shape and with the bounds of the component (Fortran 2018, 7.5.10 and 10.1.12).
module constants
  implicit none
  integer :: i
  type :: segment
    real :: w(2) = [1.5, 2.5]
    integer :: m(2, 2) = 4
    character(3) :: c(2) = 'ab'
  end type
  type :: outer
    type(segment) :: q(2)
    integer :: k = 1
  end type
  type :: shifted
    integer :: v(-1:1) = [1, 2, 3]
    character(4) :: c(2:3) = ['ab', 'cd']
  end type
  type(segment), parameter :: one = segment(w=3), two(2) = [segment(), segment(7, m=9)]
  type(outer), parameter :: o = outer(one, k=5)
  type(shifted), parameter :: s = shifted(v=[7, 8, 9]), t(2) = [shifted(), shifted(c=['xyz', 'q  '])]
  integer, parameter :: extents(*) = [size([one%w]), size([two(2)%m, 1]), size(transfer(one%m, [0])), size([one%c])]
  real, parameter :: element = one%w(2), turned(2) = two(2)%w(2:1:-1), total = sum(one%w), each(2) = two%w(1)
  integer, parameter :: deep = o%q(2)%m(1, 2), low = s%v(-1), first(*) = s%v(:0), many(2) = t%v(1)
  character(*), parameter :: text = t(2)%c(2), texts(*) = [character(5) :: t(2)%c, 'longer'], cut(*) = [character(1) :: (one%c(i), i=1, 2)]
  integer, parameter :: bars(*) = index([character(4) :: one%c, 'zz']//'|', '|')
  logical, parameter :: l(2, 2) = reshape([.true., .false., .true., .true.], [2, 2]), ll(2, 2) = matmul(l, l), lv(2) = matmul(l, [.false., .true.])
end module
program main
  use constants
  implicit none
  integer :: q
  data q /s%v(1)/
  print '(*(i4))', extents, deep, low, first, many, q, bars
  print '(*(f6.2))', element, turned, total, each
  print '(*(a,"|"))', text, texts, cut
  print '(*(l2))', ll, lv
  select case (9)
  case (s%v(1))
    print '(a)', 'nine'
  case default
    print '(a)', 'other'
  end select
end program
