! What `same_type_as` and `extends_type_of` say of objects that are not polymorphic is constant.
program main
  implicit none
  type shape
    integer :: sides = 0
  end type
  type, extends(shape) :: square
    real :: length = 1
  end type
  type other
    integer :: n = 0
  end type
  type(shape) :: a
  type(square) :: b
  type(other) :: c
  class(shape), allocatable :: any
  logical, parameter :: same(3) = [same_type_as(a, a), same_type_as(a, b), same_type_as(b, c)]
  logical, parameter :: extends(3) = [extends_type_of(b, a), extends_type_of(a, b), extends_type_of(c, a)]
  integer :: table(merge(2, 1, extends(1)))
  print *, same, extends, size(table)
  allocate (square :: any)
  print *, same_type_as(any, b), extends_type_of(any, a), same_type_as(any, a)
end program
