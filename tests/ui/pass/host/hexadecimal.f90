! EX editing, and numbers with hexadecimal digits in input (Fortran 2018, 13.7.2.3.6, 13.7.2.3.2).
program p
  implicit none
  real :: x
  real(8) :: y
  character(40) :: text
  write (*, '(ex12.4, 1x, ex0.0, 1x, ex14.3e4)') 1.5, 0.1d0, -1e-5
  write (*, '(sp, ex0.2, 1x, ex10.1, dc, 1x, ex0.1)') 1.0, 0.0, 0.999
  write (text, '(ex0.0)') acos(-1.0d0)
  read (text, '(ex40.0)') y
  print *, y == acos(-1.0d0)
  text = '-0X1.8P+1 0xap-1'
  read (text, *) x, y
  print *, x, y
  text = '  0X1P-3'
  read (text, '(f8.2)') x
  print *, x
end program
