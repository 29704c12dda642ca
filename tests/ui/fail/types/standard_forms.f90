! run: -Mstandard
! Forms that compilers take and the standard does not have are warned of when `-Mstandard` asks for it.
program main
  implicit none
  structure /record/ !~ W0106
    integer :: a
  end structure
  type :: open_type(n)
    integer, len :: n = z'1' !~ W0334
  end type
  type(open_type(:)), allocatable :: object
  integer :: i, bits(2), $dollar !~ W0106
  integer, automatic :: local !~ W0106
  real :: r
  pointer (address, pointee) !~ W0106
  integer :: pointee
  data i / z'ff' /
  i = int(z'ff')
  i = iand(i, z'ff')
  i = z'ff' !~ W0334
  i = i + b'11' !~ W0334
  print *, o'17' !~ W0334
  bits = [z'1', 2] !~ W0334
  r = transfer(z'3f800000', r) !~ W0334
  print *, ['a', 'bcd'] !~ W0335
  print *, [character(len=3) :: 'a', 'bcd']
  read (*, '(q)') i !~ W0106
  i = 'text' !~ E0301
end program

subroutine _hidden() !~ W0106
end subroutine

module twice
  integer :: a
  public :: a
  public :: a !~ W0106
  interface
    subroutine described()
    end subroutine
  end interface
  interface many
    module procedure described !~ W0106
  end interface
end module

recursive integer function again(n)
  integer, intent(in) :: n
  again = 1
  if (n > 0) again = n * again(n - 1) !~ W0106
end function

module hides
  implicit none
  type t
    integer :: n
  end type
contains
  subroutine s()
    type(t) :: t !~ W0106
    t%n = 1
  end subroutine
end module

integer function with_result() result(with_result) !~ W0106
  with_result = 6666666666 / 2222222222_8 !~ W0106
end function

module bound
  type t
    integer :: n = 1
  contains
    procedure :: get
  end type
contains
  integer function get(this)
    class(t), intent(in) :: this
    get = this%n
  end function
  integer function twice_as_much(this)
    class(t), intent(in) :: this
    twice_as_much = 2 * this%get !~ W0106
  end function
end module
