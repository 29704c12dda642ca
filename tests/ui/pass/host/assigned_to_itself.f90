! What is assigned to itself is finalised too, when its value is known (Fortran 2018, 7.5.6.3).
module finals
  implicit none
  type :: t
    integer :: n = 0
    integer, allocatable :: more(:)
  contains
    final :: end_of_one, end_of_array
  end type
contains
  subroutine end_of_one(x)
    type(t), intent(inout) :: x
    print '(a, i0)', 'end of ', x%n
    if (allocated(x%more)) deallocate (x%more)
  end subroutine
  subroutine end_of_array(x)
    type(t), intent(inout) :: x(:)
    print '(a, *(i0, :, 1x))', 'end of array ', x%n
  end subroutine
end module

program assigned_to_itself
  use finals
  implicit none
  type(t) :: a, b(2)
  type(t), allocatable :: c
  class(t), allocatable :: d
  integer :: i = 1
  a%n = 5
  a%more = [1, 2, 3]
  a = a
  print *, a%n, a%more
  a = (a)
  print *, a%n, a%more
  b%n = [1, 2]
  b(2) = b(2)
  b(i) = b(1)
  b = b
  print *, b%n
  allocate (c, d)
  c%n = 3
  c = c
  d%n = 4
  d = d
  print *, c%n, d%n
end program
