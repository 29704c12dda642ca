! WHERE with values of another length.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 1
  end type
  type(row(3)) :: a(2)
  type(row(:)), allocatable :: b(:)
  allocate(row(4) :: b(2))
  where ([.false., .false.]) a = b
  where ([.false., .true.]) a = b !~ R0822
end program
