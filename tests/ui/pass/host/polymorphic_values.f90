! Polymorphic arrays as values: in parentheses, with vector subscripts, as results; their dynamic type stays
! (Fortran 2018, 10.1.8, 10.1.9.2, 11.1.3.3).
module shapes
  implicit none
  type :: base
    integer :: label = 1
  end type
  type, extends(base) :: ext
    real(8) :: r = 2
  end type
contains
  function same(x) result(y)
    class(base), intent(in) :: x(:)
    class(base), allocatable :: y(:)
    allocate (y, source=x)
  end function
  subroutine show(what, a)
    character(*), intent(in) :: what
    class(*), intent(in) :: a(:)
    select type (a)
    type is (ext)
      print '(a,*(i3,f4.1))', what, a(1)%label, a(1)%r, a(2)%label, a(2)%r
    class is (base)
      print '(a,*(i3))', what, a%label
    type is (integer)
      print '(a,*(i3))', what, a
    class default
      print '(a)', what
    end select
  end subroutine
  subroutine show_explicit(what, a)
    character(*), intent(in) :: what
    class(base), intent(in) :: a(2)
    call show(what, a)
  end subroutine
end module

program values
  use shapes
  implicit none
  class(base), allocatable, target :: x(:)
  class(base), pointer :: q(:)
  class(*), allocatable :: u(:)
  allocate (x(3), source=[ext(1, 1d0), ext(2, 2d0), ext(3, 3d0)])
  call show('whole', x)
  call show('parentheses', (x))
  call show('section', (x(3:1:-1)))
  call show('subscripts', x([3, 1, 1]))
  call show('result', same(x))
  call show('result of a value', same((x)))
  call show('value of a result', (same(x(2:))))
  call show_explicit('explicit', x([2, 3]))
  q(0:) => x(::2)
  call show('pointer', (q))
  associate (z => x([2, 1, 2]))
    call show('name', z)
    print *, size(z), same_type_as(z, x)
  end associate
  associate (z => (x))
    x(1)%label = 9
    call show('name of a value', z)
  end associate
  allocate (u, source=[7, 8, 9])
  call show('unlimited', (u))
  call show('unlimited', u([3, 2]))
  deallocate (u)
  allocate (u, source=x)
  call show('unlimited', (u))
  associate (z => u([3, 1]))
    call show('unlimited', z)
  end associate
end program
