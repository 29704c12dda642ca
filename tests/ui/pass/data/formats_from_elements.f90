! Formats in the bytes of arrays of numbers: in a whole array, and from an element on.
program formats
  implicit none
  integer :: b(1, 3), c(0:4)
  complex :: z(2, 2)
  integer, allocatable :: d(:, :)
  character(40) :: t
  integer :: i
  b(1, 1) = 4HXXXX !~ W0333
  b(1, 2) = 4H (3I !~ W0333
  b(1, 3) = 2H4)   !~ W0333
  write (t, fmt=b(1, 2)) 1, 2, 3 !~ W0333
  print '(a)', t
  call foo(b, 3)
  z = 8h(i2)     !~ W0333
  z(1, 2) = 8h(i3) abc !~ W0333
  write (t, z) 4 !~ W0333
  print '(a)', t
  write (t, z(1, 2)) 4 !~ W0333
  print '(a)', t
  allocate (d(2, 0:1))
  d = 4h(i6) !~ W0333
  d(2, 1) = 4h(i5) !~ W0333
  do i = 0, 1
    write (t, d(2, i)) i !~ W0333
    print '(a)', t
  end do
  c = 4h(a2) !~ W0333
  c(4) = 4h(a3) !~ W0333
  t = 'xyz'
  read (t, c(4)) c(0) !~ W0333
  print '(a4)', c(0)
  if (c(0) == 0) call bar(c)
contains
  subroutine foo(a, n)
    integer, intent(in) :: n
    integer, intent(in) :: a(-1:n-4, n)
    write (t, fmt=a(-1, 2)) 5, 6 !~ W0333
    print '(a)', t
  end subroutine

  subroutine bar(a)
    integer, intent(in) :: a(*)
    write (t, fmt=a(2)) 5 !~ W0901
  end subroutine
end program
