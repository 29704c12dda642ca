! Modes of a connection and of input, and where a statement without advance leaves its file (Fortran 2018, 12.3.4, 12.5.6.1, 12.6.2, 13.7.2).
program p
  use iso_fortran_env
  implicit none
  character(12) :: a, b, c, d, e, f
  character(4) :: no = 'No', yes = 'YeS', t
  character(6) :: bad = 'maybe', delete = 'Delete'
  character(10) :: text
  integer :: at, n, ios
  real :: up, down
  real(8) :: x

  ! OPEN of a connected unit changes the modes that it names.
  open (10, status='scratch', decimal='comma', delim='quote', blank='zero', sign='plus', round='up', pad='no')
  open (10, delim='apostrophe')
  inquire (10, decimal=a, delim=b, blank=c, sign=d, round=e, pad=f)
  print '(6a)', a, b, c, d, e, f
  close (10)

  ! POS= leaves the record in which the last statement stands; INQUIRE knows the place in it.
  open (10, status='scratch', access='stream', form='formatted')
  write (10, '(a)') 'abcdefgh', 'ijklmnop'
  rewind 10
  read (10, '(a2)', advance='no') t
  inquire (10, pos=at)
  print '(a, i3)', t, at
  read (10, '(a4)', pos=1) t
  print '(a)', t
  write (10, '(a)', advance='no', pos=19) 'xyz'
  inquire (10, pos=at)
  print '(i3)', at
  read (10, '(a)', pos=10) t
  print '(a)', t
  close (10)

  ! The rounding mode is that of input too.
  text = '0.1'
  read (text, '(ru, f10.0)') up
  read (text, '(rd, f10.0)') down
  print '(l1, es12.4)', up > down, up - down
  read (text, *, round='zero') up
  print '(l1)', up == down
  text = '-0.1'
  read (text, '(rz, f10.0)') up
  print '(l1)', up == -down
  text = '16777217'
  read (text, '(rn, f10.0)') down
  read (text, '(rc, f10.0)') up
  print '(2f12.1)', down, up

  ! Blanks that are no zeros.
  text = '93E -7'
  read (text, '(bz, f6.0)') x
  print '(es10.3)', x
  text = 'inf  '
  read (text, '(bz, f5.0)') x
  print '(l1)', x > huge(x)
  text = '-nan(1)  '
  read (text, '(f9.0)', blank='zero') x
  print '(l1)', x /= x
  text = '1 2'
  read (text, '(bz, f4.0)') x
  print '(f7.1)', x

  ! The end of a record that is not padded.
  open (10, status='scratch')
  write (10, '(a)') 'abc', '12'
  rewind 10
  read (10, '(a5)', advance='no', pad='no', size=n, iostat=ios) text
  print '(l1)', ios == iostat_eor
  read (10, '(a2)') text
  print '(a)', text
  close (10)

  ! Words of any case, and others.
  open (10, status='scratch')
  write (10, '(a)', advance=no) 'ab'
  write (10, '(a)', advance=yes) 'cd'
  write (10, '(a)', advance=bad, iostat=ios) 'ef'
  print '(l1)', ios > 0
  rewind 10
  read (10, '(a)') t
  print '(a)', t
  close (10, status=delete)
end program
