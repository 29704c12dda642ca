! Arrays that are not allocated get their shape by assignment: nothing is read that was never written.
! run: --check init
program assigned
  implicit none
  real(8) :: x(2, 2)
  integer :: k
  x = 1
  do k = 1, 2
    print *, sum(doubled(x, k))
  end do
  call local()
contains
  function doubled(a, k) result(b)
    real(8), intent(in) :: a(:, :)
    integer, intent(in) :: k
    real(8), allocatable :: b(:, :)
    if (k == 1) b = a
    if (k == 2) b = 2*a
  end function
  subroutine local()
    real(8), allocatable :: b(:, :)
    call set(b)
    print *, shape(b), sum(b)
  end subroutine
  subroutine set(b)
    real(8), allocatable, intent(inout) :: b(:, :)
    b = reshape([1d0, 2d0], [1, 2])
  end subroutine
end program
