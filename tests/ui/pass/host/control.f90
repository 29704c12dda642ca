! Control of the host program: `block`, `associate`, `select case` of every type, `where` in all forms, `do concurrent`, loops
! of all kinds with names and labels, `exit` from a block, `goto`, computed GO TO and arithmetic IF.
program p
  implicit none
  integer :: i, j, n, w(4), a(3,3)
  real :: x
  character(5) :: c
  block
    integer :: i
    i = 4
    n = i
  end block
  associate (k => n, y => 2*n)
    k = k + 1
    print '(2i4)', n, y
  end associate
  do i = 2, 10, 4
    select case (i)
    case (:3)
      print '(a)', 'low'
    case (4:6, 9)
      print '(a)', 'middle'
    case default
      print '(a)', 'high'
    end select
  end do
  c = 'abc'
  select case (c)
  case ('abb', 'abd':)
    print '(a)', 'another'
  case ('abc')
    print '(a)', 'character'
  end select
  select case (n > 3)
  case (.true.)
    print '(a)', 'logical'
  end select
  w = [1, -2, 3, -4]
  where (w > 0)
    w = 10*w
  elsewhere (w < -3)
    w = 0
  elsewhere
    w = -w
  end where
  print '(4i4)', w
  where (w == 2) w = 7
  do concurrent (i = 1:4, w(i) > 8)
    w(i) = w(i)/10
  end do
  print '(4i4)', w
  do concurrent (integer :: q = 1:3, r = 1:3)
    a(q, r) = 10*q + r
  end do
  print '(9i4)', a
  outer: do i = 1, 3
    do n = 1, 3
      if (n == 2) cycle outer
      if (i == 3) exit outer
    end do
  end do outer
  print '(2i4)', i, n
  named: block
    if (i == 3) exit named
    print '(a)', 'not here'
  end block named
  n = 0
  do 10 i = 1, 2
    do 10 j = 1, 2
      n = n + 1
10 continue
  print '(3i4)', i, j, n
  i = 0
20 i = i + 1
  if (i < 3) goto 20
  goto (30, 40), i - 1
30 print '(a)', 'not here'
40 print '(a, i4)', 'computed', i
  if (i - 3) 50, 60, 50
50 print '(a)', 'not here'
60 x = 0
  do while (x < 2)
    x = x + 0.5
  end do
  n = 0
  do
    n = n + 1
    if (n > 6) exit
  end do
  do i = 10, 1, -4
    n = n + i
  end do
  print '(f4.1, 2i4)', x, n, i
  if (n < 0) then
    print '(a)', 'not here'
  else if (n == 25) then
    print '(a)', 'twenty-five'
  else
    print '(a)', 'not here'
  end if
end program
