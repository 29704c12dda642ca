! A FINAL subroutine whose dummy has any rank finalises what no other one is for (Fortran 2018, 7.5.6.2); DEALLOCATE frees what it has
! finalised, also if that moves the pointer.
module objects
  implicit none
  type :: ob
    integer :: n = 4
  contains
    final :: end_any, end_scalar
  end type
  type :: link
    integer :: n = 0
    type(link), pointer :: next => null(), before => null()
  contains
    final :: unlink
  end type
contains
  subroutine end_any(x)
    type(ob), intent(inout) :: x(..)
    print '(a,2i2)', 'any', rank(x), size(x)
  end subroutine
  subroutine end_scalar(x)
    type(ob), intent(inout) :: x
    print '(a)', 'scalar'
  end subroutine
  subroutine unlink(self)
    type(link), intent(inout) :: self
    print '(a,i2)', 'unlink', self%n
    if (associated(self%next)) self%next%before => self%before
    if (associated(self%before)) self%before%next => self%next
  end subroutine
end module

program main
  use objects
  implicit none
  type(link), pointer :: a, b, c
  call objects_of_ranks()
  allocate (a, b, c)
  a%n = 1
  b%n = 2
  c%n = 3
  a%next => b
  b%before => a
  b%next => c
  c%before => b
  deallocate (c%before)
  print '(i2,l2)', a%next%n, associated(a%next, c)
  c%before => a
  deallocate (a)
  print '(l1)', associated(c%before)
  deallocate (c)
contains
  subroutine objects_of_ranks()
    type(ob) :: x
    type(ob), allocatable :: y(:,:), z(:)
    allocate (y(2,2), z(3))
    deallocate (y)
  end subroutine
end program
