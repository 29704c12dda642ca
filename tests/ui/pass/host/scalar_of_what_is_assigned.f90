! A scalar that is assigned to an array by a defined assignment keeps its value while the elements change, also where it is one of
! them: in parentheses, through a pointer, under a mask; and so does a scalar argument of an elemental subroutine.
module kinds
  implicit none
  type :: counted
    integer :: x = 0
  end type
  interface assignment(=)
    procedure :: take, take_number
  end interface
contains
  elemental subroutine take(to, from)
    type(counted), intent(inout) :: to
    type(counted), intent(in) :: from
    to%x = from%x + 100
  end subroutine
  elemental subroutine take_number(to, from)
    type(counted), intent(inout) :: to
    integer, intent(in) :: from
    to%x = from + 10
  end subroutine
end module

program p
  use kinds
  implicit none
  type(counted), target :: a(3)
  type(counted), pointer :: one
  one => a(1)
  a%x = [1, 2, 3]
  a = a(1)
  print *, a%x
  a%x = [1, 2, 3]
  where ([.true., .true., .true.]) a = a(1)
  print *, a%x
  a%x = [1, 2, 3]
  where (a%x /= 2) a = one
  print *, a%x
  a%x = [1, 2, 3]
  where (a%x > 0) a = one%x + 1
  print *, a%x
  a%x = [1, 2, 3]
  call take(a, (a(1)))
  print *, a%x
  a%x = [1, 2, 3]
  call take_number(a, a(1)%x + 1)
  print *, a%x
  a%x = [1, 2, 3]
  call behind(a(1))
  print *, a%x
contains
  subroutine behind(first)
    type(counted), target :: first
    where (a%x > 0) a = first
  end subroutine
end program
