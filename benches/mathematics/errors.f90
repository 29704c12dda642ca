! Judges what values.cuf wrote: the greatest error of a function against quadruple precision (libquadmath).
!
!   gfortran -O2 samples.f90 errors.f90 -o errors && ./errors NAME KIND FILE
!
! An error is given in units in the last place of the true value. For functions with zeros that the arithmetic cannot meet
! (Bessel functions, log_gamma below 0) a second figure is relative to the size of the function nearby: the envelope
! sqrt(2/(pi x)) or 1, if that is greater than the value.
program errors
  use samples
  implicit none
  interface
    real(real128) function expm1q(x) bind(c)
      import
      real(real128), value :: x
    end function
    real(real128) function log1pq(x) bind(c)
      import
      real(real128), value :: x
    end function
    real(real128) function cbrtq(x) bind(c)
      import
      real(real128), value :: x
    end function
  end interface
  integer :: wrong = 0
  real(real128) :: worst = 0, worst_near = 0, at = 0
  call judge_all(1, judge)
  write(*, '(a,a,a,i0,a,i0,a)', advance='no') '| `', trim(name), '` | real(', kind, ') | ', judged, ' | '
  if (worst < 1000) then
    write(*, '(f7.3)', advance='no') worst
  else
    write(*, '(a)', advance='no') 'near zeros only'
  end if
  write(*, '(a,es15.8,a,f9.3,a,i0,a)', advance='no') ' | ', at, ' | ', worst_near, ' | ', wrong, ' | '
contains
  subroutine judge(sample_x, sample_y, sample_z)
    complex(real128), intent(in) :: sample_x, sample_y, sample_z
    real(real128) :: x, y, z, r, error, unit, near
    x = real(sample_x)
    y = real(sample_y)
    z = real(sample_z)
    if (x /= x .or. y /= y) return
    if (skipped(x)) return
    r = reference(x, y)
    judged = judged + 1
    if (r /= r) then
      if (z == z) wrong = wrong + 1
      return
    end if
    ! What rounds to infinity.
    if (abs(r) >= 2.0_real128**top * (1 - 2.0_real128**(-digits - 1))) then
      if (.not. (abs(z) > 2.0_real128**top .and. z * sign(1.0_real128, r) > 0)) wrong = wrong + 1
      return
    end if
    if (.not. abs(z) < 2.0_real128**top) then
      wrong = wrong + 1
      return
    end if
    unit = scale(1.0_real128, max(exponent(r) - digits, bottom))
    error = abs(z - r) / unit
    if (error > worst) then
      worst = error
      at = x
    end if
    near = abs(r)
    if (name(1:6) == 'bessel') near = max(near, sqrt(0.6366_real128 / max(abs(x), 0.6366_real128)))
    if (name == 'log_gamma') near = max(near, 1.0_real128)
    worst_near = max(worst_near, abs(z - r) / scale(1.0_real128, max(exponent(near) - digits, bottom)))
  end subroutine
  logical function skipped(x)
    ! Where the oracle itself is slow or not trustworthy.
    real(real128), intent(in) :: x
    skipped = abs(x) > 1e30_real128 .and. name(1:6) == 'bessel'
    if (name == 'gamma' .or. name == 'log_gamma') skipped = x < -1e6_real128 .or. abs(x) < 1e-300_real128
  end function
  real(real128) function reference(x, y) result(r)
    real(real128), intent(in) :: x, y
    select case (name)
    case ('exp')
      r = exp(x)
    case ('exp2')
      r = 2.0_real128 ** x
    case ('exp10')
      r = 10.0_real128 ** x
    case ('expm1')
      r = expm1q(x)
    case ('log')
      r = log(x)
    case ('log2')
      r = log(x) / log(2.0_real128)
    case ('log10')
      r = log10(x)
    case ('log1p')
      r = log1pq(x)
    case ('pow')
      r = x ** y
    case ('cbrt')
      r = cbrtq(x)
    case ('rsqrt')
      r = 1 / sqrt(x)
    case ('hypot', 'abs')
      r = hypot(x, y)
    case ('sqrt')
      r = sqrt(x)
    case ('sin')
      r = sin(x)
    case ('cos')
      r = cos(x)
    case ('tan')
      r = tan(x)
    case ('asin')
      r = asin(x)
    case ('acos')
      r = acos(x)
    case ('atan')
      r = atan(x)
    case ('atan2')
      r = atan2(x, y)
    case ('sinh')
      r = sinh(x)
    case ('cosh')
      r = cosh(x)
    case ('tanh')
      r = tanh(x)
    case ('asinh')
      r = asinh(x)
    case ('acosh')
      r = acosh(x)
    case ('atanh')
      r = atanh(x)
    case ('erf')
      r = erf(x)
    case ('erfc')
      r = erfc(x)
    case ('erfc_scaled')
      r = erfc_scaled(x)
    case ('gamma')
      r = gamma(x)
    case ('log_gamma')
      r = log_gamma(x)
    case ('bessel_j0')
      r = bessel_j0(x)
    case ('bessel_j1')
      r = bessel_j1(x)
    case ('bessel_jn')
      r = bessel_jn(5, x)
    case ('bessel_y0')
      r = bessel_y0(x)
    case ('bessel_y1')
      r = bessel_y1(x)
    case ('bessel_yn')
      r = bessel_yn(5, x)
    case default
      r = 0
      print *, 'no such function'
      stop 1
    end select
  end function
end program
