! What C cannot describe in `bind(c)` procedures and types.
module described
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(c) :: good
    integer(c_int) :: n
    real(c_double) :: x(3)
    type(c_ptr) :: p
  end type
  type, bind(c) :: grown
    integer(c_int), allocatable :: n !~ E0420
  end type
  type, bind(c) :: active !~ E0420
    integer(c_int) :: n
  contains
    procedure, nopass :: act
  end type
contains
  subroutine act() bind(c)
  end subroutine
  subroutine text(c, list) bind(c)
    character(kind=c_char, len=3) :: c !~ W0420
    character(kind=c_char) :: list(*)
  end subroutine
  function three() bind(c) result(v)
    integer(c_int) :: v(3) !~ E0420
    v = 1
  end function
end module
program main
end program
