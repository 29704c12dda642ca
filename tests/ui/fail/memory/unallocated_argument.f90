! run: --check bounds
! A procedure needs an object for a dummy argument that is not optional, though it may never look at it.
program unallocated_argument
  implicit none
  real, allocatable :: a(:)
  call given(a)
  call take(a) !~ R0806
contains
  subroutine given(x)
    real, intent(in), optional :: x(:)
    print *, present(x)
  end subroutine
  subroutine take(x)
    real, intent(in) :: x(:)
    print *, size(x)
  end subroutine
end program
