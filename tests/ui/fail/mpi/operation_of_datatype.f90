! The predefined operations take predefined datatypes (MPI 4.0, 6.9.2).
! run: --ranks 2
program main
  use mpi
  implicit none
  integer :: ierr, pair, x(4) = 1, y(4)
  call MPI_Init(ierr)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierr)
  call MPI_Type_commit(pair, ierr)
  call MPI_Allreduce(x, y, 2, pair, MPI_SUM, MPI_COMM_WORLD, ierr) !~ R1108
  call MPI_Finalize(ierr)
end program
