! What is beside the usual: reading to the end of a file moves the place by what was asked for, MPI_Buffer_detach gives the address of
! the buffer, and what is pending with MPI_PROC_NULL uses no buffer.
! run: --race --ranks 2
program p
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, other, n, i
  integer(MPI_OFFSET_KIND) :: place
  integer, target :: attached(1000)
  integer, asynchronous :: left, right, values(8)
  type(c_ptr) :: address
  character(40) :: name
  integer, external :: getpid
  type(MPI_File) :: file
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(4)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  write (name, '(a, i0, a, i0, a)') 'beside_', getpid(), '_', rank, '.tmp'
  call MPI_File_open(MPI_COMM_SELF, name, &
                     MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
  call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL)
  call MPI_File_write(file, [(i, i = 1, 8)], 8, MPI_INTEGER, MPI_STATUS_IGNORE)
  call MPI_File_seek(file, 3_MPI_OFFSET_KIND, MPI_SEEK_SET)
  call MPI_File_read(file, values, 8, MPI_INTEGER, status)
  call MPI_Get_count(status, MPI_INTEGER, n)
  call MPI_File_get_position(file, place)
  if (rank == 0) print '(7i3)', n, place, values(:n)
  call MPI_File_close(file)

  call MPI_Buffer_attach(attached, 4000)
  call MPI_Buffer_detach(address, n)
  if (rank == 0) print *, n, c_associated(address, c_loc(attached))

  other = 1 - rank
  right = -7
  call MPI_Irecv(left, 1, MPI_INTEGER, merge(other, MPI_PROC_NULL, rank == 1), 0, MPI_COMM_WORLD, requests(1))
  call MPI_Irecv(right, 1, MPI_INTEGER, merge(other, MPI_PROC_NULL, rank == 0), 0, MPI_COMM_WORLD, requests(2))
  call MPI_Isend(rank, 1, MPI_INTEGER, merge(other, MPI_PROC_NULL, rank == 1), 0, MPI_COMM_WORLD, requests(3))
  call MPI_Isend(rank, 1, MPI_INTEGER, merge(other, MPI_PROC_NULL, rank == 0), 0, MPI_COMM_WORLD, requests(4))
  if (rank == 0) left = -1
  if (rank == 1) right = -2
  call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print *, left, right
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 1) print *, left, right
  call MPI_Finalize()
end program
