! Generic names that extend intrinsic procedures, take their specific names or differ in alternate returns; binding labels in
! place of names; `null` for an allocatable argument.
subroutine worker(n) bind(c, name='first_worker')
  integer, intent(inout) :: n
  n = n + 1
end subroutine

subroutine worker(n) bind(c, name='second_worker')
  integer, intent(inout) :: n
  n = n + 10
end subroutine

module roots
  implicit none
  type pair
    real :: a, b
  end type
  interface sqrt
    module procedure root
  end interface
contains
  elemental type(pair) function root(x)
    type(pair), intent(in) :: x
    root = pair(x%b, x%a)
  end function
end module

module intrinsics
  implicit none
  intrinsic :: sqrt
end module

module steps
  implicit none
  interface step
    module procedure with_label, with_value
  end interface
contains
  subroutine with_label(i, *)
    integer, intent(in) :: i
    if (i > 0) return 1
  end subroutine
  subroutine with_value(i, j)
    integer, intent(in) :: i
    integer, intent(out) :: j
    j = 2 * i
  end subroutine
end module

program main
  use roots
  use intrinsics
  use steps, only: step
  implicit none
  interface
    subroutine one(n) bind(c, name='first_worker')
      integer, intent(inout) :: n
    end subroutine
    subroutine ten(n) bind(c, name='second_worker')
      integer, intent(inout) :: n
    end subroutine
  end interface
  intrinsic :: alog, dlog
  interface logarithm
    procedure alog, dlog
  end interface
  type(pair) :: p
  integer :: n
  integer, allocatable :: a(:)
  p = sqrt(pair(1.0, 2.0))
  print '(3f5.1)', p, sqrt(16.0)
  print '(2f5.1)', logarithm(1.0), logarithm(1d0)
  call step(4, n)
  call one(n)
  call ten(n)
  print *, n
  call shown(null(a))
  call shown(null())
  allocate (a(2))
  call shown(a)
contains
  subroutine shown(x)
    integer, allocatable, intent(in) :: x(:)
    print *, allocated(x)
  end subroutine
end program
