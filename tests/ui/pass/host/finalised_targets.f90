! What the target of an assignment holds is finalised once its value is complete: whole arrays, sections, elements that subscripts
! choose, scalars for arrays, values that name the target; in WHERE and FORALL the elements that are assigned.
module kinds
  implicit none
  type :: t
    integer :: i = 0
  contains
    final :: gone, gone_row
  end type
  type :: outer
    type(t) :: x
    integer :: k = 0
  end type
  integer :: sum_of_gone = 0, rows = 0
contains
  subroutine gone(a)
    type(t), intent(inout) :: a
    sum_of_gone = sum_of_gone + a%i
    a%i = -1
  end subroutine
  subroutine gone_row(a)
    type(t), intent(inout) :: a(:)
    rows = rows + 1
    sum_of_gone = sum_of_gone + sum(a%i)
    a%i = -1
  end subroutine
  subroutine show(what, now)
    character(*), intent(in) :: what
    integer, intent(in) :: now(:)
    print '(a,2i5,a,*(i4))', what, sum_of_gone, rows, ';', now
    sum_of_gone = 0
    rows = 0
  end subroutine
end module
program p
  use kinds
  implicit none
  type(t) :: a(3), b(3)
  type(t), allocatable :: c(:)
  type(outer) :: d(3)
  integer :: i
  b%i = [4, 5, 6]
  a%i = [1, 10, 100]
  a = b
  call show('whole', a%i)
  a%i = [1, 10, 100]
  a = a
  call show('itself', a%i)
  a%i = [1, 10, 100]
  a = a(3:1:-1)
  call show('turned', a%i)
  a%i = [1, 10, 100]
  a = t(7)
  call show('scalar', a%i)
  a%i = [1, 10, 100]
  a = a(2)
  call show('own element', a%i)
  a%i = [1, 10, 100]
  a(2:3) = a(1:2)
  call show('section', a%i)
  a%i = [1, 10, 100]
  a([3, 1]) = b(1:2)
  call show('chosen', a%i)
  a%i = [1, 10, 100]
  a = [t(7), t(8), t(9)]
  call show('constructor', a%i)
  a%i = [1, 10, 100]
  where (b%i > 4) a = b
  call show('where', a%i)
  a%i = [1, 10, 100]
  where (b%i > 4) a = a(3:1:-1)
  call show('where turned', a%i)
  a%i = [1, 10, 100]
  forall (i = 1:2) a(i) = a(i + 1)
  call show('forall', a%i)
  a%i = [1, 10, 100]
  c = a
  call show('new', c%i)
  c = t(3)
  call show('allocatable', c%i)
  c%i = [1, 10, 100]
  c = c(3:1:-1)
  call show('allocatable turned', c%i)
  c = c(1:2)
  call show('shorter', c%i)
  d%x%i = [1, 10, 100]
  where (d%x%i > 1) d = outer(t(3), 4)
  call show('part', d%x%i)
end program
