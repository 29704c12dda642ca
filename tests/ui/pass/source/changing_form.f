C     Directives that change the source form: they hold up to the end of the file or the next one.
      program form
      i = 1
!DIR$ FREE
  i = i + &
   2 ! continued by an ampersand
 print *, i
!dir$ fixed
      PRINT *,
     1 I
CDIR$ FREE
 !dir$ free
block; integer :: j
j = 7
print *, j; end block
  !DIR$ Fixed
* a comment
      e n d
