! DATA of elements, sections with any stride, subscript lists and whole arrays, in parts and out of order.
program p
  implicit none
  integer :: a(10), b(-1:1,3), c(4), d(5), i
  data a(1:3) /1, 2, 3/, a(10:5:-2) /10, 8, 6/, a(4) /4/
  data a(5:9:2) /3*-1/
  data b(:,1) /1, 2, 3/, b(0,2:3) /7, 8/, b(1:-1:-2,3) /9, 10/
  data c([4, 2]) /40, 20/
  data (d(i), i = 1, 5, 2) /1, 3, 5/
  print '(10i4)', a
  print '(3i4)', b
  print '(4i4)', c
  print '(5i4)', d
end program
