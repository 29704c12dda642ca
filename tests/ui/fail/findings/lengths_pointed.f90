! A pointer whose length parameter is declared, and a target with another one.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 1
  end type
  type(row(3)), pointer :: a
  type(row(:)), pointer :: b
  nullify(b)
  a => b
  allocate(row(3) :: b)
  a => b
  print *, a%n
  allocate(row(4) :: b)
  a => b !~ R0822
end program
