! Work of the host alone, the same for each rank, with a sum over all ranks now and then. Argument: rounds.
program work
  use mpi
  implicit none
  integer :: rank, error, round, rounds, i
  real(8) :: x(4096), own, all
  character(len=16) :: argument
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call get_command_argument(1, argument)
  read (argument, *) rounds
  x = [(i, i = 1, size(x))]
  all = 0
  do round = 1, rounds
    own = 0
    do i = 2, size(x)
      x(i) = 0.5d0*(x(i) + x(i - 1)) + sqrt(abs(x(i)))
      own = own + x(i)
    end do
    if (mod(round, 10) == 0) call MPI_Allreduce(own, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  if (rank == 0) print '(a, es22.15)', 'sum ', all
  call MPI_Finalize(error)
end program
