! Each rank has a working directory of its own. A file stays where it was opened, whatever the directory is when it is closed.
! run: --ranks 3
program p
  use mpi_f08
  implicit none
  integer :: rank, process, unit, number, all
  integer, external :: getpid, chdir
  character(60) :: folder
  logical :: there
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  process = getpid()
  call MPI_Bcast(process, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  write (folder, '(a, i0, a, i0)') 'directories_', process, '_', rank
  call execute_command_line('mkdir ' // trim(folder))
  open (newunit=unit, file=trim(folder) // '/first.txt')
  if (chdir(trim(folder)) /= 0) error stop 'chdir'
  call MPI_Barrier(MPI_COMM_WORLD)
  write (unit, *) rank + 10
  close (unit)
  open (newunit=unit, file='out.txt')
  write (unit, *) rank
  close (unit)
  call MPI_Barrier(MPI_COMM_WORLD)
  open (newunit=unit, file='out.txt', status='old')
  read (unit, *) number
  close (unit)
  if (number /= rank) print *, 'the file of another rank', rank, number
  inquire (file='first.txt', exist=there)
  number = merge(1, 0, there)
  call MPI_Reduce(number, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i2)', 'files', all
  if (chdir('..') /= 0) error stop 'back'
  call MPI_Barrier(MPI_COMM_WORLD)
  call execute_command_line('rm -r ' // trim(folder))
  call MPI_Finalize()
end program
