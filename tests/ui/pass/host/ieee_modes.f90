! Modules ieee_exceptions, ieee_features and what ieee_arithmetic has of modes (Fortran 2018, clause 17).
program ieee_modes
  use, intrinsic :: ieee_arithmetic
  use, intrinsic :: ieee_features, only: ieee_datatype, ieee_nan
  implicit none
  type(ieee_status_type) :: status
  type(ieee_modes_type) :: modes
  type(ieee_round_type) :: round
  logical :: halts(5), gradual
  real :: x = 1.5, y = -2.25, nan
  double precision :: d = -0.5d0
  call ieee_get_status(status)
  call ieee_set_flag(ieee_all, .false.)
  call ieee_set_halting_mode(ieee_usual, .false.)
  call ieee_get_halting_mode(ieee_all, halts)
  call ieee_get_modes(modes)
  call ieee_set_modes(modes)
  call ieee_set_status(status)
  call ieee_get_rounding_mode(round)
  call ieee_set_rounding_mode(round)
  call ieee_get_underflow_mode(gradual)
  call ieee_set_underflow_mode(gradual)
  print *, any(halts), gradual, round == ieee_nearest, size(ieee_all), size(ieee_usual)
  print *, ieee_support_flag(ieee_invalid), ieee_support_flag(ieee_overflow, [x]), ieee_support_halting(ieee_inexact)
  print *, ieee_support_nan(), ieee_support_nan(x), ieee_support_divide(d), ieee_support_sqrt(), ieee_support_io(x)
  print *, ieee_support_rounding(ieee_nearest), ieee_support_rounding(ieee_up, x), ieee_support_underflow_control(x)
  print *, ieee_support_subnormal(x), ieee_support_standard(d), ieee_support_denormal(), ieee_support_inf()
  nan = ieee_value(x, ieee_quiet_nan)
  print *, ieee_quiet_eq(x, 1.5), ieee_signaling_lt(x, y), ieee_quiet_ne(nan, nan), ieee_quiet_ge(d, d), &
    ieee_signaling_gt(x, y), ieee_quiet_le(nan, x)
  print '(6f6.2)', ieee_max_num(x, nan), ieee_min_num(nan, y), ieee_max_num_mag(x, y), ieee_min_num_mag(x, y), &
    ieee_max_num(d, 3d0), ieee_fma(x, 2., y)
  print '(4f8.2)', ieee_scalb(x, 3_1), ieee_scalb(d, -1_2), ieee_scalb(x, 2_8), ieee_scalb(x, 1)
  print *, ieee_unordered(x, d), ieee_unordered(nan, 1d0), ieee_copy_sign(x, d), ieee_copy_sign(2d0, y)
end program
