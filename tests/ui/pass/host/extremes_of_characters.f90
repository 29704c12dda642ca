! MAXVAL and MINVAL of characters along a dimension.
program extremes_of_characters
  implicit none
  character(3) :: a(2, 3), row(3)
  character(3), allocatable :: none(:, :)
  integer :: dim
  a = reshape(['one', 'two', 'six', 'ten', 'ate', 'nil'], [2, 3])
  row = maxval(a, dim=1)
  print *, row, ' ', maxval(a, 2), ' ', minval(a, dim=2)
  print *, minval(a, 1, mask=a > 'b'), ' ', maxval(a, a < 'o')
  do dim = 1, 2
    print *, size(maxval(a, dim)), minval(maxval(a, dim))
  end do
  print *, maxval(a(:, 1:2)//a(:, 2:3), dim=1)
  allocate (none(0, 2))
  print *, iachar(maxval(none, dim=1)), iachar(minval(none, dim=1))
end program
