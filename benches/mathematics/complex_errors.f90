! Judges what complex_values.cuf wrote: the greatest error of a function against quadruple precision (libquadmath).
!
!   gfortran -O2 samples.f90 complex_errors.f90 -o complex_errors && ./complex_errors NAME KIND FILE
!
! An error is the absolute value of the difference, in units in the last place of the absolute value of the true result.
program errors
  use samples
  implicit none
  real(real128) :: worst = 0
  complex(real128) :: at = 0
  call judge_all(2, judge)
  write(*, '(a,a,a,i0,a,i0,a,f7.3,a,es15.8,a,es15.8,a)') '| `', trim(name), '` | complex(', kind, ') | ', judged, ' | ', worst, &
    ' | (', real(at), ', ', aimag(at), ') |'
contains
  subroutine judge(x, y, z)
    complex(real128), intent(in) :: x, y, z
    complex(real128) :: r
    real(real128) :: error
    r = reference(x, y)
    judged = judged + 1
    if (abs(r) > huge(1.0_real32) .and. digits == 24) return
    error = abs(z - r) / scale(1.0_real128, exponent(abs(r)) - digits)
    if (.not. error <= worst) then
      worst = error
      at = x
    end if
  end subroutine
  complex(real128) function reference(x, y) result(r)
    complex(real128), intent(in) :: x, y
    select case (name)
    case ('exp')
      r = exp(x)
    case ('log')
      r = log(x)
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
    case ('pow')
      r = x ** y
    case ('div')
      r = x / y
    case ('abs')
      r = abs(x)
    case default
      r = 0
      print *, 'no such function'
      stop 1
    end select
  end function
end program
