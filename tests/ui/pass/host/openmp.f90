! OpenMP on one thread: directives are comments, and module omp_lib says so.
program openmp
  use omp_lib
  implicit none
  integer :: i, total
  integer(omp_lock_kind) :: lock
  real(8) :: start
  start = omp_get_wtime()
  call omp_set_num_threads(4)
  total = 0
  !$omp parallel do reduction(+:total)
  do i = 1, 100
    total = total + i
  end do
  !$ total = -1
  print *, total, omp_get_thread_num(), omp_get_num_threads(), omp_get_max_threads(), omp_in_parallel()
  call omp_init_lock(lock)
  call omp_set_lock(lock)
  print *, omp_test_lock(lock)
  call omp_unset_lock(lock)
  print *, omp_test_lock(lock)
  call omp_destroy_lock(lock)
  print *, omp_get_wtime() >= start, omp_get_wtick() > 0, omp_get_num_devices()
  call without_the_module(start)
end program

subroutine without_the_module(start)
  implicit none
  real(8) :: start, omp_get_wtime
  integer, external :: omp_get_thread_num
  print *, omp_get_wtime() >= start, omp_get_thread_num()
end subroutine
