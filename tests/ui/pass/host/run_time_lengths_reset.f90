! INTENT(OUT) arguments with lengths known at run time get their default values where they are: pointers to their parts stay valid.
module m
  implicit none
  integer :: ended = 0
  type :: small
    integer, allocatable :: a(:)
    integer :: k = 1
  end type
  type :: inner(k)
    integer, len :: k
    integer :: c(k) = 7
    type(small) :: s(k)
  contains
    final :: end_inner
  end type
  type :: outer(n)
    integer, len :: n
    integer :: x(n) = 2
    integer, allocatable :: own(:)
    integer, pointer :: p => null()
    type(inner(2)) :: fixed
    type(inner(n)) :: list(n)
    type(small) :: plain
    character(n) :: name = 'abc'
  end type
contains
  impure elemental subroutine end_inner(r)
    type(inner(*)), intent(inout) :: r
    ended = ended + 1
  end subroutine
  subroutine reset(r)
    type(outer(*)), intent(out) :: r(:)
    print '(a, 3i4)', 'reset', size(r), r%n, ended
  end subroutine
  subroutine reset_one(r)
    type(outer(*)), intent(out) :: r
    print '(a, 4i4)', 'one', r%n, r%x(1), r%list(1)%s(1)%k, ended
    if (allocated(r%own) .or. associated(r%p) .or. allocated(r%list(1)%s(1)%a)) print *, 'still there'
  end subroutine
  subroutine show(r)
    type(outer(*)), intent(in) :: r
    integer :: i
    print '(a, *(i4))', r%name, r%x, r%fixed%c, (r%list(i)%c, i = 1, r%n), r%plain%k
    print '(*(l2))', allocated(r%own), associated(r%p), allocated(r%plain%a), (allocated(r%list(i)%s(1)%a), i = 1, r%n)
  end subroutine
  subroutine fill(r)
    type(outer(*)), intent(inout) :: r
    integer, target, save :: t
    integer :: i
    r%x = 9
    r%own = [1, 2]
    r%p => t
    r%fixed%c = 8
    do i = 1, r%n
      r%list(i)%c = 10*i
      r%list(i)%s(1)%a = [3]
      r%list(i)%s(1)%k = 4
    end do
    r%plain%a = [5, 6]
    r%plain%k = 3
    r%name = 'zz'
  end subroutine
end module
program p
  use m
  implicit none
  type(outer(:)), allocatable, target :: r(:)
  integer, pointer :: q(:), part(:), c(:)
  integer :: i
  allocate (outer(3) :: r(4))
  do i = 1, 4
    call fill(r(i))
    call fill(r(i))
  end do
  part => r(2)%x
  call reset(r(2:3))
  do i = 1, 4
    call show(r(i))
  end do
  print '(a, *(i4))', 'kept', part
  q => r%x(2)
  c => r%list(2)%c(1)
  print '(a, *(i4))', 'all', q, c
  call reset_one(r(4))
  q(4) = 12
  print '(a, *(i4))', 'again', r(4)%x, r(1)%x
  call show(r(4))
end program
