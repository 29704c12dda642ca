! Specifiers of input and output that exclude each other, and items that cannot be transferred as a whole.
module hidden
  implicit none
  type :: box
    integer, private :: i = 1
  end type
  type :: outer
    type(box) :: b
  end type
  type :: calls
    procedure(proc), pointer, nopass :: p => null()
  end type
  type :: open_one
    integer :: i = 1
  end type
  integer, private :: secret
  integer :: known
  namelist /group/ known, secret !~ E0223
contains
  subroutine proc()
  end subroutine
  subroutine inside(x)
    type(box), intent(in) :: x
    print *, x
  end subroutine
end module

subroutine poly(x, y)
  use hidden
  implicit none
  class(open_one), intent(in) :: x
  integer, intent(in) :: y(*)
  namelist /sizes/ y !~ E0223
  print *, x%i
  print *, x !~ E0326
end subroutine

program main
  use hidden
  implicit none
  type(outer) :: x
  type(calls) :: c
  character(len=8) :: text, texts(3)
  integer :: unit, n
  n = 1
  write (text) n !~ E0327
  write (text, *, pos=4) n !~ E0327
  write (10, rec=1, pos=1) n !~ E0327
  write (texts([1, 3]), *) n !~ E0327
  write (*, *, end=10) n !~ E0327
  open (newunit=unit) !~ E0327
  open (newunit=unit, status='scratch')
  print *, x !~ E0326
  print *, c !~ E0326
10 continue
end program

subroutine identifiers(n)
  integer, intent(in) :: n
  integer :: id
  real, allocatable :: a(:)
  write (10, *, id=id) n !~ E0327
  write (10, *, id=id, asynchronous='no') n !~ E0327
  write (10, *, id=id, asynchronous='yes') n
  wait (10, unknown=n) !~ E0327
  allocate (a(n), align=12) !~ E0546
  allocate (a(n), align=4*1024*1024) !~ E0546
end subroutine
