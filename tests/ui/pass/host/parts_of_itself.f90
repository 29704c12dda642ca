! An object with allocatable components that is assigned a part of itself, by parentheses, MERGE or a pointer, or gives itself to a part.
module m
  implicit none
  type node
    integer :: v = 0
    type(node), allocatable :: next, k(:)
  end type
contains
  subroutine make(b)
    type(node), intent(out) :: b
    b%v = 1
    allocate (b%next, b%k(2))
    b%next%v = 2
    b%k%v = [7, 8]
    allocate (b%next%next, b%next%k(2))
    b%next%next%v = 3
    b%next%k%v = [4, 5]
  end subroutine
end module
program p
  use m
  type(node), target :: b
  type(node), pointer :: q
  type(node), allocatable :: al
  class(node), allocatable :: c
  logical :: l = .true.
  call make(b)
  b = (b%next)
  print '(*(i3))', b%v, b%next%v, b%k%v
  call make(b)
  b = merge(b%next, b%k(1), l)
  print '(*(i3))', b%v, b%next%v, b%k%v
  call make(b)
  q => b%next
  b = q
  print '(*(i3))', b%v, b%next%v, b%k%v
  call make(b)
  b%k(1) = (b)
  print '(*(i3))', b%v, b%k(1)%v, b%k(1)%k%v, b%k(2)%v
  call make(b)
  q => b
  b = q
  print '(*(i3))', b%v, b%next%v, b%k%v
  call make(b)
  q => b
  b%next = q
  print '(*(i3))', b%v, b%next%v, b%next%k%v, b%next%next%v
  call make(b)
  al = b
  al = (al%next)
  print '(*(i3))', al%v, al%next%v, al%k%v
  c = b
  c = (c%next)
  print '(*(i3))', c%v, c%next%v, c%k%v
  c = b
  c = merge(c%next, c, .true.)
  print '(*(i3))', c%v, c%next%v, c%k%v
  c = b
  c%next = (c)
  print '(*(i3))', c%v, c%next%v, c%next%k%v
end program
