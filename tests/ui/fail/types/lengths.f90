! Lengths of derived types that stand where they cannot, or differ from those of the declaration.
module m
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n)
    type(row(:)), allocatable :: next
  end type
  type :: bad(n)
    integer, len :: n
    type(row(*)) :: part !~ E0339
  end type
  type(bad(2)) :: whole
  integer :: count = 3
  type(row(count)) :: changing !~ E0339
contains
  subroutine uses(r)
    type(row(*)), intent(inout) :: r
    type(row(*)) :: local !~ E0339
    type(row(:)) :: deferred !~ E0339
    type(row(:)), allocatable :: a
    type(row(3)), allocatable :: b
    allocate(a) !~ E0339
    allocate(row(4) :: b) !~ E0339
    allocate(row(4) :: a)
    r%n = 4 !~ E0311
    a = row(*)([1.0]) !~ E0339
    a = row(4)() !~ E0315
    a = row(4)([1.0, 2.0, 3.0, 4.0], n=3) !~ E0204
    print *, a%next%n
    allocate(row(:) :: a%next) !~ E0339
    call open(b) !~ E0415
    call closed(a) !~ E0415
  end subroutine
  subroutine open(r)
    type(row(:)), allocatable, intent(inout) :: r
  end subroutine
  subroutine closed(r)
    type(row(3)), allocatable, intent(inout) :: r
  end subroutine
end module
program p
end program
