! Judges what values.cuf wrote: the greatest error of a function against quadruple precision (libquadmath).
!
!   gfortran -O2 errors.f90 -o errors && ./errors NAME KIND FILE
!
! An error is given in units in the last place of the true value. For functions with zeros that the arithmetic cannot meet
! (Bessel functions, log_gamma below 0) a second figure is relative to the size of the function nearby: the envelope
! sqrt(2/(pi x)) or 1, if that is greater than the value.
program errors
  use iso_fortran_env, only: real32, real64, real128
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
  character(32) :: name, word, file
  integer :: kind, n, status, i, wrong
  integer(8) :: judged
  real(real32), allocatable :: x4(:), y4(:), z4(:)
  real(real64), allocatable :: x8(:), y8(:), z8(:)
  real(real128) :: worst, worst_near, at
  call get_command_argument(1, name)
  call get_command_argument(2, word)
  read(word, *) kind
  call get_command_argument(3, file)
  open(10, file=file, access='stream', form='unformatted', status='old')
  worst = 0
  worst_near = 0
  at = 0
  wrong = 0
  judged = 0
  do
    read(10, iostat=status) n
    if (status /= 0) exit
    if (kind == 8) then
      if (.not. allocated(x8)) allocate(x8(n), y8(n), z8(n))
      read(10) x8, y8, z8
      do i = 1, n
        call judge(real(x8(i), real128), real(y8(i), real128), real(z8(i), real128), 53, 1024, -1074)
      end do
    else
      if (.not. allocated(x4)) allocate(x4(n), y4(n), z4(n))
      read(10) x4, y4, z4
      do i = 1, n
        call judge(real(x4(i), real128), real(y4(i), real128), real(z4(i), real128), 24, 128, -149)
      end do
    end if
  end do
  write(*, '(a,a,a,i0,a,i0,a)', advance='no') '| `', trim(name), '` | real(', kind, ') | ', judged, ' | '
  if (worst < 1000) then
    write(*, '(f7.3)', advance='no') worst
  else
    write(*, '(a)', advance='no') 'near zeros only'
  end if
  write(*, '(a,es15.8,a,f9.3,a,i0,a)', advance='no') ' | ', at, ' | ', worst_near, ' | ', wrong, ' | '
contains
  subroutine judge(x, y, z, digits, top, bottom)
    real(real128), intent(in) :: x, y, z
    integer, intent(in) :: digits, top, bottom
    real(real128) :: r, error, unit, near
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
