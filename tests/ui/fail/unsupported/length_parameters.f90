! Objects with length type parameters that are known at run time only, where they cannot be used.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    real :: x(n)
  end type
  type, extends(line) :: longer
    integer :: more = 1
  end type
  type :: holder
    type(line(2)) :: r
  end type
  type(holder), device :: remote !~ W0901
contains
  attributes(global) subroutine kernel(r)
    type(line(*)) :: r !~ W0901
    r%x(1) = 1
  end subroutine
  subroutine bits(r)
    class(line(*)), intent(in) :: r
    print *, transfer(r, [1.0])
  end subroutine
  subroutine named(r)
    type(line(*)), intent(inout), target :: r(:)
    associate (y => r%x(2))
      y = 1
    end associate
  end subroutine
end module
program p
  use m
  implicit none
  type(line(:)), allocatable, target :: r(:)
  real, pointer :: q(:)
  allocate(line(3) :: r(2))
  r%x(1) = 4
  print '(2f4.1)', r%x(1)
  q => r%x(2) !~ R0901
end program
