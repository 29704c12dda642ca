! A library of vectors, matrices and stacks whose sizes are length parameters.
module linear
  use iso_fortran_env, only: real32, real64
  implicit none
  private
  public :: mat, vec, operator(*), operator(+), show, stack, real32, real64, holder
  type :: vec(k, n)
    integer, kind :: k = real64
    integer, len :: n
    real(k) :: v(n)
  end type
  type :: mat(k, r, c)
    integer, kind :: k = real64
    integer, len :: r, c
    real(k), private :: m(r, c) = 0
    type(vec(k, c)) :: scale
  contains
    procedure :: get => get64
    procedure :: put => put64
    procedure, pass(self) :: norm
  end type
  type :: stack(cap)
    integer, len :: cap = 4
    integer :: top = 0
    character(cap) :: names(2*cap) = ' '
    logical :: used(cap, 2) = .false.
    complex :: z(-cap:cap) = (1.0, 2.0)
  contains
    procedure :: push
  end type
  type :: holder
    type(stack(:)), allocatable :: s
    type(stack(3)) :: fixed
    type(stack(:)), pointer :: p => null()
    class(stack(:)), allocatable :: poly(:)
  end type
  interface operator(*)
    procedure matvec
  end interface
  interface operator(+)
    procedure add
  end interface
  interface show
    procedure show_vec, show_mat
  end interface
contains
  real(real64) function get64(this, i, j)
    class(mat(real64, *, *)), intent(in) :: this
    integer, intent(in) :: i, j
    get64 = this%m(i, j)
  end function
  subroutine put64(this, i, j, x)
    class(mat(real64, *, *)), intent(inout) :: this
    integer, intent(in) :: i, j
    real(real64), intent(in) :: x
    this%m(i, j) = x
  end subroutine
  function norm(tag, self) result(x)
    character(*), intent(in) :: tag
    class(mat(real64, *, *)), intent(in) :: self
    real(real64) :: x(2)
    x = [sum(self%m), real(len(tag), real64)]
  end function
  function matvec(a, b) result(c)
    type(mat(real64, *, *)), intent(in) :: a
    type(vec(real64, *)), intent(in) :: b
    type(vec(real64, a%r)) :: c
    if (a%c /= b%n) error stop 'shapes'
    c%v = matmul(a%m, b%v)
  end function
  elemental function add(a, b) result(c)
    type(vec(real64, *)), intent(in) :: a, b
    type(vec(n=a%n)) :: c
    c%v = a%v + b%v
  end function
  subroutine show_vec(x)
    type(vec(real64, *)), intent(in) :: x(:)
    integer :: i
    do i = 1, size(x)
      print '(*(f6.1))', x(i)%v
    end do
  end subroutine
  subroutine show_mat(x)
    type(mat(real64, *, *)), intent(in) :: x
    integer :: i
    do i = 1, x%r
      print '(*(f6.1))', x%m(i, :)
    end do
  end subroutine
  subroutine push(this, name)
    class(stack(*)), intent(inout) :: this
    character(*), intent(in) :: name
    this%top = this%top + 1
    this%names(this%top) = name
    this%used(this%top, :) = [.true., .false.]
    this%z(-this%top) = cmplx(this%top, 0)
  end subroutine
end module
program p
  use linear
  implicit none
  type(mat(real64, 2, 3)) :: a
  type(mat(r=:, c=:)), allocatable :: b
  type(vec(real64, 3)) :: x
  type(vec(real64, :)), allocatable :: list(:), y
  type(holder) :: h, g
  integer :: i, j
  do j = 1, 3
    do i = 1, 2
      call a%put(i, j, real(10*i + j, real64))
    end do
  end do
  x%v = [1, 2, 3]
  call show(a)
  y = a*x
  call show([y])
  call show([y + y, y])
  allocate(list(2), source=y)
  list = list + list
  call show(list)
  call show(list(2:1:-1) + y)
  print '(2f8.1)', a%norm('abc')
  b = a
  call b%put(1, 1, 100d0)
  call show(b)
  print '(4i3)', b%r, b%c, b%scale%n, size(b%scale%v)
  allocate(stack(2) :: h%s)
  call h%s%push('first')
  call h%s%push('xy')
  call h%fixed%push('abcdef')
  allocate(h%p, source=h%s)
  allocate(stack(1) :: h%poly(2))
  call h%poly(2)%push('q')
  g = h
  print '(i3, 4(1x, a), 4l2)', g%s%top, g%s%names, g%s%used
  print '(*(f5.1))', g%s%z
  print '(i3, 6(1x, a), "|", 2i3)', g%fixed%top, g%fixed%names, g%fixed%cap, g%s%cap
  print '(2i3, 3a)', g%poly%cap, g%poly(2)%top, '[', g%poly(2)%names(1), ']'
  print *, associated(g%p, h%p), g%p%names(1)
  deallocate(h%p)
  h = holder(s=g%s, fixed=stack(3)(top=2, used=.true.), p=null(), poly=g%poly)
  print '(3i3, l2, 1x, a)', h%s%top, h%fixed%top, h%poly(2)%top, all(h%fixed%used), h%s%names(2)
  print *, allocated(h%s), associated(h%p)
end program
