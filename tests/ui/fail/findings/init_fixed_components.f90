! Components at a fixed place of an object with run-time lengths hold nothing at first either, but for those with a default value.
! run: --check init
module m
  implicit none
  type :: part
    integer :: i = 8, j
  end type
  type :: t(n)
    integer, len :: n
    integer(1) :: c
    real(8) :: z
    integer :: v(n)
    integer :: d = 4
    type(part) :: p
  end type
contains
  subroutine go(n)
    integer, intent(in) :: n
    type(t(n)) :: h(2), s
    s%v(1) = 3
    h(2)%c = 1
    print *, s%v(1), s%d, h(1)%d, s%p%i, h(2)%c, s%n
    print *, s%v(2)             !~ R0304
    print *, s%z                !~ R0304
    print *, h(1)%z             !~ R0304
    print *, s%p%j              !~ R0304
    s%z = 2
    h(1) = s
    print *, h(1)%z
    print *, h(1)%c             !~ R0304
  end subroutine
end module
program p
  use m
  call go(2)
end program
