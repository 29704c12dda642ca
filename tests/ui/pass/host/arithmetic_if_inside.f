C     An arithmetic IF may be the statement of an IF.
      integer i, k
      logical l
      l = .false.
      i = -1
      if (l) if (i) 999,999,999
      l = .true.
      do 50 k = -1, 1
      if (l) if (k) 10,20,30
   10 print *, 'less'
      go to 50
   20 print *, 'zero'
      go to 50
   30 print *, 'more'
   50 continue
      stop
  999 print *, 'wrong'
      end
