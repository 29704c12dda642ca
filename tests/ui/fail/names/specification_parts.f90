! COMMON, SAVE, EQUIVALENCE, IMPLICIT and block data as a whole (Fortran 2018, 8.4, 8.6.7, 8.6.14, 8.7, 8.10, 14.3, 19.3.1).
module guarded
  implicit none
  type, public :: counted
    sequence
    integer :: n = 1
  end type
  integer, protected :: held
  integer :: open
  equivalence (held, open) !~ E0222
end module

subroutine names_of_blocks()
  integer, parameter :: limit = 3
  intrinsic :: cos
  external :: helper
  integer :: a, b, c, d
  common /limit/ a !~ E0221
  common /cos/ b !~ E0221
  common /helper/ c !~ E0221
  common /good/ d
  save /good/, /absent/ !~ E0221
  block
    save /good/ !~ E0221
  end block
end subroutine

subroutine two_values()
  integer :: first = 1, second = 2, third = 2
  equivalence (first, second) !~ E0222
  equivalence (third, fourth)
end subroutine

subroutine value_of_a_part()
  integer :: words(2) = [3, 4], last
  data last / 5 /
  equivalence (words(2), last) !~ E0222
end subroutine

subroutine initialised_in_common()
  use guarded, only: counted
  type(counted) :: box !~ E0222
  integer :: n
  common /counts/ n
  equivalence (box, n)
end subroutine

subroutine implicit_order()
  implicit none
  implicit none !~ E0224
  integer :: i
end subroutine

subroutine implicit_late()
  integer :: i
  implicit real (x-z) !~ E0224
  i = 1
end subroutine

subroutine implicit_both()
  implicit none
  implicit real (x) !~ E0224
end subroutine

block data values
  integer :: lonely = 1, shared = 2 !~ E0221
  common /filled/ shared
  namelist /group/ shared !~ E0115
end block data

subroutine data_elsewhere()
  use guarded, only: counted
  type keeper
    integer, allocatable :: a(:)
    type(keeper), pointer :: next
    integer :: n
  end type
  type(keeper) :: k
  type(counted) :: c
  character(len=4) :: word
  data k%a(1) / 1 / !~ E0321
  data k%next%n / 2 / !~ E0321
  data c / counted(2) / !~ E0321
  data word(3:5) / 'abc' / !~ E0323
end subroutine

program main
end program

subroutine default_values_of_types()
  type one
    sequence
    integer :: i = 1
  end type
  type alike
    sequence
    integer :: i = 1
  end type
  type two
    sequence
    integer :: i = 2
  end type
  type(one) :: a
  type(alike) :: b
  type(two) :: c
  equivalence (a, b)
  equivalence (a, c) !~ E0222
end subroutine
