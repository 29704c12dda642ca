! Arguments of elemental intrinsic functions that may be absent are arrays, also converted ones (Fortran 2018, 15.5.2.12).
! gfortran 12 stops here. By hand: an absent argument changes nothing.
module m
contains
  subroutine all_of_them(x, y, z, k)
    real, intent(in) :: x(:)
    real, intent(in), optional :: y(:), z
    integer, intent(in), optional :: k(:)
    print '(*(f5.1))', cmplx(x, y), cmplx(x, z), cmplx(x, k), cmplx(x(1), z)
    print '(*(f5.1))', max(x, 2*x - 2, y), min(x, 2*x - 2, z)
    print '(*(i3))', ishftc(int(x), 1, k)
  end subroutine

  subroutine in_an_assignment(x, y, k)
    real, intent(in) :: x(*)
    real, intent(in), optional :: y(2)
    integer, allocatable, optional :: k(:)
    complex :: c(2)
    c = cmplx(x(:2), y, 8)
    print '(*(f5.1))', c
    c = cmplx(x(:2), k)
    print '(*(f5.1))', c
  end subroutine
end module

program main
  use m
  integer, allocatable :: n(:)
  call all_of_them([1., 2.])
  call all_of_them([1., 2.], [3., 4.])
  call all_of_them([1., 2.], z=5., k=[3, 4])
  call in_an_assignment([1., 2.], k=n)
  n = [4, 5]
  call in_an_assignment([1., 2.], [7., 8.], n)
end program
