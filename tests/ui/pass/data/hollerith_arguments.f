! Hollerith constants as arguments of procedures without an interface, as operands and in lists of output.
      program hollar
      integer k
      integer*8 j
      real*8 d
      external words
      logical same
      call words(9hHELLO YOU, 3) !~ W0333
      call words(3habc, 1) !~ W0333
      call one(4hwxyz, 8habcdefgh, 2hlo, 5hchars) !~ W0333, W0333, W0333
      k = 4habcd !~ W0333
      if (k.eq.4habcd) print *, 'same' !~ W0333
      same = k.lt.4hbbcd .or. 4h     >k !~ W0333, W0333
      write(6,'(a5,l2)')5hhello, same
      print *, 3h1.5, [2hab, 2hcd]
      j = iand(k, k) + 0
      d = 8hreal   8 !~ W0333
      write(6,'(a4,a8)') j, d
      end

      subroutine words(iarray, n)
      integer iarray(n)
      write(6, '(4(z8," "))') (iarray(i), i = 1, n)
      end

      subroutine one(i, j, l, c)
      integer i
      integer*8 j
      real l
      character*(*) c
      write(6, '(a4,a8,a4,a)') i, j, l, c
      end
