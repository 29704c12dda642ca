! run: --no-cuda
! Without CUDA `_CUDA` is not defined, and lines for CUDA are comments.
program p
  !@cuf use cudafor
  implicit none
  integer :: i
  real :: a(4)
  !@cuf attributes(managed) :: a
  !@cuf integer :: istat
  !$cuf kernel do <<<*, *>>>
  do i = 1, 4
    a(i) = real(i)
  end do
  !@cuf istat = cudaDeviceSynchronize()
#ifdef _CUDA
  print *, 'CUDA', sum(a)
#else
  print *, 'host', sum(a)
#endif
end program
