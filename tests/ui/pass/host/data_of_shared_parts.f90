! DATA gives parts of the same memory by two names, numbers and characters (Fortran 2018, 8.6.7).
block data values
  common /f/ numbers(4), more(2)
  integer numbers, more
  character*4 text(4), both(2)
  equivalence (numbers, text), (more, both)
  data (numbers(i), i=1,2) /1,2/, (text(i), i=3,4) /'ab','cd'/
  data both(2)(2:3) /'xy'/, more(1) /7/
end block data

program main
  common /f/ numbers(4), more(2)
  integer numbers, more
  character*4 tail
  equivalence (tail, more(2))
  print *, numbers(1:2), more(1)
  print '(2a4,3a)', numbers(3:4), '[', tail, ']'
end program
