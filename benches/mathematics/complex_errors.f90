! Judges what complex_values.cuf wrote: the greatest error of a function against quadruple precision (libquadmath).
!
!   gfortran -O2 complex_errors.f90 -o complex_errors && ./complex_errors NAME KIND FILE
!
! An error is the absolute value of the difference, in units in the last place of the absolute value of the true result.
program errors
  use iso_fortran_env, only: real32, real64, real128
  implicit none
  character(32) :: name, word, file
  integer :: kind, n, status, i
  integer(8) :: judged
  complex(real32), allocatable :: x4(:), y4(:), z4(:)
  complex(real64), allocatable :: x8(:), y8(:), z8(:)
  real(real128) :: worst
  complex(real128) :: at
  call get_command_argument(1, name)
  call get_command_argument(2, word)
  read(word, *) kind
  call get_command_argument(3, file)
  open(10, file=file, access='stream', form='unformatted', status='old')
  worst = 0
  at = 0
  judged = 0
  do
    read(10, iostat=status) n
    if (status /= 0) exit
    if (kind == 8) then
      if (.not. allocated(x8)) allocate(x8(n), y8(n), z8(n))
      read(10) x8, y8, z8
      do i = 1, n
        call judge(cmplx(x8(i), kind=real128), cmplx(y8(i), kind=real128), cmplx(z8(i), kind=real128), 53)
      end do
    else
      if (.not. allocated(x4)) allocate(x4(n), y4(n), z4(n))
      read(10) x4, y4, z4
      do i = 1, n
        call judge(cmplx(x4(i), kind=real128), cmplx(y4(i), kind=real128), cmplx(z4(i), kind=real128), 24)
      end do
    end if
  end do
  write(*, '(a,a,a,i0,a,i0,a,f7.3,a,es15.8,a,es15.8,a)') '| `', trim(name), '` | complex(', kind, ') | ', judged, ' | ', worst, &
    ' | (', real(at), ', ', aimag(at), ') |'
contains
  subroutine judge(x, y, z, digits)
    complex(real128), intent(in) :: x, y, z
    integer, intent(in) :: digits
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
