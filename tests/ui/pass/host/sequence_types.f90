! SEQUENCE types with the same name and components are one type, wherever they are defined.
program sequence_types
  implicit none
  type pair
    sequence
    integer :: a
    real :: b(2)
    character(3) :: c
  end type
  type(pair) :: p, q(2)
  interface
    function made(n)
      type pair
        sequence
        integer :: a
        real :: b(2)
        character(3) :: c
      end type
      integer :: n
      type(pair) :: made
    end function
  end interface
  p = pair(1, [2., 3.], 'abc')
  call change(p)
  print '(i3,2f5.1,1x,a)', p
  p = made(7)
  print '(i3,2f5.1,1x,a)', p
  q = p
  call change(q(2))
  print '(2(i3,2f5.1,1x,a))', q
end program

subroutine change(x)
  implicit none
  type pair
    sequence
    integer :: a
    real :: b(2)
    character(3) :: c
  end type
  type(pair) :: x
  x%a = x%a + 10
  x%b = 2 * x%b
  x%c(1:1) = 'Z'
end subroutine

function made(n)
  implicit none
  type pair
    sequence
    integer :: a
    real :: b(2)
    character(3) :: c
  end type
  integer :: n
  type(pair) :: made
  made = pair(n, [0.5, 1.5], 'new')
end function
