! What is not allocated or associated is absent as an argument of an optional `class(*)` dummy too (Fortran 2018, 15.5.2.12).
program main
  implicit none
  type t
    integer :: n = 1
    real, allocatable :: part(:)
    type(t), pointer :: next => null()
  end type
  integer, allocatable :: x(:), y
  integer, pointer :: px(:) => null(), py => null()
  type(t), allocatable :: o
  type(t) :: whole
  class(t), allocatable :: c
  call ask(x, y)
  call ask(px, py)
  call ask(b=o)
  call ask(whole%part, whole%next)
  call ask(b=c)
  call hand_on()
  allocate (x(2), y, px(3), py, o, c)
  allocate (whole%part(1), whole%next)
  call ask(x, y)
  call ask(px, py)
  call ask(b=o)
  call ask(whole%part, whole%next)
  call ask(b=c)
  call hand_on(y, x)
contains
  subroutine ask(a, b)
    class(*), optional :: a(:), b
    print *, present(a), present(b)
    if (present(a)) print *, size(a)
  end subroutine

  subroutine hand_on(i, list)
    integer, optional :: i, list(:)
    call ask(list, i)
  end subroutine
end program
