! run: --check bounds
! Arguments of an elemental subroutine with different shapes.
program p
  implicit none
  real, allocatable :: a(:), b(:)
  integer :: n
  n = 4
  allocate (a(n), b(n + 1))
  b = 2
  call set(a, b(2:))
  call set(a, b) !~ R0814
contains
  elemental subroutine set(x, y)
    real, intent(out) :: x
    real, intent(in) :: y
    x = y
  end subroutine
end program
