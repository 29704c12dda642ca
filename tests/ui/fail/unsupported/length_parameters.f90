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
    real, device, allocatable :: p(:)
  end type
  type :: kept(n)
    integer, len :: n
    real :: x(n)
  contains
    final :: forget
  end type
contains
  subroutine forget(r)
    type(kept(*)), intent(inout) :: r
  end subroutine
  attributes(global) subroutine owned(r)
    type(owner(*)), value :: r !~ W0901
  end subroutine
  attributes(global) subroutine owner_of_thread(n)
    integer, value :: n
    type(owner(n)) :: r !~ W0901
  end subroutine
end module
program p
  use m
  implicit none
  class(line(:)), device, allocatable :: c !~ W0901
  type(kept(:)), managed, allocatable :: k !~ W0901
  type(kept(3)), managed :: fixed !~ W0901
  allocate (kept(2) :: k) !~ R0901
end program
