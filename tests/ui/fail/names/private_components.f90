! Private components and type-bound procedures, used from outside their module and from inside it.
module store
  implicit none
  type :: box
    private
    integer :: n = 1
    integer, public :: shown = 2
  contains
    procedure, private :: hidden
    procedure :: get
  end type
  type :: part
    integer, private :: z = 1
    integer :: free = 2
  end type
  type :: tool
    integer :: k = 0
  contains
    private
    procedure :: inner
    procedure, public :: outer
  end type
contains
  integer function get(this)
    class(box), intent(in) :: this
    get = this%n
  end function
  subroutine hidden(this)
    class(box), intent(inout) :: this
    this%n = 5
  end subroutine
  subroutine inner(this)
    class(tool), intent(inout) :: this
    this%k = 3
  end subroutine
  subroutine outer(this)
    class(tool), intent(inout) :: this
    call this%inner()
  end subroutine
end module
program main
  use store
  implicit none
  type, extends(box) :: crate
    integer :: more = 0
  end type
  type(box) :: b, list(2)
  type(part) :: p
  type(tool) :: t
  type(crate) :: c
  print *, b%shown, b%get(), p%free
  print *, b%n !~ E0228
  b%n = 3 !~ E0228
  list%n = 4 !~ E0228
  c%n = 5 !~ E0228
  c%more = 6
  p%z = 7 !~ E0228
  p = part(free=8)
  p = part(8) !~ E0228
  p = part(z=8) !~ E0228
  call b%hidden() !~ E0228
  call t%outer()
  call t%inner() !~ E0228
end program
