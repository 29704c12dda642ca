! What a pointer component of a protected object points to may change outside of the module, and a protected object in all descendants
! of the module (Fortran 2018, 8.5.15).
module base
  implicit none
  type :: t
    integer :: v = 1
    integer, pointer :: p => null()
    type(t), pointer :: next => null()
    type(t), allocatable :: owned
  end type
  type(t), target, save, protected :: object
  integer, protected :: n = 1
  integer, target :: place = 5
  interface
    module subroutine begin
    end subroutine
  end interface
end module
submodule (base) one
  implicit none
  interface
    module subroutine more
    end subroutine
  end interface
contains
  module subroutine begin
    object%p => place
    allocate (object%next)
    call more
  end subroutine
end submodule
submodule (base:one) two
contains
  module procedure more
    n = n + 1
  end procedure
end submodule
program main
  use base
  implicit none
  integer, target :: own = 3
  call begin
  object%p = object%p + 1
  object%next%v = 44
  call bump(object%p)
  object%next%p => own
  allocate (object%next%owned)
  object%next%owned%v = 8
  print '(6i4)', n, place, object%next%v, object%v, object%next%p, object%next%owned%v
contains
  subroutine bump(i)
    integer, intent(inout) :: i
    i = i + 1
  end subroutine
end program
