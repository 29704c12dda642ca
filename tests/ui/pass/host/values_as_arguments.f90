! The actual argument transpose(x) is a value: what the procedure does to x does not show in it, and what it does to the
! value does not reach x.
module state
  implicit none
  real :: u(2, 3)
  integer :: b(6)
  type t
    integer :: i
  end type
  type(t) :: o(2)
contains
  subroutine step(v)
    real, intent(in) :: v(:, :)
    u = 0
    print '(a,f6.1,2i3)', 'step', sum(v), shape(v)
  end subroutine
  subroutine explicit(v)
    integer :: v(6)
    b = 7
    print '(a,6i3)', 'explicit', v
    v = 1
  end subroutine
  subroutine assumed(v)
    integer :: v(:, :)
    b(1) = 70
    print '(a,6i3)', 'assumed', v
    v = 2
  end subroutine
  subroutine sized(v)
    integer :: v(*)
    b = 9
    print '(a,6i3)', 'sized', v(1:6)
  end subroutine
  subroutine objects(v)
    type(t) :: v(:)
    o%i = 0
    print '(a,4i3)', 'objects', v%i
  end subroutine
  function held(v)
    integer, intent(in) :: v(:)
    integer :: held(size(v))
    b = -1
    held = v
  end function
end module

program values_as_arguments
  use state
  implicit none
  u = 1
  call step(transpose(u))
  print '(a,f6.1)', 'u', sum(u)
  u = 1
  call step((u))
  u = 1
  call step(reshape(u, [2, 3]))
  b = [1, 2, 3, 4, 5, 6]
  call explicit(reshape(b, [3, 2]))
  print '(6i3)', b
  b = [1, 2, 3, 4, 5, 6]
  call assumed(reshape(b, [3, 2]))
  print '(6i3)', b
  b = [1, 2, 3, 4, 5, 6]
  call assumed(spread(b(1:3), 2, 2))
  print '(6i3)', b
  b = [1, 2, 3, 4, 5, 6]
  call sized(reshape(b, [2, 3]))
  b = [1, 2, 3, 4, 5, 6]
  call sized(transpose(reshape(b, [2, 3])))
  o%i = [3, 4]
  call objects(reshape(o, [2]))
  o%i = [3, 4]
  call objects([o])
  o%i = [3, 4]
  call objects((o))
  b = [1, 2, 3, 4, 5, 6]
  print '(a,6i3)', 'held', held(reshape(b, [6]))
  b = [1, 2, 3, 4, 5, 6]
  print '(a,6i3)', 'held', held(cshift(b, 1))
  b = [1, 2, 3, 4, 5, 6]
  print '(a,6i3)', 'held', held(pack(b, b > 0))
  b = [1, 2, 3, 4, 5, 6]
  print '(a,6i3)', 'held', held(b([6, 5, 4, 3, 2, 1]))
  b = [1, 2, 3, 4, 5, 6]
  call explicit(reshape(b, [6]) + 0)
  print '(6i3)', b
end program
