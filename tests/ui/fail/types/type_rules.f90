! Objects of abstract types, private parents and bindings, constants, construct names (Fortran 2018, 7.5, 9.4.2, 10.1.12, 19.3).
module shapes
  implicit none
  private
  type, abstract, public :: base
    integer :: n = 1
  contains
    procedure, nopass :: hello
    procedure :: missing_one !~ E0418
  end type
  type, extends(base), public :: child
  end type
  type hidden
    integer :: h = 1
  end type
  type, extends(hidden), public :: open_child
  contains
    procedure, nopass :: secret => hello
    generic, private :: say => secret
  end type
contains
  subroutine hello()
  end subroutine
end module

module lengths
  implicit none
  type keeper
    integer, allocatable :: a(:)
  end type
  type starting
    integer :: i = 0
  end type
  integer :: k
  character(len=k), parameter :: text = 'abc' !~ E0306
  integer, parameter :: some(2, *) = reshape([1, 2, 3, 4], [2, 2]) !~ E0324
  type(keeper) :: full = keeper([1, 2]) !~ E0306
contains
  subroutine cleared(x)
    type(starting), intent(out) :: x(*) !~ E0324
  end subroutine
  subroutine same_length(s)
    character(len=5), allocatable, intent(inout) :: s
  end subroutine
  subroutine assumed(x)
    type(*) :: x
    call of_any(x) !~ E0402
  end subroutine
  subroutine of_any(x)
    class(*) :: x
  end subroutine
  subroutine moved(x)
    integer, volatile :: x(:)
  end subroutine
  subroutine unranked(x)
    integer, pointer, intent(in) :: x(..)
  end subroutine
  subroutine four(x)
    integer :: x(4)
  end subroutine
  subroutine words(x)
    character(len=2) :: x(4)
  end subroutine
  subroutine ranks(x)
    integer, allocatable :: x(..)
    select rank (x)
    rank (*) !~ E0320
      continue
    end select
  end subroutine
end module

program main
  use shapes
  use lengths
  use, intrinsic :: iso_c_binding
  implicit none
  type(child) :: c
  type(open_child) :: o
  character(len=:), allocatable :: s
  integer, parameter :: fixed = 2
  integer, target :: v(6), w(3), one
  integer, pointer :: p
  real, pointer :: r
  type(c_ptr) :: address
  call c%hello()
  call c%base%hello() !~ E0325
  print *, o%hidden%h !~ E0228
  call o%say() !~ E0228
  call same_length(s) !~ E0415
  call moved(v([1, 3])) !~ E0332
  call unranked(null()) !~ E0337
  call four(v(1:3)) !~ E0419
  call four(v(:))
  call words(['abc', 'def']) !~ E0419
  p => null(r) !~ E0313
  address = c_ptr(1) !~ E0228
  print *, [(fixed, fixed = 1, 2)] !~ E0331
  print *, [character(len=*) :: 'a', 'b'] !~ E0317
outer: do one = 1, 2
  end do outer
outer: block !~ E0205
  end block outer
w: if (one > 2) then !~ E0205
  end if w
end program
