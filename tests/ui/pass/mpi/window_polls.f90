! Ranks that look in their own memory for what another rank puts there, by each call that may be used for it; and a lock by
! MPI_Compare_and_swap in the memory of rank 0, which rank 0 takes too.
! run: --ranks 3
program p
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, size, way, got, i, old, total
  integer, pointer, asynchronous, volatile :: w(:)
  integer(MPI_ADDRESS_KIND), parameter :: zero = 0, one = 1
  type(c_ptr) :: base
  type(MPI_Win) :: win
  integer :: seen(6)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Win_allocate(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, w, [4])
  do way = 1, 6
    w = 0
    call MPI_Barrier(MPI_COMM_WORLD)
    if (way /= 5) call MPI_Win_lock_all(0, win)
    if (rank == 1) then
      do
        select case (way)
        case (1)
          call MPI_Win_sync(win)
          got = w(1)
        case (2)
          call MPI_Fetch_and_op(0, got, MPI_INTEGER, 1, zero, MPI_NO_OP, win)
          call MPI_Win_flush(1, win)
        case (3)
          call MPI_Compare_and_swap(0, 7, got, MPI_INTEGER, 1, zero, win)
          call MPI_Win_flush_local(1, win)
        case (4)
          call MPI_Win_flush_all(win)
          got = w(1)
        case (5)
          call MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win)
          got = w(1)
          call MPI_Win_unlock(1, win)
        case (6)
          call MPI_Get_accumulate(got, 0, MPI_INTEGER, got, 1, MPI_INTEGER, 1, zero, 1, MPI_INTEGER, MPI_NO_OP, win)
          call MPI_Win_flush_local_all(win)
        end select
        if (got /= 0) exit
      end do
      seen(way) = got
    else if (rank == 2) then
      if (way == 5) call MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win)
      call MPI_Accumulate(7, 1, MPI_INTEGER, 1, zero, 1, MPI_INTEGER, MPI_REPLACE, win)
      if (way == 5) call MPI_Win_unlock(1, win)
    end if
    if (way /= 5) call MPI_Win_unlock_all(win)
    call MPI_Barrier(MPI_COMM_WORLD)
  end do
  if (rank == 1) print '(a, 6i2)', 'seen', seen

  w = 0
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_lock_all(0, win)
  do i = 1, 5
    do
      call MPI_Compare_and_swap(rank + 1, 0, old, MPI_INTEGER, 0, zero, win)
      call MPI_Win_flush(0, win)
      if (old == 0) exit
    end do
    call MPI_Get_accumulate(total, 0, MPI_INTEGER, total, 1, MPI_INTEGER, 0, one, 1, MPI_INTEGER, MPI_NO_OP, win)
    call MPI_Win_flush(0, win)
    total = total + rank + 1
    call MPI_Accumulate(total, 1, MPI_INTEGER, 0, one, 1, MPI_INTEGER, MPI_REPLACE, win)
    call MPI_Win_flush(0, win)
    call MPI_Fetch_and_op(0, old, MPI_INTEGER, 0, zero, MPI_REPLACE, win)
    call MPI_Win_flush(0, win)
    if (old /= rank + 1) print *, 'another rank had the lock', rank, old
  end do
  call MPI_Win_unlock_all(win)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) then
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)
    print '(a, 2i4)', 'sum', w(2), 5 * size * (size + 1) / 2
    call MPI_Win_unlock(0, win)
  end if
  call MPI_Win_free(win)
  call MPI_Finalize()
end program
