! A function that is only declared `external` has the type of its name by IMPLICIT (Fortran 2018, 8.7).
program p
  external f, g, k
  print *, f(1.0), g(2.0) !~ E0416
  call use_of(k)
end program
integer function f(x)
  f = int(x) + 3
end function
real function g(x)
  g = x
end function
real function k(x)
  k = x
end function
subroutine use_of(k)
  real, external :: k
  print *, k(2.0)
end subroutine
