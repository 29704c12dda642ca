! Functions of Fortran 2018 and of nvfortran that give arrays of orders, or take degrees.
program more_functions
  implicit none
  integer :: low = 0, high = 3
  real :: x = 1.5, y = 1
  double precision :: d = 0.3d0
  real, parameter :: table(3) = bessel_jn(0, 2, 1.)
  print '(4f10.6)', bessel_jn(low, high, x), bessel_yn(low, high, x)
  print '(4f10.6)', bessel_jn(n1=1, n2=2, x=1.5d0), bessel_jn(n=1, x=x), bessel_jn(2, [1., 2.])
  print '(3f10.6,i3)', table, size(bessel_jn(high, low, x))
  print '(6f10.5)', sind(x), cosd(x), tand(x), asind(y), acosd(y), atand(y)
  print '(6f10.5)', cotan(x), cotand(x), atan2d(y, x), atan2d(-1d0, -1d0), atand(y, x)
  print '(6f10.5)', dsind(d), dcosd(d), dtand(d), dasind(d), dacosd(d), datand(d)
  print '(6f10.5)', datan2d(d, 2d0), dcotan(d), dcotand(d), atan2d([1., -1.], 1.)
end program
