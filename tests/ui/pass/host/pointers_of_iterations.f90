! A variable with LOCAL or LOCAL_INIT has the attributes POINTER and TARGET of the variable outside (Fortran 2018, 11.1.7.5).
program pointers_of_iterations
  implicit none
  type :: item
    integer :: n = 0
  end type
  integer, target :: a(3) = [1, 2, 3], b(3) = [4, 5, 6]
  integer, pointer :: p(:), q(:), r
  type(item), pointer :: x
  type(item), target :: y = item(7)
  integer :: i, seen(3)
  p => a
  q => b
  x => y
  nullify (r)
  do concurrent (i = 1:3) local_init(p, q, x) local(r)
    seen(i) = merge(1, 0, associated(p, a) .and. associated(q, b) .and. associated(x, y)) + x%n
    r => a(i)
    seen(i) = seen(i) + 10 * r
    p => q
    seen(i) = seen(i) + 100 * p(i)
    q => null()
    nullify (x)
  end do
  print '(3i5)', seen
  print '(4l2)', associated(p, a), associated(q, b), associated(x, y), associated(r)
end program
