! A polymorphic argument that is changed, and the parts with run-time lengths of each object of an array.
program p
  implicit none
  type :: line(n)
    integer, len :: n
    real :: x(n) = 1
  end type
  type(line(:)), allocatable :: r(:)
  allocate(line(3) :: r(2))
  call looks(r%x(1))
  call changes(r%x(1)) !~ R0901
contains
  subroutine looks(x)
    class(*), intent(in) :: x(:)
    print *, size(x)
  end subroutine
  subroutine changes(x)
    class(*), intent(inout) :: x(:)
  end subroutine
end program
