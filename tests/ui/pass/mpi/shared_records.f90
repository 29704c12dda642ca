! Ranks write their own records of one file, and read those of the others once these have given them to the system.
! run: --ranks 3
program p
  use mpi_f08
  implicit none
  integer, parameter :: records = 60
  integer :: rank, size, unit, i, form, wrong, process
  integer, external :: getpid
  integer :: values(4), expected(4)
  character(40) :: name
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  process = getpid()
  call MPI_Bcast(process, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  write (name, '(a, i0, a)') 'shared_records_', process, '.tmp'
  do form = 1, 2
    call open_it
    ! Every rank has the file open before one writes; later records come first.
    call MPI_Barrier(MPI_COMM_WORLD)
    do i = records, 1, -1
      if (mod(i, size) == rank) call put(i, i * [1, 2, 3, 4])
    end do
    flush (unit)
    call MPI_Barrier(MPI_COMM_WORLD)
    wrong = 0
    do i = 1, records
      call get(i)
      expected = i * [1, 2, 3, 4]
      wrong = wrong + count(values /= expected)
    end do
    call tell('read beside the others')
    ! One record is changed by another rank while the connection stays.
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 1) then
      call put(7, [7, 7, 7, 7])
      flush (unit)
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
    call get(7)
    wrong = count(values /= 7)
    call tell('read again')
    close (unit)
    call MPI_Barrier(MPI_COMM_WORLD)
    call open_it
    wrong = 0
    do i = 1, records
      call get(i)
      expected = merge(7, i * [1, 2, 3, 4], i == 7)
      wrong = wrong + count(values /= expected)
    end do
    call tell('read in the end')
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) then
      close (unit, status='delete')
    else
      close (unit)
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
  end do
  call MPI_Finalize()
contains
  subroutine open_it
    if (form == 1) then
      open (newunit=unit, file=name, access='direct', form='unformatted', recl=16)
    else
      open (newunit=unit, file=name, access='stream', form='unformatted')
    end if
  end subroutine

  subroutine put(record, what)
    integer, intent(in) :: record, what(4)
    if (form == 1) then
      write (unit, rec=record) what
    else
      write (unit, pos=16 * (record - 1) + 1) what
    end if
  end subroutine

  subroutine get(record)
    integer, intent(in) :: record
    values = -1
    if (form == 1) then
      read (unit, rec=record) values
    else
      read (unit, pos=16 * (record - 1) + 1) values
    end if
  end subroutine

  subroutine tell(when)
    character(*), intent(in) :: when
    integer :: all
    call MPI_Reduce(wrong, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(a, i2, 3a, i4)', 'form', form, ', ', when, ':', all
  end subroutine
end program
