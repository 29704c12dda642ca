! Global names of two things, a type that cannot be extended, a generic as an interface, alternate returns, loop variables.
subroutine both() !~ E0212
end subroutine

subroutine uses_block()
  common /both/ i
  i = 1
end subroutine

module m
  implicit none
  type :: fixed
    sequence
    integer :: i
  end type
  type, extends(fixed) :: more !~ E0325
    integer :: j
  end type
  interface several
    module procedure one, two
  end interface
contains
  subroutine one(i)
    integer, intent(in) :: i
  end subroutine
  subroutine two(r)
    real, intent(in) :: r
  end subroutine
  subroutine leaves(*)
    return 1
  end subroutine
  subroutine cleared(x)
    class(*), intent(out) :: x(..)
  end subroutine
  subroutine gives(x)
    integer :: x(*)
    call cleared(x) !~ E0403
  end subroutine
end module

program main
  use m
  implicit none
  procedure(several), pointer :: p !~ E0218
  integer :: i, n
  integer, allocatable :: a
  integer :: plain
  character(len=2) :: word
  integer, pointer :: q
  call leaves() !~ E0401
  do i = 1, 3
    call changes() !~ E0319
    n = value() !~ E0319
    associate (k => value()) !~ E0319
      n = k
    end associate
  end do
  call changes()
  print *, ichar(word) !~ E0412
  print *, merge('a', 'bc', n > 1) !~ E0412
  print *, associated(q, plain) !~ E0412
  call move_alloc(a, a) !~ E0412
contains
  subroutine changes()
    i = i + 1
  end subroutine
  integer function value()
    do i = 1, 2
    end do
    value = i
  end function
end program
