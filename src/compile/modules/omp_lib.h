! omp_lib.h: the functions of OpenMP that need no module.
! Module omp_lib has all.
      integer, parameter :: openmp_version = 202011
      integer, parameter :: omp_lock_kind = 8, omp_nest_lock_kind = 8
      external omp_get_wtime, omp_get_wtick, omp_get_thread_num
      external omp_get_num_threads, omp_get_max_threads
      external omp_get_num_procs, omp_in_parallel, omp_set_num_threads
      real(8) :: omp_get_wtime, omp_get_wtick
      integer :: omp_get_thread_num, omp_get_num_threads
      integer :: omp_get_max_threads, omp_get_num_procs
      logical :: omp_in_parallel
