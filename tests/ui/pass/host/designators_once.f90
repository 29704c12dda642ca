! A designator whose subscript is a function is evaluated once: as an argument for `class(*)`, as the selector of SELECT TYPE, and as the
! object of which a procedure pointer component with PASS is called (Fortran 2018, 10.1.4).
module m
  implicit none
  type part
    integer :: n = 0
  end type
  type, extends(part) :: more
    integer :: k = 7
  end type
  type ob
    real, allocatable :: a(:)
    character(:), allocatable :: c
    integer :: id = 0
    class(*), allocatable :: u
    class(*), allocatable :: ua(:)
    class(part), allocatable :: p
    procedure(show), pointer :: pp => null()
    procedure(double), pointer, pass(this) :: pf => null()
    procedure(text), pointer :: pt => null()
    type(ob), pointer :: next => null()
  end type
  type(ob), target :: o(2)
  integer :: calls = 0
contains
  integer function next()
    calls = calls + 1
    next = calls
  end function
  subroutine told(what)
    character(*), intent(in) :: what
    print '(2a,i0)', what, ' ', calls
    calls = 0
  end subroutine
  subroutine show(this)
    class(ob), intent(in) :: this
    print '(a,i0)', 'show ', this%id
  end subroutine
  subroutine other(this)
    class(ob), intent(in) :: this
    print '(a,i0)', 'other ', this%id
  end subroutine
  integer function double(n, this)
    integer, intent(in) :: n
    class(ob), intent(inout) :: this
    this%id = this%id * 2
    double = this%id + n
  end function
  function text(this) result(r)
    class(ob), intent(in) :: this
    character(:), allocatable :: r(:)
    r = [this%c, 'z' // this%c(2:)]
  end function
  subroutine vector(x)
    class(*), intent(in) :: x(:)
    select type (x)
    type is (real)
      print '(i0,*(f5.1))', size(x), x
    end select
  end subroutine
  subroutine scalar(x)
    class(*), intent(in) :: x
    select type (x)
    type is (character(*))
      print '(i0,1x,a)', len(x), x
    type is (integer)
      print '(i0)', x
    end select
  end subroutine
  subroutine any_rank(x)
    class(*), intent(in), optional :: x(..)
    print '(i0,1x,i0)', rank(x), size(x)
  end subroutine
end module
program main
  use m
  implicit none
  class(*), allocatable :: nothing
  integer :: i
  o(1)%a = [1., 2.]; o(2)%a = [3., 4., 5.]; o(1)%c = 'ab'; o(2)%c = 'cdefg'
  o%id = [10, 20]
  o(1)%u = 42; o(2)%u = 1.5d0
  allocate (o(1)%ua, source=[1, 2, 3]); allocate (o(2)%ua, source=[.true.])
  allocate (more :: o(1)%p); allocate (part :: o(2)%p)
  o(1)%pp => show; o(2)%pp => other
  o(1)%pf => double; o(2)%pf => double
  o(1)%pt => text; o(2)%pt => text
  o(1)%next => o(2); o(2)%next => o(1)

  call vector(o(next())%a); call told('vector')
  call scalar(o(next())%c); call told('scalar')
  call scalar(o(next())%id); call told('number')
  call any_rank(o(next())%a); call told('any rank')

  select type (y => o(next())%u)
  type is (integer)
    print '(i0)', y
    y = y + 1
  type is (real(8))
    print '(f4.1)', y
  end select
  call told('select type')
  call scalar(o(1)%u)
  select type (y => o(next())%ua)
  type is (integer)
    print '(*(i0,1x))', lbound(y), y
  class default
    print '(a)', 'other'
  end select
  call told('select type of an array')
  select type (y => o(next())%p)
  class is (more)
    print '(i0)', y%k
  class default
    print '(a)', 'part'
  end select
  call told('select type of a class')
  print '(l1)', extends_type_of(o(next())%p, nothing)
  call told('extends_type_of')

  call o(next())%pp(); call told('pass')
  i = o(next())%pf(1); call told('function')
  print '(i0,2(1x,i0))', i, o%id
  print '(*(a,1x))', o(next())%pt(); call told('characters')
  call o(next())%next%pp(); call told('part')
  print '(i0)', o(next())%pf(o(next())%id); call told('twice')
end program
