! C keeps a procedure of the program, which is the same one for each rank, whatever else a rank has given to C before.
! run: tests/ui/pass/mpi/callbacks_of_ranks.c --ranks 2
module handlers
  use iso_c_binding
  implicit none
  interface
    subroutine call_now(callback, number) bind(c)
      import :: c_funptr, c_int
      type(c_funptr), value :: callback
      integer(c_int), value :: number
    end subroutine
    subroutine keep(callback) bind(c)
      import :: c_funptr
      type(c_funptr), value :: callback
    end subroutine
    subroutine call_kept(number) bind(c)
      import :: c_int
      integer(c_int), value :: number
    end subroutine
  end interface
contains
  subroutine first(number) bind(c)
    integer(c_int), value :: number
    print *, 'first', number
  end subroutine
  subroutine second(number) bind(c)
    integer(c_int), value :: number
    print *, 'second', number
  end subroutine
end module

program callbacks_of_ranks
  use handlers
  use mpi
  implicit none
  integer :: rank, e
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, rank, e)
  if (rank == 0) call call_now(c_funloc(first), 1)
  call keep(c_funloc(second))
  call mpi_barrier(mpi_comm_world, e)
  call call_kept(100 + rank)
  call mpi_barrier(mpi_comm_world, e)
  call mpi_finalize(e)
end program
