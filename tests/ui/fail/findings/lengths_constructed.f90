! A component of a constructor with another length than its declaration.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 1
  end type
  type :: table(n)
    integer, len :: n
    type(row(n)) :: rows(2)
  end type
  type(row(:)), allocatable :: b
  type(table(:)), allocatable :: t
  allocate(row(3) :: b)
  t = table(3)(b)
  print *, t%rows%n
  t = table(2)(b) !~ R0822
end program
