! run: -Mfixed -Mcuda=cc80
C     Directives and the sentinel in fixed form, with continuation lines.
      program p
!@cuf use cudafor
!@cuf integer, device :: d(4)
      integer h(4)
      h = 0
c$cuf kernel do <<<*, *>>>
      do i = 1, 4
        d(i) = i
      end do
!$cuf kernel do
!$cuf+<<<*, *>>>
      do i = 1, 4
        d(i) = d(i) + i
      end do
!@cuf h = d
      print *, h
      end
