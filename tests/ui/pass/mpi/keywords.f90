! Keyword arguments have the names of MPI's bindings (MPI 4.0, 19.1.2); a group without members is `MPI_GROUP_EMPTY` (7.3.2);
! statuses of one module as those of the other.
! run: --ranks 2
program keywords
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)
  type(MPI_Comm) :: grid
  type(MPI_Datatype) :: pair
  type(MPI_Group) :: all, none, common
  integer :: rank, sent = 5, got = 0, size, f_status(MPI_STATUS_SIZE), code, length, list(1) = 0
  integer(MPI_ADDRESS_KIND) :: lb, extent
  character(MPI_MAX_PROCESSOR_NAME) :: host
  call MPI_Init()
  call MPI_Comm_rank(comm=MPI_COMM_WORLD, rank=rank)
  call MPI_Get_processor_name(name=host, resultlen=length)
  call MPI_Pcontrol(0)
  call MPI_Irecv(buf=got, count=1, datatype=MPI_INTEGER, source=1 - rank, tag=3, comm=MPI_COMM_WORLD, request=requests(1))
  sent = sent + rank
  call MPI_Isend(sent, 1, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(count=2, array_of_requests=requests, array_of_statuses=statuses)
  if (got /= 6 - rank .or. length < 1) error stop 'waitall'
  call MPI_Status_f082f(statuses(1), f_status)
  if (f_status(MPI_SOURCE) /= 1 - rank .or. f_status(MPI_TAG) /= 3) error stop 'f082f'
  call MPI_Status_f2f08(f_status, statuses(2), code)
  if (statuses(2)%MPI_TAG /= 3 .or. code /= MPI_SUCCESS) error stop 'f2f08'
  call MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=1, dims=[2], periods=[.true.], reorder=.false., comm_cart=grid)
  call MPI_Comm_size(grid, size)
  if (size /= 2) error stop 'grid'
  call MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 2], &
    array_of_displacements=[0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND], array_of_types=[MPI_INTEGER, MPI_REAL], newtype=pair)
  call MPI_Type_get_true_extent(pair, true_lb=lb, true_extent=extent)
  if (lb /= 0 .or. extent /= 12) error stop 'extent'
  call MPI_Comm_group(MPI_COMM_WORLD, all)
  call MPI_Group_incl(all, 0, list, none)
  if (none /= MPI_GROUP_EMPTY) error stop 'empty'
  call MPI_Group_difference(all, all, common)
  if (common /= MPI_GROUP_EMPTY) error stop 'difference'
  call MPI_Group_size(common, size)
  if (size /= 0) error stop 'size'
  call MPI_Group_free(none)
  call MPI_Group_free(all)
  if (MPI_SUBARRAYS_SUPPORTED .or. MPI_ASYNC_PROTECTS_NONBLOCKING) error stop 'constants'
  call MPI_Type_free(pair)
  call MPI_Comm_free(grid)
  if (rank == 0) print '(a)', 'done'
  call MPI_Finalize()
end program
