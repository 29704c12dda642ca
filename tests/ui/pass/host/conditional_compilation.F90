! `-mp` and `-acc`: lines with the sentinel of OpenMP are statements, and both define their macros. Directives stay comments.
! run: -mp -acc
program p
!$ use omp_lib
  implicit none
  integer :: i
  i = 1
  !$ i = 2
  !$ i = i + &
  !$   omp_get_max_threads()
  print *, i
#ifdef _OPENMP
  print *, 'OpenMP', _OPENMP
#endif
#ifdef _OPENACC
  print *, 'OpenACC', _OPENACC
#endif
  !$omp parallel
  print *, 'once'
  !$omp end parallel
end program
