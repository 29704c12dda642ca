C Outside of compute regions of OpenACC host code cannot compute with device data.
      program beside_regions
      real, device :: d(4), e(4)
      real :: h(4)
      integer :: i
      d = 1
c$acc serial loop
      do 10 i = 1, 4
        e(i) = 2*d(i)
   10 continue
      do i = 1, 4
        e(i) = e(i) + d(i)                  !~ E0541
      end do
!$acc parallel
      e(1) = e(1) + d(2)
!$acc end parallel
      e(2) = d(2) + 1                       !~ E0542
!$acc update host(h)
      e(3) = e(3)*2                         !~ E0542
      h = e
      end
