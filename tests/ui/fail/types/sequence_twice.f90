! SEQUENCE stands once in the definition of a type (Fortran 2018, C734).
program main
  type pair
    sequence
    integer :: a
    sequence !~ E0115
    integer :: b
  end type
  type(pair) :: p = pair(1, 2)
  print *, p%a, p%b
end program
