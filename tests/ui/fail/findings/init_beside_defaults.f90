! run: --check init
! Only the components with default values are defined in a fresh object, and descriptors of its allocatable and pointer
! components (Fortran 2018, 19.6.5).
module types
  implicit none
  type :: inner
    integer :: a
    integer :: b = 2
  end type
  type :: outer
    integer :: x(3)
    real, allocatable :: list(:)
    type(inner) :: pair(2)
    integer, pointer :: p => null()
  end type
end module

program beside
  use types
  implicit none
  type(outer), allocatable :: c(:)
  type(outer) :: m, copy
  integer :: k
  allocate (c(2))
  k = c(1)%pair(2)%b + m%pair(1)%b
  if (allocated(c(2)%list) .or. associated(m%p)) error stop
  k = k + c(2)%x(1) !~ R0304
  k = k + m%pair(2)%a !~ R0304
  copy = c(1)
  k = k + copy%x(3) !~ R0304
  call local
contains
  subroutine local
    type(outer) :: l
    class(outer), allocatable :: d
    type(inner) :: made
    l%x = 1
    l%pair%a = 3
    m = l
    k = k + m%x(2) + m%pair(1)%a + sum(l%x)
    call clear(l)
    k = k + l%x(1) !~ R0304
    allocate (d)
    k = k + d%pair(1)%b
    k = k + d%x(2) !~ R0304
    made = inner(a=4)
    k = k + made%a + made%b
  end subroutine
  subroutine clear(o)
    type(outer), intent(out) :: o
    o%x(2:) = 0
  end subroutine
end program
