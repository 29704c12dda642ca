! A scalar division in a WHERE is done only for the elements that are assigned.
program where_scalars
  implicit none
  integer :: n(4) = [5, 6, 7, 8], zero = 0, two = 2, calls = 0
  real :: x(4) = [1, -2, 3, -4]
  where (x > 10) n = 1/zero + 2
  print '(4i4)', n
  where (x > 0)
    n = n*(6/two) + mod(7, two)
  elsewhere (x < -10)
    n = mod(n, zero) + modulo(3, zero)
  elsewhere
    n = 6/two
  end where
  print '(4i4)', n
  ! A function is called once, whatever the mask says.
  where (x > 0) n = 100/count_calls() + n
  print '(5i4)', n, calls
contains
  integer function count_calls()
    calls = calls + 1
    count_calls = 5
  end function
end program
