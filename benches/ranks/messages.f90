! What messages between two ranks cost: one of 8 bytes there and back, and large ones one way.
program messages
  use mpi
  implicit none
  integer :: rank, error, i, rounds, length
  real(8) :: began, value
  real(8), allocatable :: large(:)
  character(len=16) :: argument
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call get_command_argument(1, argument)
  read (argument, *) rounds
  length = 4*1024*1024
  allocate (large(length))
  large = rank
  value = 1
  call MPI_Barrier(MPI_COMM_WORLD, error)
  began = MPI_Wtime()
  do i = 1, rounds
    if (rank == 0) then
      call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, error)
      call MPI_Recv(value, 1, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    else
      call MPI_Recv(value, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, error)
    end if
  end do
  if (rank == 0) print '(a, f0.3)', 'message of 8 bytes, us: ', 1e6*(MPI_Wtime() - began)/(2*rounds)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  began = MPI_Wtime()
  do i = 1, 16
    if (rank == 0) then
      call MPI_Send(large, length, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, error)
    else
      call MPI_Recv(large, length, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end if
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, f0.2)', 'messages of 32 MiB, GB/s: ', 16*8d-9*length/(MPI_Wtime() - began)
  if (rank == 1 .and. large(1) /= 0) print *, 'wrong'
  call MPI_Finalize(error)
end program
