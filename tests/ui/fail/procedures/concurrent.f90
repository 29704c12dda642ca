! What is not pure in FORALL, DO CONCURRENT and pure procedures; index ranges; what an ALLOCATE statement may not mix.
module m
  implicit none
  type :: t
    integer :: i = 1
  end type
  type :: box
    integer, allocatable :: a(:), b(:)
  end type
  interface assignment(=)
    module procedure whole
  end interface
contains
  subroutine whole(a, b)
    type(t), intent(out) :: a(2)
    integer, intent(in) :: b(2)
    a%i = b
  end subroutine
  logical function odd(i)
    integer, intent(in) :: i
    odd = mod(i, 2) == 1
  end function
  pure subroutine calls(f) !~ E0329
    interface
      subroutine f()
      end subroutine
    end interface
  end subroutine
  pure subroutine clears(x)
    class(t), intent(out) :: x !~ E0333
  end subroutine
  subroutine lengths(n, s)
    integer, intent(in) :: n
    character(len=*), intent(in) :: s
    character(len=4), allocatable :: c
    character(len=:), allocatable :: d
    allocate (character(len=4) :: c)
    deallocate (c)
    allocate (character(len=5) :: c) !~ E0317
    allocate (character(len=*) :: d) !~ E0317
    allocate (character(len=n) :: d)
  end subroutine
end module

program main
  use m
  implicit none
  integer :: i, j, a(4), b(4, 4), stat
  real :: r
  type(box) :: x
  type(t) :: u(2)
  integer, allocatable :: v(:), w(:)
  forall (i=1:4, odd(i)) a(i) = 1 !~ E0329
  forall (i=1:4, j=i:4) b(i, j) = 1 !~ E0330
  forall (i=1:4:0) a(i) = 1 !~ E0607
  forall (real :: k = 1:4) a = 1 !~ E0307
  do concurrent (i=1:4)
    call random_number(r) !~ E0329
    a(i) = int(r)
  end do
  where ([.true., .false.]) u = [1, 2] !~ E0330
  allocate (v(2), w(size(v))) !~ E0334
  allocate (x%a(2), stat=x%a(1)) !~ E0334
  allocate (x%a(2), stat=x%b(1))
  allocate (v(2), stat=stat)
end program
