! An assignment to an object of a parameterised derived type with another length.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n)
  end type
  type(row(3)) :: a
  type(row(:)), allocatable :: b
  allocate(row(4) :: b)
  b%x = 1
  a%x = 2
  b = a
  print *, b%n
  deallocate(b)
  allocate(row(4) :: b)
  b%x = 1
  a = b !~ R0822
end program
