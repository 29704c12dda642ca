! DATA gives pointers targets, and components that are pointers.
program data_pointers
  implicit none
  type box
    integer :: n
    integer, pointer :: p
  end type
  integer, target, save :: i = 5, k = 8
  type(box), save :: a, c, b(2)
  integer, pointer :: q, none
  data a%p / i /, a%n / 3 /
  data c%p / null() /
  data q / k /, none / null() /
  i = 6
  print '(3i3)', a%p, q, a%n
  print '(4l2)', associated(none), associated(c%p), associated(q, k), associated(a%p, i)
end program
