! The name of a subroutine, or of a function with RESULT, has no type of its own in it (Fortran 2018, 15.6.2.2, 15.6.2.3, C1560).
subroutine s
  real :: s        !~ E0229
end subroutine
function f() result(r)
  real :: f        !~ E0229
  real :: r
  r = 1
end function
function g()
  real :: g
  g = 1
end function
program p
  real, external :: f, g
  print *, f(), g()
  print *, cshift([1, 2, 3], [1, 2])  !~ E0412
end program
