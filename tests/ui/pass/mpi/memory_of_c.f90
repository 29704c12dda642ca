! Memory of C as buffers of MPI, by several ranks; what C keeps of one rank does not meet that of another.
! run: --ranks 3
module allocated
  use iso_c_binding
  implicit none
  interface
    type(c_ptr) function calloc(n, bytes) bind(c)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: n, bytes
    end function
    subroutine free(p) bind(c)
      import :: c_ptr
      type(c_ptr), value :: p
    end subroutine
    subroutine qsort(first, n, bytes, compare) bind(c)
      import :: c_size_t, c_funptr
      integer, intent(inout) :: first(*)
      integer(c_size_t), value :: n, bytes
      type(c_funptr), value :: compare
    end subroutine
  end interface
contains
  integer(c_int) function descending(a, b) bind(c)
    integer(c_int), intent(in) :: a, b
    descending = b - a
  end function
end module

program memory_of_c
  use allocated
  use mpi
  implicit none
  complex(8), pointer :: mine(:), others(:)
  integer, allocatable :: numbers(:)
  type(c_ptr) :: p, q
  integer :: rank, ranks, win, e, i
  integer(mpi_address_kind) :: bytes, nothing
  integer, pointer :: counter(:)
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, rank, e)
  call mpi_comm_size(mpi_comm_world, ranks, e)
  p = calloc(8_c_size_t, 16_c_size_t)
  q = calloc(8_c_size_t, 16_c_size_t)
  call c_f_pointer(p, mine, [ranks])
  call c_f_pointer(q, others, [ranks])
  mine = [(cmplx(rank, i, 8), i = 1, ranks)]
  call mpi_alltoall(mine, 1, mpi_double_complex, others, 1, mpi_double_complex, mpi_comm_world, e)
  print '(i2, 3(" (", f3.1, ",", f3.1, ")"))', rank, others

  ! Each rank has its array at the same address.
  allocate (numbers(5))
  numbers = [(mod(i*(rank + 2), 7), i = 1, 5)]
  call qsort(numbers, 5_c_size_t, 4_c_size_t, c_funloc(descending))
  print '(i2, 5i3)', rank, numbers

  ! A window in memory of C.
  call c_f_pointer(p, counter, [2])
  counter = 0
  bytes = 8
  nothing = 0
  call mpi_win_create(counter, bytes, 4, mpi_info_null, mpi_comm_world, win, e)
  call mpi_win_fence(0, win, e)
  call mpi_accumulate([rank + 1], 1, mpi_integer, 0, nothing, 1, mpi_integer, mpi_sum, win, e)
  call mpi_win_fence(0, win, e)
  print '(i2, 2i3)', rank, counter
  call mpi_win_free(win, e)
  call free(p)
  call free(q)
  call mpi_finalize(e)
end program
