! Objects with length type parameters that are known at run time only, where they cannot be used.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    real :: x(n)
  end type
  type :: owner(n)
    integer, len :: n
    real :: x(n)
    real, device, pointer :: p(:)
  end type
contains
  attributes(host, device) subroutine both(r)
    type(line(*)) :: r !~ W0901
  end subroutine
  attributes(global) subroutine owned(r)
    type(owner(*)) :: r !~ W0901
  end subroutine
  attributes(global) subroutine by_value(r)
    type(line(*)), value :: r !~ W0901
  end subroutine
end module
program p
  use m
  implicit none
  class(line(:)), device, allocatable :: c !~ W0901
  type(line(:)), managed, allocatable :: d(:), e(:)
  allocate (line(3) :: d(2))
  d(1)%x = 1
  d(2)%x = 2
  e = d(2:1:-1)
  print *, e(1)%x
  e = cshift(d, 1) !~ R0901
end program
