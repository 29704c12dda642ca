! Files and internal files of every access and form: formatted and unformatted, sequential, direct and stream; positions,
! `iostat`, `iomsg`, ends of records and of files.
program p
  implicit none
  integer :: i, n, code, a(3), u
  real :: x
  character(20) :: text, lines(3)
  character(80) :: message
  logical :: l
  open (newunit=u, status='scratch', action='readwrite')
  do i = 1, 3
    write (u, '(a, i0)') 'line ', i
  end do
  rewind u
  read (u, '(a)') text
  print '(a)', trim(text)
  read (u, '(5x, i1)') n
  print '(i0)', n
  backspace u
  read (u, *) text, n
  print '(a, 1x, i0)', trim(text), n
  read (u, *)
  read (u, *, iostat=code, iomsg=message) text
  print '(2l2)', is_iostat_end(code), len_trim(message) > 0
  backspace u
  read (u, *, end=10) text
  print '(a)', 'not here'
10 backspace u
  backspace u
  read (u, '(a)', advance='no', size=n, eor=20) text
20 print '(i0)', n
  close (u)
  open (newunit=u, form='unformatted', status='scratch')
  write (u) 1, 2.5, .true.
  write (u) [10, 20, 30]
  rewind (u)
  read (u) i, x, l
  read (u) a
  print '(i0, f5.1, l2, 3i3)', i, x, l, a
  close (u)
  open (newunit=u, access='direct', recl=12, form='unformatted', status='scratch')
  do i = 1, 4
    write (u, rec=i) i, i*i, i**3
  end do
  read (u, rec=3) a
  print '(3i4)', a
  read (u, rec=1) a(1)
  print '(3i4)', a
  close (u)
  open (newunit=u, access='stream', form='unformatted', status='scratch')
  write (u) 'abcdef'
  write (u, pos=3) 'XY'
  read (u, pos=1) text(1:6)
  inquire (u, pos=n)
  print '(a, 1x, i0)', text(1:6), n
  close (u)
  write (text, '(i5, f8.3)') 42, 3.14159
  print '(a)', text
  write (lines, '(a)') 'one', 'two', 'three'
  print '(3a6)', lines(1)(1:6), lines(2)(1:6), lines(3)(1:6)
  text = '7, 8.5 word'
  read (text, *) n, x, lines(1)
  print '(i0, f5.1, 1x, a)', n, x, trim(lines(1))
  text = '1x2'
  read (text, '(i1, 1x, i1)') a(1), a(2)
  print '(2i2)', a(1:2)
  text = 'abc'
  read (text, *, iostat=code) n
  print '(l2)', code > 0
  read (text, *, err=30) n
  print '(a)', 'not here'
30 open (newunit=u, file='/no/such/folder/file', iostat=code)
  print '(l2)', code /= 0
end program
