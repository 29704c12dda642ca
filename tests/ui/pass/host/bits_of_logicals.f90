! A logical that gets an integer keeps its bits, and its value is that of the lowest one, as in nvfortran; constants do what
! variables do.
program main
  implicit none
  logical :: one = 1, two = 2, listed(2) = [1, 4], given, data_given(2)
  logical, parameter :: odd = 3, even = 6
  integer :: n
  data given /1/, data_given /2*5/
  print *, transfer(one, n), transfer(two, n), transfer(listed, [n]), transfer(given, n), transfer(data_given, [n])
  print *, one, two, listed, given, data_given, odd, even
  one = 7
  two = 8
  print *, transfer(one, n), transfer(two, n), one, two
  n = 7
  one = n
  n = 8
  two = n
  print *, transfer(one, n), transfer(two, n), one, two
  print *, rshift(-8, 1), rshift(-1_1, 7), lshift(-1, 1)
  n = -8
  print *, rshift(n, 1), rshift([n, 8], 2)
end program
