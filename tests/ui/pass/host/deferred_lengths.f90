! Assignment to a character of deferred length from an expression that uses it.
program deferred_lengths
  implicit none
  character(:), allocatable :: a, v(:)
  a = 'abcd'
  a = (a(2:2))
  print '(i3,3a)', len(a), '[', a, ']'
  a = 'abcd'
  a = (a)
  print '(i3,3a)', len(a), '[', a, ']'
  a = a(2:3)
  print '(i3,3a)', len(a), '[', a, ']'
  a = (a) // (a)
  print '(i3,3a)', len(a), '[', a, ']'
  a = merge(a, a(1:4), .true.)
  print '(i3,3a)', len(a), '[', a, ']'
  a = (trim((a(1:2))))
  print '(i3,3a)', len(a), '[', a, ']'
  a = ((a(1:0)))
  print '(i3,3a)', len(a), '[', a, ']'
  allocate (character(3) :: v(2))
  v = ['abc', 'def']
  v = (v(2:1:-1))
  print '(i3,2a4)', len(v), v
  v = v(:)(2:3)
  print '(i3,2a4)', len(v), v
end program
