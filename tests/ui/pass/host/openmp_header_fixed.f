C     The header in fixed form.
      program p
      implicit none
      include 'omp_lib.h'
      print *, omp_get_max_threads(), omp_get_num_procs()
      end
