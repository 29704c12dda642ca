! Types may hold each other through pointers and allocatables, arrays too.
module graphs
  implicit none
  type list
    type(node), pointer :: items(:) => null()
    integer :: count = 0
  end type
  type node
    type(list) :: neighbours
    integer :: number = 0
  end type
  type tree
    type(branch), allocatable :: branches(:)
    integer :: value = 1
  end type
  type branch
    type(tree) :: top
    type(tree), allocatable :: more
  end type
  type self
    type(self), allocatable :: children(:)
    integer :: n = 0
  end type
end module

program mutual_types
  use graphs
  implicit none
  type(node), target :: n(3)
  type(tree) :: t
  type(self) :: s
  integer :: i
  n%number = [1, 2, 3]
  n(1)%neighbours%items => n(2:3)
  n(1)%neighbours%count = 2
  print '(3i3)', n(1)%neighbours%count, n(1)%neighbours%items%number
  n(2)%neighbours%items => n(1:1)
  print '(i3)', n(1)%neighbours%items(1)%neighbours%items(1)%number
  allocate (t%branches(2))
  t%branches(2)%top%value = 5
  allocate (t%branches(1)%more)
  t%branches(1)%more%value = 6
  print '(4i3)', t%value, t%branches%top%value, t%branches(1)%more%value
  allocate (s%children(2))
  do i = 1, 2
    s%children(i)%n = 10 * i
    allocate (s%children(i)%children(i))
  end do
  print '(4i3)', s%children%n, size(s%children(1)%children), size(s%children(2)%children)
end program
