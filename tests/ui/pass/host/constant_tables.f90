! Named constants that are arrays of derived type: components of an element that are arrays, shapes of scalars, reductions.
program constant_tables
  implicit none
  type :: entry
    real :: x(2)
    integer :: k
  end type
  type(entry), parameter :: table(2) = [entry([1., 2.], 3), entry([3., 4.], 5)]
  integer, parameter :: empty = dot_product(shape(1), shape(2.)), none(0, 0) = reshape(shape(1), [0, 0])
  integer, parameter :: filled(2, 2) = reshape(shape(1), [2, 2], pad=[1, 2]), n = size(shape(table(1)%k))
  character(3), parameter :: words(2, 3) = reshape(['asd', 'fgh', 'qwe', 'jkl', 'ert', 'zui'], [2, 3])
  character(3), parameter :: least(3) = minval(words, dim=1, mask=words > 'g'), most(3) = maxval(words, 1, words < 'a')
  real :: room(table(2)%k)
  integer :: i = 2
  print '(8f5.1)', table(1)%x, table(2)%x(i), table(i)%x, sum(table(2)%x), table(2)%x(1:1)
  print '(5i4)', table(2)%k, table%k, size(room), n
  print '(7i4)', empty, size(none), filled
  print '(3i4,2a4,3i4)', iachar(least(1)(1:1)), len(least), len(most), least(2:3), iachar(most(:)(3:3))
end program
