! Each rank stops behind a barrier. The first one ends all: the others have not stopped, though they got there before their turns.
! run: --ranks 4
! exit: 1
program several_end
  use mpi
  implicit none
  integer :: rank, error, i
  real(8) :: x
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 3) call MPI_Barrier(MPI_COMM_WORLD, error)
  x = 0
  do i = 1, 5000*(rank + 1)
    x = x + sqrt(real(i, 8))
  end do
  print *, 'rank', rank
  error stop 'stopped'        !~ R0801
end program
