! What USE gives another name: objects of namelist groups, and types that are extended, go by the name that they have there.
module things
  implicit none
  integer :: count = 3
  type :: base
    integer :: n = 1
  end type
  type :: other
    integer :: m
  end type
contains
  subroutine show(x)
    class(base), intent(in) :: x
    print '(a,i3,l2)', 'base', x%n, same_type_as(x, base())
  end subroutine
end module

module between
  use things, middle => base
end module

program names_of_use
  use between, top => middle, number => count
  implicit none
  type, extends(top) :: derived
    integer :: extra = 2
  end type
  type(derived) :: d
  class(top), allocatable :: c
  namelist /group/ number
  open (10, status='scratch')
  write (10, group)
  rewind (10)
  number = 0
  read (10, group)
  print '(i3)', number
  call inner()
  d%top%n = 5
  call show(d)
  call show(d%top)
  d = derived(top=top(8), extra=9)
  print '(3i3)', d%n, d%top%n, d%extra
  allocate (c, source=d)
  select type (c)
  type is (derived)
    print '(a,i3)', 'derived', c%extra
  class default
    print '(a)', 'another'
  end select
contains
  subroutine inner()
    integer :: number
    namelist /group/ number
    number = 0
    rewind (10)
    read (10, group)
    print '(i3)', number
  end subroutine
end program
