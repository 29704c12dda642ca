! Initial values between slashes behind declared names, as older programs have them.
program slash_values
  implicit none
  integer i/5/, j, k(4)/1, 2*7, 3/, m(2, 2)/4*9/
  real x/1.5/, y /-2.5e1/
  logical yes/.true./
  character*5 word/'hello'/, two(2)*3/'abc', 'de'/
  complex z/(1., -2.)/
  double precision d/1d-3/
  integer counter
  j = 3
  print '(7i4)', i, j, k
  print '(4i4)', m
  print '(2f7.2,l2)', x, y, yes
  print '(5a)', word, '|', two(1), two(2), '|'
  print '(2f5.1,f8.4)', z, d
  print '(2i3)', counter(), counter()
end program

integer function counter()
  integer n/10/
  n = n + 1
  counter = n
end function
