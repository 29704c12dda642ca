! A reference makes a name that of a function, which may then be an argument without EXTERNAL (Fortran 2018, 19.5.1.4).
program function_by_reference
  integer threefold
  real cos
  print *, threefold(1)
  call apply(threefold)
  print *, twice(2.0)
  call apply_real(twice)
  print '(f7.4)', cos(0.0)
  call apply_real(cos)
end program

subroutine apply(f)
  external f
  integer f
  print *, f(5)
end subroutine

subroutine apply_real(f)
  external f
  real f
  print '(f7.4)', f(0.5)
end subroutine

integer function threefold(i)
  threefold = i*3
end function

real function twice(x)
  twice = x*2
end function
