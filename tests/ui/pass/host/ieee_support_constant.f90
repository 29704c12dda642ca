! Inquiry functions of the IEEE modules in constant expressions.
program p
  use, intrinsic :: ieee_arithmetic
  implicit none
  logical, parameter :: halting = ieee_support_halting(ieee_overflow)
  logical, parameter :: flag = ieee_support_flag(ieee_invalid, 0d0)
  logical, parameter :: rounding = ieee_support_rounding(ieee_to_zero), other = ieee_support_rounding(ieee_other)
  logical, parameter :: nan = ieee_support_nan(1.0), underflow = ieee_support_underflow_control()
  integer, parameter :: n = merge(3, 4, ieee_support_datatype(0d0))
  integer :: a(n)
  type(ieee_round_type) :: mode
  mode = ieee_other
  print *, halting, flag, rounding, other, nan, underflow, size(a)
  print *, halting .eqv. ieee_support_halting(ieee_overflow), other .eqv. ieee_support_rounding(mode), &
    underflow .eqv. ieee_support_underflow_control()
end program
