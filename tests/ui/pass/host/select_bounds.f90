! The associate name of SELECT TYPE has the bounds of its selector, if that is a whole array.
program select_bounds
  implicit none
  type b
    integer :: i = 0
  end type
  type, extends(b) :: c
    integer :: j = 0
  end type
  class(b), pointer :: p(:)
  class(b), allocatable :: q(:, :)
  class(*), allocatable :: u(:)
  class(*), pointer :: s(:)
  integer :: k
  allocate (p(0:2))
  p%i = [10, 11, 12]
  select type (p)
  class is (b)
    print '(a,2i4)', 'class is', lbound(p), ubound(p)
    print '(3i4)', (p(k)%i, k = lbound(p, 1), ubound(p, 1))
  end select
  select type (p)
  type is (b)
    print '(a,2i4)', 'type is', lbound(p), ubound(p)
    print '(3i4)', p(0)%i, p(2)%i, p(1)%i
  end select
  select type (x => p(1:2))
  class is (b)
    print '(a,2i4)', 'section', lbound(x), ubound(x)
    print '(2i4)', x(1)%i, x(2)%i
  end select
  allocate (c :: q(-1:0, 3:4))
  q%i = reshape([1, 2, 3, 4], [2, 2])
  select type (q)
  class is (c)
    q(-1, 3)%j = 5
    print '(a,4i4)', 'extension', lbound(q), ubound(q)
    print '(8i4)', q%i, q%j
  end select
  select type (q)
  type is (c)
    q(0, 4)%j = 6
    print '(a,4i4)', 'extension', lbound(q), ubound(q)
    print '(8i4)', q%i, q%j
  end select
  allocate (integer :: u(5:7))
  select type (u)
  type is (integer)
    u = [7, 8, 9]
    print '(a,2i4)', 'unlimited', lbound(u), ubound(u)
    print '(i4)', u(5)
  end select
  allocate (real :: s(-3:-2))
  select type (s)
  type is (real)
    s = [1.5, 2.5]
    print '(a,2i4)', 'unlimited', lbound(s), ubound(s)
    print '(f4.1)', s(-3)
  end select
  call dummy(p, q)
contains
  subroutine dummy(a, z)
    class(b) :: a(4:)
    class(b), allocatable :: z(:, :)
    select type (a)
    class is (b)
      print '(a,2i4)', 'dummy', lbound(a), ubound(a)
      print '(i4)', a(4)%i
    end select
    associate (z => z)
      print '(a,4i4)', 'associate', lbound(z), ubound(z)
    end associate
    select type (z)
    type is (c)
      print '(a,4i4)', 'allocatable dummy', lbound(z), ubound(z)
      print '(i4)', z(0, 4)%j
    end select
  end subroutine
end program
