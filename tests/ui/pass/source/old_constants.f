C     The same in fixed form, where blanks mean nothing.
      program consts
      integer b
      real*4 b4, c
      do 10 b = 1, 2
   10 continue
      b4 = 1
      i = 1 7 b
      if (i < > 1) print *, i, b, b4
      j = 'AB'H !~ W0333
      c = "AB"h !~ W0333
      print *, j .eq. 2HAB !~ W0333
      print *, len('a
     1b'c)
      print 20, 'x'
   20 format (' a', 1 hh, a)
      end
