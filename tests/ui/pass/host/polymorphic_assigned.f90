! Intrinsic assignment to an allocated polymorphic variable whose type and shape stay: it is not allocated anew. Pointers to it
! stay associated, and an array keeps its bounds (Fortran 2018, 10.2.1.3).
module shapes
  implicit none
  type :: base
    integer :: label = 1
  end type
  type, extends(base) :: ext
    real(8) :: r = 2
    character(:), allocatable :: name
  end type
  type, extends(base) :: ended
    integer :: k = 0
  contains
    final :: end_it
  end type
contains
  subroutine end_it(x)
    type(ended), intent(inout) :: x
    print '(a,i0)', 'end of ', x%k
    x%k = -1
  end subroutine
end module

program assigned
  use shapes
  implicit none
  class(base), allocatable, target :: x(:), y(:), s, t
  class(base), pointer :: p, q(:)
  class(*), allocatable, target :: u
  class(*), pointer :: v
  allocate (x(2), source=[ext(1, 1d0, 'one'), ext(2, 2d0, 'two')])
  allocate (y(3:4), source=[ext(3, 1d0, 'three'), ext(4, 2d0, 'four')])
  allocate (s, source=ext(8, 8d0, 'eight'))
  allocate (t, source=ext(9, 9d0, 'nine'))
  p => s
  q => x
  s = t
  x = y
  print *, associated(p, s), p%label, associated(q, x), q%label
  print *, lbound(x), lbound(q)
  x = x(2:1:-1)
  print *, q%label, lbound(x)
  x = [x, x]
  print *, size(x), lbound(x)
  select type (x)
  type is (ext)
    print *, x(1)%name, ' ', x(2)%name, ' ', x(3)%name, x%r
  end select
  s = base(5)
  print *, s%label, same_type_as(s, t)
  s = (s)
  print *, s%label
  deallocate (s)
  allocate (s, source=ended(1, 10))
  p => s
  print *, 'assign'
  s = ended(2, 20)
  print *, 'assigned'
  select type (p)
  type is (ended)
    print *, p%label, p%k
  end select
  allocate (u, source=1.5)
  v => u
  u = 2.5
  select type (v)
  type is (real)
    print *, v
  end select
  u = 'text'
  select type (u)
  type is (character(*))
    print *, u, len(u)
  end select
end program
