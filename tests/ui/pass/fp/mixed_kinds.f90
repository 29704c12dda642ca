! IEEE procedures whose arguments have different kinds.
program mixed_kinds
  use, intrinsic :: ieee_arithmetic
  implicit none
  real(4) :: x = 1, great = huge(1.)
  real(8) :: d = 1, far = 1d300
  print '(3l2)', ieee_next_after(x, 2d0) == nearest(x, 1.), ieee_next_after(x, -far) == nearest(x, -1.), &
    ieee_next_after(x, 1d0) == x
  print '(3l2)', ieee_next_after(d, 2.) == nearest(d, 1.), ieee_next_after(0., -far) < 0, ieee_next_after(great, far) > great
  print '(2i3,2f5.1)', kind(ieee_next_after(x, d)), kind(ieee_next_after(d, x)), ieee_rem(5d0, 3.), ieee_rem(5., 3d0)
  print '(2i3,2f5.1)', kind(ieee_rem(x, d)), kind(ieee_rem(d, x)), ieee_copy_sign(1d0, -2.), ieee_copy_sign(1., -2d0)
end program
