! Optional dummies handed on: an array that is present but not allocated or associated is absent for an elemental function
! (Fortran 2018, 15.5.2.12), and intrinsic functions take absent arguments of every kind.
program handed_on
  implicit none
  real :: x(2) = [1, 2]
  real, allocatable :: u(:)
  real, pointer :: q(:)
  integer(2) :: p = 7, r = 100
  q => null()
  call show(x)
  call show(x, u, q)
  allocate (u(2), q(2))
  u = 10
  q = 20
  call show(x, u, q)
  call kinds()
  call kinds(.true._8, p, r)
  call kinds(.false._8, range=r)
  call kinds(digits=p, range=400_2)
  call kinds(digits=20_2, range=400_2)
  call kinds(digits=20_2, radix=2)
  call kinds(radix=10)
contains
  elemental real function sum_of(a, b)
    real, intent(in) :: a
    real, intent(in), optional :: b
    sum_of = a
    if (present(b)) sum_of = sum_of + b
  end function

  subroutine show(a, c, d)
    real, intent(in) :: a(:)
    real, allocatable, optional :: c(:)
    real, pointer, optional :: d(:)
    print '(4f6.1)', sum_of(a, c), sum_of(a, d)
  end subroutine

  subroutine kinds(round, digits, range, radix)
    logical(8), optional :: round
    integer(2), optional :: digits, range
    integer, optional :: radix
    print '(l1,4i4)', out_of_range(127.7, 0_1, round), selected_real_kind(p=digits, r=range, radix=radix), &
      selected_real_kind(3, range), selected_real_kind(digits, 3), selected_real_kind(3, 3, radix)
  end subroutine
end program
