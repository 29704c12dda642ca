! In namelist input a component of an array of objects is an array: its elements take the values in order (Fortran 2018, 13.11.3.3,
! 9.4.2). An element alone stands for itself and all that follow, as compilers have it.
program main
  implicit none
  type :: mesh
    real :: len(3) = 1
  end type
  type(mesh) :: m(3), one
  real :: x(4) = 1
  character(40) :: text(3) = [character(40) :: '&g', 'm%len(1) = 10, 20, 30', '/']
  namelist /g/ m, one, x
  read (text, nml=g)
  print '(9f6.1)', m
  m = mesh()
  text(2) = 'm(2:3)%len(2) = 5, 6'
  read (text, nml=g)
  print '(9f6.1)', m
  text(2) = 'one%len(2) = 7, 8, x(3) = 9, 10'
  read (text, nml=g)
  print '(7f6.1)', one, x
end program
