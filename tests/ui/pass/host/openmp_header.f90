! The functions of OpenMP by the header omp_lib.h.
program openmp_header
  implicit none
  include 'omp_lib.h'
  call omp_set_num_threads(4)
  print *, omp_get_max_threads(), omp_get_num_threads(), omp_get_thread_num(), omp_get_num_procs()
  print *, omp_in_parallel(), omp_get_wtick() > 0, omp_get_wtime() > 0, openmp_version
end program
