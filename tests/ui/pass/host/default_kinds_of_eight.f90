! run: -i8
! With `-i8` the results that are default logical or default integer have eight bytes: comparisons, inquiries, specific names. Names
! that say a size keep it. Modules that the compiler brings along stay what they are.
module kinds
  implicit none
  interface bytes_of
    procedure of_four, of_eight
  end interface
contains
  integer function of_four(l)
    logical(4), intent(in) :: l
    of_four = 4
  end function

  integer function of_eight(l)
    logical(8), intent(in) :: l
    of_eight = 8
  end function
end module

program default_kinds_of_eight
  use kinds
  use, intrinsic :: ieee_arithmetic
  use, intrinsic :: ieee_exceptions
  use, intrinsic :: iso_fortran_env, only: int32, real64
  implicit none
  real :: x(3) = [1.0, 2.0, 3.0]
  complex :: z = (1.0, 2.0)
  integer, pointer :: nothing => null()
  procedure(of_four), pointer :: no_procedure => null()
  integer(int32) :: four = 4
  integer(2) :: two = 2
  integer :: status, message
  logical :: is_set
  type(ieee_round_type) :: rounding
  external :: take

  print '(a, 5i2)', 'comparisons:', bytes_of(x(1) > 1), bytes_of(z == z), bytes_of('a' < 'b'), bytes_of(four /= 4), &
    bytes_of(.not. x(1) > 1)
  print '(a, 4i2)', 'operations: ', bytes_of(x(1) > 1 .and. x(2) > 1), bytes_of(x(1) > 1 .eqv. .true._4), &
    bytes_of(.true._4 .or. .false._4), bytes_of(.not. .true._4)
  print '(a, 5i2)', 'functions:  ', bytes_of(any(x > 2)), bytes_of(associated(nothing)), bytes_of(associated(no_procedure)), &
    bytes_of(btest(1, 0)), bytes_of(lge('a', 'b'))
  print '(a, 6i2)', 'names:      ', kind(max1(1.0, 2.0)), kind(jmax1(1.0, 2.0)), kind(kmax1(1.0, 2.0)), kind(imax0(two, two)), &
    kind(jnint(2.5)), kind(ifix(2.5))
  call take([x > 1, x(2) < 2], 4, x(2) < x(3))

  call execute_command_line('exit 3', wait=.true., exitstat=status, cmdstat=message)
  print *, status, message
  call ieee_get_rounding_mode(rounding)
  call ieee_get_flag(ieee_overflow, is_set)
  print *, rounding == ieee_nearest, is_set, kind(four), kind(1.0_real64)
end program

subroutine take(l, n, one)
  implicit none
  integer :: n
  logical :: l(n), one
  print *, l, one
end subroutine
