! Pointer components with initial targets: each object begins with them, wherever it comes from.
module m
  implicit none
  type :: point
    integer :: a = 77
  end type
  type(point), target :: origin
  integer, target :: numbers(4) = [1, 2, 3, 4]
  type :: holder
    type(point), pointer :: at => origin
    integer, pointer :: third => numbers(3)
    integer, pointer :: even(:) => numbers(2:4:2)
    integer :: k = 5
  end type
  type :: outer
    type(holder) :: inner(2)
  end type
  type, extends(holder) :: more
    integer, pointer :: none => null()
  end type
  type(holder), save :: static
  type(holder), parameter :: constant = holder(k=6)
contains
  subroutine show(h)
    type(holder), intent(in) :: h
    print *, h%at%a, h%third, h%even, h%k
  end subroutine
  subroutine reset(h)
    type(holder), intent(out) :: h
    h%k = h%k + 1
  end subroutine
  subroutine local()
    type(outer) :: o
    call show(o%inner(2))
    nullify (o%inner(2)%at)
  end subroutine
  function result_of() result(h)
    type(holder) :: h
    h%k = 8
  end function
end module
program p
  use m
  implicit none
  type(holder), allocatable :: a(:)
  class(holder), allocatable :: c
  type(more) :: e
  type(holder) :: h
  integer, target :: own = 9
  call show(static)
  call show(constant)
  call local()
  call local()
  allocate (a(2))
  call show(a(2))
  call show(result_of())
  allocate (more :: c)
  call show(c)
  call show(e%holder)
  print *, associated(e%none)
  h%third => own
  origin%a = 78
  numbers(4) = 40
  call show(h)
  call reset(h)
  call show(h)
  h = holder(third=own)
  call show(h)
  static%third = 30
  print *, numbers(3)
end program
