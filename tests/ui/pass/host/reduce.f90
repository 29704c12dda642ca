! REDUCE: a function of the program combines the elements of an array, in array element order (Fortran 2018, 16.9).
module operations
  implicit none
  type :: pair
    integer :: least, most
  end type
contains
  pure integer function add(a, b)
    integer, intent(in) :: a, b
    add = a + b
  end function
  pure integer function digits_of(a, b)
    integer, value :: a, b
    digits_of = 10 * a + b
  end function
  pure function differing(a, b) result(c)
    character(3), intent(in) :: a, b
    character(3) :: c
    integer :: i
    c = a
    do i = 1, 3
      if (a(i:i) /= b(i:i)) c(i:i) = '!'
    end do
  end function
  pure function hull(a, b) result(c)
    type(pair), intent(in) :: a, b
    type(pair) :: c
    c = pair(min(a%least, b%least), max(a%most, b%most))
  end function
  elemental complex function times(a, b)
    complex, intent(in) :: a, b
    times = a * b
  end function
  pure logical function differs(a, b)
    logical, intent(in) :: a, b
    differs = a .neqv. b
  end function
end module

program reduce_arrays
  use operations
  implicit none
  integer :: v(4) = [1, 2, 3, 4], m(3, 2) = reshape([1, 2, 3, 4, 5, 6], [3, 2]), i
  logical :: keep(4) = [.true., .false., .true., .true.]
  character(3) :: c(3) = ['abc', 'abd', 'aec']
  type(pair) :: p(3) = [pair(3, 4), pair(1, 2), pair(5, 9)], q
  print '(4i6)', reduce(v, add), reduce(v, digits_of), reduce(v(4:1:-1), digits_of), reduce(v * 2, add)
  print '(3i6)', reduce(v, add, dim=1), reduce(v, add, 1), reduce(m, add)
  print '(2i6)', reduce(m, digits_of, 1)
  print '(3i6)', reduce(m, digits_of, dim=2)
  print '(3i6)', reduce(v, digits_of, keep), reduce(v, digits_of, mask=keep, identity=7), reduce(v, add, keep, 7, .true.)
  print '(3i6)', reduce(v, add, v > 9, identity=-1), reduce(v, add, mask=.true.), reduce(v(:1), digits_of)
  print '(2i6)', reduce(m, digits_of, 1, m > 2, identity=9)
  print '(2a4)', reduce(c, differing), reduce(c(:2), differing)
  q = reduce(p, hull)
  print '(2i6)', q
  print '(2f6.1)', reduce([(1.0, 1.0), (0.0, 2.0)], times)
  print '(l2)', reduce(keep, differs)
  print '(2i6)', reduce([(reduce(v(:i), add), i = 1, 3)], digits_of), size(reduce(m, add, 2))
  print '(i6)', own(3)
contains
  recursive integer function own(n) result(total)
    integer, intent(in) :: n
    total = n
    if (n > 1) total = reduce([n, own(n - 1)], add)
  end function
end program
