! The preprocessor follows the directives too.
#define c 5
program form
  implicit none
  integer :: i
  i = c
!dir$ fixed
c     this c is a comment, and don't is no literal
      i = i +
     #  1 + c
      print *, i
!dir$ free
  print *, &
c
!dir$ freedom is another directive
  print *, i
end program
