! A statement function evaluates each of its arguments once.
program statement_functions
  implicit none
  integer :: calls = 0, k, twice, first
  real :: sq, poly, x, a, b
  character(4) :: both
  character(2) :: c
  sq(x) = x * x
  poly(a, b) = a * a + b * b + sq(a)
  twice(k) = k + k
  first(k, x) = k
  both(c) = c // c
  print '(f6.1)', sq(real(next()))
  print '(i3)', calls
  print '(f6.1)', poly(real(next()), real(next()))
  print '(i3)', calls
  print '(2i4)', twice(next()), twice(twice(next()))
  print '(i3)', calls
  print '(i4,i3)', first(3, real(next())), calls
  print '(a)', both('ab')
contains
  integer function next()
    calls = calls + 1
    next = calls
  end function
end program
