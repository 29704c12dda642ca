! run: -Mcuda=emu
! A `.F90` file with CUDA Fortran on is preprocessed: `_CUDA` chooses the lines.
program p
#ifdef _CUDA
  use cudafor
  integer, device :: d(4)
  d = 3
  print *, 'on the device', sum(d)
#else
  print *, 'on the host'
#endif
end program
