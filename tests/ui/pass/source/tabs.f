C     Tabs in fixed form: one column each. Text behind column 72 is no part of the statement. A literal that goes on has the
C     blanks up to the end of the statement field.
      program tabs
      character(160) :: s
      integer :: i
	i = 2                                                                  TB000010
  10	i = i +                                                            TB000020
	1 3
      print *, i
      s =
     1	'abc
     2def'
      print *, index(s, 'd')
	s = 'abc
	1def'
      print *, index(s, 'd')
      s = 'abc
&ghi
     1def'
      print *, index(s, 'g'), index(s, 'd')
      i = 1 +
	    ! a comment behind a tab and four blanks
!@cuf ! a comment in a line for CUDA Fortran
		
     !    2
      print *, i
      write (*, 20)
   20 format (' [',67hthis Hollerith constant goes on beyond	the line
     1and ends here    ,']')
      end
