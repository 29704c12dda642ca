! Results, arguments, pointers and records of derived types whose lengths are known at run time only.
module m
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 1
    character(n) :: s = 'abcdef'
  end type
  type :: matrix(rows, cols)
    integer, len :: rows, cols
    real :: a(rows, cols)
  end type
contains
  type(row(n)) function fresh(n)
    integer, intent(in) :: n
    fresh%x = n
  end function
  function identity(n) result(e)
    integer, intent(in) :: n
    type(matrix(n, n)) :: e
    integer :: i
    e%a = 0
    do i = 1, n
      e%a(i, i) = 1
    end do
  end function
  function product_of(a, b) result(c)
    type(matrix(*, *)), intent(in) :: a
    type(matrix(*, *)), intent(in) :: b
    type(matrix(a%rows, b%cols)) :: c
    c%a = matmul(a%a, b%a)
  end function
  subroutine resize(r, n)
    type(row(:)), allocatable, intent(inout) :: r
    integer, intent(in) :: n
    type(row(:)), allocatable :: new
    allocate(row(n) :: new)
    new%x(:min(n, r%n)) = r%x(:min(n, r%n))
    call move_alloc(new, r)
  end subroutine
  subroutine drop(r)
    type(row(:)), allocatable, intent(out) :: r
    print *, allocated(r)
  end subroutine
  subroutine explicit(n, m, rs)
    integer, intent(in) :: n, m
    type(row(n)), intent(inout) :: rs(m)
    rs(m)%x(n) = 33
  end subroutine
  function list(n) result(l)
    integer, intent(in) :: n
    type(row(n)), allocatable :: l(:)
    integer :: i
    allocate(l(n))
    do i = 1, n
      l(i)%x = i
    end do
  end function
  function where_is(r, n) result(p)
    type(row(*)), intent(in), target :: r(:)
    integer, intent(in) :: n
    type(row(:)), pointer :: p
    p => r(n)
  end function
end module
program p
  use m
  implicit none
  type(row(2)) :: a, b
  type(row(:)), allocatable :: c, d(:)
  type(row(3)), target :: t(2)
  type(row(:)), pointer :: q
  type(matrix(2, 3)) :: m23
  type(matrix(:, :)), allocatable :: mm
  integer :: n, u, i
  a = fresh(2)
  print *, a%x, fresh(3)
  mm = product_of(identity(2), m23_of())
  print *, mm%rows, mm%cols, mm%a
  c = a
  call resize(c, 4)
  print *, c%n, c%x
  call drop(c)
  call explicit(3, 2, t)
  print *, t(2)%x
  d = list(2)
  print *, d%n, d(2)%x
  d = [row(2) :: a, row(2)([5.0, 6.0], 'zz')]
  print *, d(2)%x, d(1)%x
  q => where_is(t, 2)
  print *, q%n, q%x
  inquire(iolength=n) a
  print *, n
  open(newunit=u, status='scratch', form='unformatted')
  a%x = [3.0, 4.0]
  write(u) a, t
  rewind(u)
  t(1)%x = 0; t(2)%x = 0
  read(u) b, t
  print *, b, t(2)%x
  do concurrent (i = 1:2)
    t(i)%x(i) = i*10
  end do
  print *, t(1), t(2)
  select case (a%n)
  case (2)
    print *, 'two'
  end select
  print *, transfer(a%x, [0.0]), [a%n, b%n], kind(a%x), maxval(t(1)%x)
contains
  function m23_of()
    type(matrix(2, 3)) :: m23_of
    m23_of%a = reshape([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])
  end function
end program
