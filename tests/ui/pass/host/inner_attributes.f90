! VOLATILE and ASYNCHRONOUS for a variable of the host or of a module say something about that variable here; they make no other.
module shared_state
  implicit none
  integer :: n = 3, m = 4
end module

program inner_attributes
  use shared_state, only: n
  implicit none
  volatile :: n
  integer :: l = 5
  real :: r = 1.5
  print '(i3)', n
  call inner
  print '(2i3,f5.1)', l, n, r
  block
    volatile :: l
    l = l + 1
    print '(i3)', l
  end block
  call other
contains
  subroutine inner
    use shared_state
    volatile :: l
    asynchronous :: r, m
    l = l + 1
    n = n + 1
    r = r + 1
    print '(2i3,f5.1)', l, m, r
  end subroutine
end program

subroutine other
  use shared_state
  asynchronous :: m
  volatile m
  print '(i3)', m
end subroutine
