! What a pointer component or the pointer result of a function points to may be the variable that is assigned, or a part of it: the value is complete before the first store.
module held
  implicit none
  type :: holder
    integer, pointer :: p(:) => null()
    integer :: fixed(5) = 0
  end type
  type :: outer
    type(holder) :: x(2)
  end type
  integer, target :: n(5)
contains
  function part(first, last)
    integer, intent(in) :: first, last
    integer, pointer :: part(:)
    part => n(first:last)
  end function
  pure integer function get(x, i)
    type(holder), intent(in) :: x
    integer, intent(in) :: i
    get = x%p(i)
  end function
  subroutine show(what)
    character(*), intent(in) :: what
    print '(a,5i3)', what, n
    n = [1, 2, 3, 4, 5]
  end subroutine
  subroutine shift(a, x)
    integer, intent(inout), target :: a(:)
    type(holder), intent(in) :: x
    a(2:5) = x%p(1:4)
  end subroutine
end module
program p
  use held
  implicit none
  type(holder) :: x, y
  type(outer) :: o
  type(holder), allocatable :: z(:)
  integer, pointer :: q(:)
  integer :: i
  n = [1, 2, 3, 4, 5]
  x%p => n
  y%p => n
  q => n
  o%x(2)%p => n
  allocate(z(2))
  z(2)%p => n
  n(2:5) = x%p(1:4)
  call show('to the target')
  x%p(2:5) = n(1:4)
  call show('from the target')
  x%p(2:5) = y%p(1:4)
  call show('two components')
  x%p(2:5) = q(1:4)
  call show('from a pointer')
  q(2:5) = o%x(2)%p(1:4)
  call show('to a pointer')
  n = z(2)%p(5:1:-1)
  call show('turned')
  n(x%p) = [9, 8, 7, 6, 5]
  call show('as subscripts')
  forall (i = 2:5) n(i) = x%p(i - 1)
  call show('forall')
  forall (i = 2:5) x%p(i) = n(i - 1)
  call show('forall to a component')
  forall (i = 2:5) n(i) = get(x, i - 1)
  call show('in a function')
  forall (i = 1:5) n(x%p(i)) = 6 - i
  call show('forall with subscripts')
  where (x%p > 2) n = x%p(5:1:-1)
  call show('where')
  where (n > 2)
    x%p = 0
  elsewhere
    x%p = n + 10
  end where
  call show('where to a component')
  associate (a => n, b => x%p)
    a(2:5) = b(1:4)
  end associate
  call show('associate')
  n(2:5) = part(1, 4)
  call show('from a function')
  n(2:5) = part(1, 4) + 0
  call show('from an expression')
  part(2, 5) = n(1:4)
  call show('to a function')
  part(2, 5) = part(1, 4)
  call show('two functions')
  call shift(n, x)
  call show('dummy')
  x%fixed = 1
  x%fixed(2:5) = x%fixed(1:4) + x%p(1:4)
  print '(5i3)', x%fixed
end program
