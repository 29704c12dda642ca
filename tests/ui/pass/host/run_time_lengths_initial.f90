! Named constants and variables with initial values whose types have length parameters that are known at run time only elsewhere.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    real :: x(n) = 7
    character(n) :: name = 'none'
  end type
  type :: held
    type(line(3)) :: of
    integer :: k = 5
  end type
  type :: begun
    type(line(3)) :: of = line(3)([1.0, 2.0, 3.0], 'of')
    type(line(1)) :: two(2) = line(1)(4.0, 'two')
  end type
  type(line(2)), parameter :: pair = line(2)([1.0, 2.0], 'ab')
  type(line(2)) :: initial = line(2)([3.0, 4.0], 'cd')
  type(line(2)), save :: several(2) = [line(2)([1.0, 2.0], 'x'), pair]
  type(line(4)), target :: same(3) = line(4)(0.5, 'same')
  type(held) :: whole = held(line(3)(9.0, 'abc'), 6)
  integer, parameter :: length = pair%n
contains
  subroutine show(l)
    type(line(*)), intent(in) :: l
    print '(i0, 1x, a, *(f5.1))', l%n, l%name, l%x
  end subroutine
  integer function counted()
    type(line(1)), save :: state = line(1)(0.0, 's')
    state%x = state%x + 1
    counted = nint(state%x(1))
  end function
end module
program p
  use m
  implicit none
  type(line(2)), parameter :: own = pair
  type(line(length)) :: l
  type(line(:)), allocatable :: a
  integer :: i
  call show(pair)
  call show(initial)
  call show(several(1))
  call show(several(2))
  call show(same(3))
  call show(whole%of)
  call show(own)
  print *, whole%k, pair%x(2), size(several), length
  l = pair
  l%x = l%x + pair%x
  call show(l)
  allocate (a, source=pair)
  call show(a)
  initial = line(2)(pair%x(2:1:-1), pair%name)
  call show(initial)
  do i = 1, 3
    print *, counted()
  end do
  call begin()
  call begin()
contains
  subroutine begin()
    type(begun) :: b
    type(begun), allocatable :: c(:)
    call show(b%of)
    call show(b%two(2))
    b%of%x = 0
    allocate (c(2))
    call show(c(2)%of)
    b = begun(two=line(1)(5.0, 't'))
    call show(b%of)
    call show(b%two(1))
  end subroutine
end program
