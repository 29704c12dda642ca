! Polymorphic objects of derived types with length parameters that are known at run time only.
module shapes
  implicit none
  type :: base(k, n)
    integer, kind :: k = 4
    integer, len :: n = 3
    real(k) :: x(n) = 2
  contains
    procedure :: report
  end type
  type, extends(base) :: named(m)
    integer, len :: m
    character(len=m) :: name = 'none'
  contains
    procedure :: report => report_named
  end type
contains
  subroutine report(this)
    class(base(4, *)), intent(in) :: this
    print '(a, i3, *(f5.1))', 'base', this%n, this%x
  end subroutine
  subroutine report_named(this)
    class(named(4, *, *)), intent(in) :: this
    print '(a, 2i3, 1x, 2a, *(f5.1))', 'named', this%n, this%m, this%name, '|', this%x
  end subroutine
  subroutine clear(x)
    class(base(4, *)), intent(out) :: x
    call x%report()
  end subroutine
  subroutine automatic(n)
    integer, intent(in) :: n
    type(named(4, n, 2*n)) :: it
    it%name = 'automatic'
    it%base%x = n
    call it%report()
    call it%base%report()
    call clear(it)
  end subroutine
end module
program p
  use shapes
  implicit none
  class(base(4, :)), allocatable :: a, b
  class(*), allocatable :: u
  type(named(n=2, m=5)) :: d
  allocate(base(4, 2) :: a)
  call a%report()
  a%x = [5.0, 6.0]
  call a%report()
  call clear(a)
  deallocate(a)
  allocate(named(4, 4, 3) :: a)
  call a%report()
  select type (a)
  type is (base(4, *))
    print *, 'wrong'
  type is (named(4, *, *))
    a%name = 'xyz'
    print '(a, 2i3)', 'found', a%n, len(a%name)
  end select
  allocate(b, source=a)
  call b%report()
  deallocate(b)
  allocate(b, mold=a)
  call b%report()
  d%name = 'ddddd'
  a = d
  call a%report()
  call d%report()
  u = d
  select type (u)
  type is (base(4, *))
    print *, 'wrong'
  class is (base(4, *))
    call u%report()
  end select
  call automatic(3)
  print *, same_type_as(a, d), extends_type_of(d, b)
end program
