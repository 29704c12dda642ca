! SIGN=, DECIMAL=, ROUND=, BLANK=, DELIM= and PAD= of READ and WRITE hold for that statement.
program changeable_modes
  implicit none
  character(60) :: line
  character(5) :: word
  real :: x, y
  integer :: i, j
  character(8) :: mode
  write (line, '(f6.2)', decimal='comma') 1.5
  print '(a)', trim(line)
  write (line, '(i5,f6.2)', sign='plus') 12, 1.5
  print '(a)', trim(line)
  write (line, *, decimal='comma') 1.5, 2.5
  print '(l2)', index(line, ';') > 0 .and. index(line, ',') > 0
  write (line, *, delim='quote') 'text'
  print '(a)', trim(adjustl(line))
  write (line, *, delim='apostrophe') 'it''s'
  print '(a)', trim(adjustl(line))
  write (line, '(2f5.1)', round='up') 1.12, -1.18
  print '(a)', trim(line)
  write (line, '(2f5.1)', round='down') 1.18, -1.12
  print '(a)', trim(line)
  write (line, '(2f5.1)', round='zero') 1.18, -1.18
  print '(a)', trim(line)
  line = '1,5;2,5'
  read (line, *, decimal='comma') x, y
  print '(2f6.2)', x, y
  line = '  1,5  2,5'
  read (line, '(f5.0,f5.0)', decimal='comma') x, y
  print '(2f6.2)', x, y
  line = '1 2 3 '
  read (line, '(i3,i3)', blank='zero') i, j
  print '(2i6)', i, j
  read (line, '(i3,i3)', blank='null') i, j
  print '(2i6)', i, j
  open (10, status='scratch', form='formatted')
  write (10, '(f6.2)', decimal='comma', sign='plus') 1.5
  write (10, '(f6.2)') 1.5
  write (10, '(a)') 'ab'
  rewind (10)
  read (10, '(a)') line
  print '(a)', trim(line)
  read (10, '(a)') line
  print '(a)', trim(line)
  word = 'xxxxx'
  read (10, '(a5)', pad='yes') word
  print '(3a)', '[', word, ']'
  close (10)
  open (10, status='scratch', decimal='comma')
  write (10, '(f6.2)') 1.5
  write (10, '(f6.2)', decimal='point') 1.5
  mode = 'point'
  write (10, '(f6.2)', decimal=mode) 2.5
  write (10, '(f6.2)') 1.5
  rewind (10)
  do i = 1, 4
    read (10, '(a)') line
    print '(a)', trim(line)
  end do
  close (10)
end program
