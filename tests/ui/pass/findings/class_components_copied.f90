! Copies of objects whose polymorphic components are not allocated read nothing of those.
! run: --check init
program p
  implicit none
  type t
    integer :: v = 0
    class(*), allocatable :: u, w(:)
    class(t), allocatable :: n
  end type
  type(t) :: a, b
  type(t), allocatable :: list(:)
  list = [a, b]
  print '(i0)', size(list)
  allocate (b%n)
  b%n%v = 4
  b = b%n
  print '(i0, 2l2)', b%v, allocated(b%u), allocated(b%n)
  a%w = [1, 2]
  list = [a, b]
  print '(2l2, i2)', allocated(list(1)%w), allocated(list(2)%w), size(list(1)%w)
end program
