# 1 "somewhere.F90"
# 1 "<built-in>"
! Lines that a preprocessor leaves are comments where the file is not preprocessed.
program line_markers
  implicit none
  print '(a)', 'one'
# 7 "somewhere.F90" 2
  print '(a)', 'two'
end program
