! READ into the parts with run-time lengths of each object of an array, and intrinsic subroutines that change them.
program p
  implicit none
  type :: line(n)
    integer, len :: n
    integer :: k(n) = 0
    real :: x(n) = 1
    character(n) :: name = ''
  end type
  type(line(:)), allocatable :: r(:), t(:, :)
  integer :: i, j, status, values(8)
  character(12) :: text
  allocate (line(3) :: r(2), t(2, 2))
  text = '5 6 7 8 9'
  read (text, *) r%x(2), r(2:1:-1)%x(3)
  print '(3f5.1)', (r(i)%x, i = 1, 2)
  read (text, *) i, r%k(i - 4), r(1)%k(2)
  print '(3i4)', (r(i)%k, i = 1, 2)
  text = 'abcdefgh'
  read (text, '(2a3)') r%name
  print '(2a)', r%name
  read (text, '(2a1)') r%name(2:2)
  print '(2a)', r%name
  text = '1 2 x 4'
  read (text, *, iostat=status) t%x(1)
  print '(4f5.1, l2)', ((t(i, j)%x(1), i = 1, 2), j = 1, 2), status > 0
  call random_number(r%x(1))
  print '(2l2, 2f4.1)', r%x(1) >= 0 .and. r%x(1) < 1, r%x(2)
  write (r%name, '(i3)') 12, 345
  print '(4a)', '[', r%name, ']'
  read (r%name, *) r%k(3)
  print '(2i4)', r%k(3)
  r%k(2) = 0
  call mvbits([7, 5], 0, 2, r%k(2), 1)
  print '(2i4)', r%k(2)
  call mvbits(r%k(2), 1, 2, r%k(2), 3)
  print '(2i4)', r%k(2)
  print '(2l2)', is_contiguous(r%x(1)), is_contiguous(r(2:2)%x(1))
  block
    type(line(2)) :: many(8)
    call date_and_time(values=many%k(2))
    print '(l2)', many(1)%k(2) > 2000
    call random_seed(put=many%k(2))
    call random_seed(get=many%k(1))
  end block
  associate (y => r(1)%x)
    y = y + 1
  end associate
  print '(l2)', r(1)%x(1) >= 1
end program
