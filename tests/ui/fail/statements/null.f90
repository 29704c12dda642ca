! `null()` where nothing can be disassociated.
module m
  implicit none
  type :: inner
    integer :: i
  end type
  type :: outer
    type(inner) :: part
    integer, pointer :: p => null()
    integer, allocatable :: a
  end type
contains
  subroutine takes(x, o, p)
    integer, intent(in) :: x
    integer, optional, intent(in) :: o
    integer, pointer, optional, intent(in) :: p
  end subroutine
end module

program main
  use m
  implicit none
  integer, pointer :: p, v(:)
  real, pointer :: r
  type(outer) :: x
  logical :: l
  x = outer(inner(1), null(), null())
  x = outer(null(), null(), null()) !~ E0337
  call takes(1, null(), null())
  call takes(null()) !~ E0337
  p => null(p)
  v => null()
  v(1:2) => null() !~ E0337
  l = associated(p, null(p))
  print *, abs(null(r)) !~ E0337
  associate (y => null()) !~ E0337
  end associate
  associate (y => abs(null(r))) !~ E0337
    print *, y
  end associate
end program
