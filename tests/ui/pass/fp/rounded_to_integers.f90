! IEEE_RINT and IEEE_INT with a direction, IEEE_NEXT_UP, IEEE_NEXT_DOWN, IEEE_REAL (Fortran 2018, 17.11).
program p
  use ieee_arithmetic
  implicit none
  type(ieee_round_type) :: modes(5) = [ieee_nearest, ieee_to_zero, ieee_up, ieee_down, ieee_away]
  real, parameter :: x(6) = [2.5, -2.5, 3.5, 0.3, -0.3, 1e9]
  real(8) :: inf
  integer :: i
  do i = 1, 5
    print '(6f15.1)', ieee_rint(x, modes(i))
    print '(6i15)', ieee_int(real(x, 8), modes(i))
  end do
  print '(2l2)', ieee_is_negative(ieee_rint(-0.3, ieee_up)), ieee_is_nan(ieee_rint(ieee_value(1.0, ieee_quiet_nan), ieee_up))
  print '(4z9.8)', ieee_next_up(1.0), ieee_next_down(1.0), ieee_next_up(0.0), ieee_next_down(0.0)
  inf = ieee_value(inf, ieee_positive_inf)
  print '(3l2)', ieee_next_up(inf) == inf, ieee_next_down(inf) == huge(inf), ieee_next_up(-inf) == -huge(inf)
  print '(f5.1, i3, f5.1)', ieee_real(3), kind(ieee_real(3_8, 8)), ieee_real(2.5d0, kind=4)
end program
