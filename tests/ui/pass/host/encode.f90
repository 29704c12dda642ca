! ENCODE and DECODE: output to memory and input from it, as DEC had them.
program p
  implicit none
  character(20) :: s
  character(4) :: texts(3)
  integer :: k(5), i, j, status
  real :: x
  s = repeat('#', 20)
  encode (10, '(i4,f6.2)', s) 42, 2.5
  print *, '[', s, ']'
  encode (10, 100, s, iostat=status) 7, 1.25
100 format (i4, f6.2)
  print *, '[', s, ']', status
  decode (10, 100, s) i, x
  print *, i, x
  encode (8, '(a8)', k) 'abcdefgh'
  print '(5a4)', k(1:2)
  decode (4, '(a4)', k(2)) j
  print '(a4)', j
  encode (8, '(a8/a8)', k) 'ABCDEFGH', 'ijklmnop'
  print '(a)', transfer(k(1:4), repeat(' ', 16))
  texts = '----'
  encode (4, '(i4)', texts(1:3:2)) 12
  print *, texts
  s = 'abcd'
  decode (4, '(i4)', s, err=1) i
  print *, 'not here'
1 print *, 'behind'
end program
