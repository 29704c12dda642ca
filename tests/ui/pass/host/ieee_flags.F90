! Flags that real operations raise, and directions of rounding (Fortran 2018, clause 17).
#define ASK(what) call ieee_get_flag(ieee_all, f); print '(a14,5l2)', what, f; call ieee_set_flag(ieee_all, .false.)
program ieee_flags
  use, intrinsic :: ieee_arithmetic
  implicit none
  real :: x, y, z
  double precision :: d, e
  complex :: c
  integer :: i, n
  logical :: h, f(5)
  type(ieee_status_type) :: status
  type(ieee_round_type) :: round
  real :: a(2, 2), b(2, 2)
  call ieee_set_flag(ieee_all, .false.)
  x = 1; y = 3; z = x/y
  ASK('a third')
  y = 4; z = x/y
  ASK('a quarter')
  y = 0; z = x/y
  ASK('1/0')
  x = 0; z = x/y
  ASK('0/0')
  x = huge(x); z = x*x
  ASK('too large')
  x = tiny(x); z = x/3
  ASK('too small')
  z = x/4
  ASK('subnormal')
  x = -1; z = sqrt(x)
  ASK('sqrt(-1)')
  x = 4; z = sqrt(x)
  ASK('sqrt(4)')
  d = 1d300; z = real(d)
  ASK('narrowed')
  d = 0.5d0; z = real(d)
  ASK('narrowed 1/2')
  i = 16777217; z = i
  ASK('of integer')
  x = 1e20; i = int(x)
  ASK('int(1e20)')
  x = 1.5; i = int(x)
  ASK('int(1.5)')
  z = ieee_value(z, ieee_quiet_nan); h = z < x
  ASK('nan < x')
  h = z == x
  ASK('nan == x')
  h = ieee_quiet_lt(z, x)
  ASK('quiet_lt')
  h = ieee_signaling_eq(z, x)
  ASK('signaling_eq')
  h = ieee_signaling_eq(x, x)
  ASK('signaling_eq')
  d = -1; e = log(d)
  ASK('log(-1)')
  d = 0; e = log(d)
  ASK('log(0)')
  d = 1000; e = exp(d)
  ASK('exp(1000)')
  e = exp(-d)
  ASK('exp(-1000)')
  d = 1; e = sin(d)
  ASK('sin(1)')
  d = 5; e = mod(d, d - 5)
  ASK('mod(5, 0)')
  e = mod(d, 3d0)
  ASK('mod(5, 3)')
  c = (1, 2); c = c*c
  ASK('(1, 2)**2')
  d = 0; e = ieee_logb(d)
  ASK('logb(0)')
  a = reshape([1., 2., 3., 4.], [2, 2]); b = matmul(a, a)
  ASK('matmul')
  a = a/3
  ASK('array')
  b = matmul(a, a)
  ASK('matmul')
  call ieee_set_flag([ieee_underflow, ieee_invalid], .true.)
  ASK('set')
  call ieee_get_status(status)
  x = 1; y = 3; z = x/y
  call ieee_set_status(status)
  ASK('status')
  do n = 1, 4
    round = merge(ieee_nearest, ieee_to_zero, n == 1)
    if (n > 2) round = merge(ieee_up, ieee_down, n == 3)
    call ieee_set_rounding_mode(round)
    x = 1; y = 3; z = x/y; d = 0.1d0; e = d*3
    print '(z8.8,1x,z16.16)', z, e
    z = -x/y; d = 2; e = sqrt(d)
    print '(z8.8,1x,z16.16)', z, e
    x = x - 1; z = huge(x); z = z*2
    print '(z8.8,1x,z8.8,4f6.1)', x, z, ieee_rint(2.5), ieee_rint(-2.5d0), ieee_rint(1.2), ieee_rint(-1.7)
    i = 16777217; z = i; d = 0.1d0; x = real(d)
    print '(i0,1x,z8.8)', int(z), x
  end do
  call ieee_set_rounding_mode(ieee_nearest)
  call ieee_set_flag(ieee_all, .false.)
  ! A procedure begins with quiet flags, and leaves modes as they were.
  x = 1; y = 0; z = x/y
  call inner
  ASK('behind inner')
  call ieee_get_rounding_mode(round)
  print *, round == ieee_nearest, ieee_support_rounding(ieee_up), ieee_support_rounding(ieee_away)
  print *, ieee_support_flag(ieee_inexact), ieee_support_halting(ieee_overflow)
contains
  subroutine inner
    logical :: own(5)
    call ieee_get_flag(ieee_all, own)
    print '(a14,5l2)', 'inner', own
    x = 1; y = 3; z = x/y
    call ieee_get_flag(ieee_all, own)
    print '(a14,5l2)', 'inner', own
    call ieee_set_rounding_mode(ieee_down)
  end subroutine
end program
