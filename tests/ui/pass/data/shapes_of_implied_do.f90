! The length of SHAPE= of RESHAPE is known where it is an implied DO over arrays, an expression of arrays, or a shape.
program shapes_of_implied_do
  implicit none
  integer :: i
  integer, parameter :: two(2) = 2
  integer, parameter :: a(*, *) = reshape([1, 2, 3, 4], [(two*i, i=1, 1)])
  integer :: b(2, 2)
  b = reshape([4, 3, 2, 1], shape(a))
  print '(4i3)', a, b, reshape([1, 2, 3, 4], two + 0), reshape([5, 6], [(i, i=1, 2)])
end program
