! SIZE, SHAPE, LBOUND and UBOUND of constant expressions in constant expressions.
program main
  implicit none
  integer :: k
  integer, parameter :: a = size([(3*k, k=1, 5)]), b = size(reshape([1, 2, 3, 4, 5, 6], [2, 3]), 2)
  integer, parameter :: list(2, 0:3) = reshape([(k, k=1, 8)], [2, 4]), c = size(list + 1), d = size(cshift(list, 1), 2)
  integer, parameter :: low(2) = lbound(-list), high(2) = ubound(-list), last = ubound(list + 1, 2), form(1) = shape([1, 2])
  print *, a, b, c, d
  print *, low, high, last, form, lbound(list), ubound(list)
end program
