! Components whose sizes are length parameters known at run time only, of each object of an array: as arguments that change, in
! WHERE and FORALL.
module m
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 0
    character(n) :: name = ''
  end type
contains
  subroutine set(x)
    real, intent(inout) :: x(:)
    integer :: i
    x = x + [(i, i = 1, size(x))]
  end subroutine
  subroutine set_sequence(n, x)
    integer, intent(in) :: n
    real, intent(inout) :: x(n)
    x = 10*x
  end subroutine
  subroutine set_names(names)
    character(*), intent(inout) :: names(:)
    integer :: i
    do i = 1, size(names)
      names(i) = repeat(achar(96 + i), len(names))
    end do
  end subroutine
  subroutine negate(x)
    class(*), intent(inout) :: x(:)
    select type (x)
    type is (real)
      x = -x
    end select
  end subroutine
  subroutine table(x)
    real, intent(out) :: x(:, :)
    integer :: i
    x = reshape([(i, i = 1, size(x))], shape(x))
  end subroutine
end module
program p
  use m
  implicit none
  type(row(:)), allocatable :: r(:), t(:, :)
  integer :: i, n
  n = 3
  allocate (row(n) :: r(4), t(2, 2))
  call set(r%x(2))
  call set(r%x(2))
  call set_sequence(4, r%x(2))
  call set(r(4:1:-1)%x(1))
  call show()
  call set_names(r%name)
  print '(4a4)', (r(i)%name, i = 1, 4)
  where (r%x(2) > 30) r%x(3) = r%x(2) - 1
  where (r%x(1) > 2)
    r%x(1) = -r%x(1)
  elsewhere
    r%x(1) = r%x(2)
  end where
  call show()
  forall (i = 1:3) r%x(i) = r%x(4 - i) + i
  call show()
  forall (i = 1:2)
    where (r%x(i) > 50) r%x(i) = r%x(3 - i)
  end forall
  call show()
  call negate(r(2:4:2)%x(3))
  call show()
  call table(t%x(1))
  print '(4f6.1)', ((t(i, n)%x(1), i = 1, 2), n = 1, 2)
contains
  subroutine show()
    print '(3f7.1)', (r(i)%x, i = 1, 4)
  end subroutine
end program
