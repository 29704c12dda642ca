! run: -i8 -r8
! With both options the specific names that give default reals and integers give eight bytes, as arguments too.
program default_kinds_both
  implicit none
  intrinsic :: alog, iabs, sin
  integer :: i
  print *, kind(float(1)), kind(sngl(0.1d0)), kind(amax0(1, 2)), kind(aimax0(1_2, 2_2)), kind(floatj(1_4)), kind(min1(1.0, 2.0))
  print *, kind(int2(1)), kind(int4(1)), kind(imax1(1.0, 2.0)), kind(jmin1(1.0, 2.0)), kind(dble(1)), kind(1.0 > 2)
  print '(l1, 2f6.3, i2)', sngl(0.1d0) == 0.1d0, of(sin, 0.5), of(alog, 2.0), whole(iabs, -3)
  print '(3i3)', (merge(1, 0, [1.5, 2.5, 3.5] > 2.0) + i, i = 1, 1)
contains
  real function of(f, x)
    real, external :: f
    real, intent(in) :: x
    of = f(x)
  end function

  integer function whole(f, n)
    integer, external :: f
    integer, intent(in) :: n
    whole = f(n)
  end function
end program
