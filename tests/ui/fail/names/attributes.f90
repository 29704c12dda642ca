! Attributes and initial values that exclude each other, and names of units that mean something else inside.
module m
  implicit none
  integer :: shared_name
contains
  subroutine used_name()
  end subroutine
end module

module n
  use m
  implicit none
contains
  subroutine used_name(i) !~ E0205
    integer, intent(in) :: i
  end subroutine
  function text()
    character(len=*) :: text !~ E0317
    text = 'a'
  end function
end module

subroutine shared_name() !~ E0229
  use m
end subroutine

subroutine outer_name()
contains
  subroutine outer_name() !~ E0229
  end subroutine
end subroutine

integer function initial()
  initial = 1
end function

function starts() result(r)
  integer :: r = 4 !~ E0321
end function

subroutine s(v)
  implicit none
  integer, value, intent(out) :: v !~ W0332
  integer, public :: a !~ E0217
  integer, protected :: b !~ E0219
  integer, parameter, save :: c = 1 !~ E0219
  integer :: d = 1
  parameter (d = 2) !~ E0321
  real, external :: f = 1.0 !~ E0321
  external :: sin
  intrinsic :: sin !~ E0219
end subroutine

program main
end program
