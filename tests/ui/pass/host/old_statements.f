! Forms of old programs: VOLATILE of a COMMON block, one subscript in EQUIVALENCE, IF with two labels, `&` before labels.
      program old
      common /c/ i, j
      volatile /c/
      real a(3,4), b(12), c(0:1,2)
      character*4 words(2,2)
      character*2 part
      equivalence (a(5), b(1)), (c(3), x), (words(3)(2:3), part)
      i = 1
      j = 2
      print *, i, j
      a = 0
      b(1) = 7
      c = 0
      x = 3
      words = ' '
      part = 'xy'
      print *, a(2,2), a(1,2), c, words
      do 40 k = -1, 1
      if (k) 10, 20
   10 print *, k, 'is not zero'
      goto 40
   20 print *, k, 'is zero'
   40 continue
      if (i .eq. 1) if (j-2) 50, 60
      print *, 'never'
   50 print *, 'never'
   60 if (i .eq. 1) 70, 80
   70 print *, 'true'
   80 continue
      do 130 k = 1, 3
      call leave(&100, *110, k)
      print *, 'straight on'
      goto 130
  100 print *, 'hundred'
      goto 130
  110 print *, 'hundred and ten'
  130 continue
      end

      subroutine leave(*, *, k)
      return k
      end
