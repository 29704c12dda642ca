! Hollerith edit descriptors keep their characters as they are.
program hollerith
  integer :: i
  i = 5
  print 10, i
10 format (6hhello ,i3)
  print 20
20 format (11hHello World)
  print 30, i, i
30 format (1x,3hA,B,i2,4h/(') ,i2)
  print '(5hAb Cd,i2)', i
  print 40, 1.5
40 format (2h ',f4.1,1h')
end program
