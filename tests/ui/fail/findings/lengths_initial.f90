! A default value that does not have the shape which the length of the object gives the component.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    integer :: a(n) = [1, 2, 3] !~ R0814
  end type
  type(row(:)), allocatable :: x
  allocate(row(3) :: x)
  print *, x%a
  deallocate(x)
  allocate(row(4) :: x)
end program
