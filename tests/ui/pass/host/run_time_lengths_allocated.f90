! ALLOCATE of allocatable and pointer dummy arguments with assumed lengths: those of the actual argument's declaration.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    real :: x(n) = 0
  end type
  type :: grid(a, b)
    integer, len :: a, b
    integer :: t(a, b) = 1
  end type
  interface
    subroutine maker(r)
      import line
      type(line(*)), allocatable, intent(out) :: r
    end subroutine
  end interface
  type :: holder
    type(line(4)), allocatable :: r
  contains
    procedure :: fill
  end type
contains
  subroutine fill(this, r)
    class(holder), intent(inout) :: this
    type(line(*)), allocatable, intent(out) :: r(:)
    allocate (r(2))
    call one(this%r)
  end subroutine
  subroutine one(r)
    type(line(*)), allocatable, intent(out) :: r
    print '(a, i3, l2)', 'one', r%n, allocated(r)
    allocate (r)
    r%x = r%n
  end subroutine
  subroutine many(r, count)
    type(line(*)), allocatable, intent(inout) :: r(:)
    integer, intent(in) :: count
    if (allocated(r)) deallocate (r)
    allocate (line(*) :: r(count))
    r%x(1) = count
  end subroutine
  subroutine through(r)
    type(line(*)), allocatable, intent(inout) :: r(:)
    call many(r, 3)
    call inner
  contains
    subroutine inner
      deallocate (r)
      allocate (r(5))
      r%x(2) = r%n
    end subroutine
  end subroutine
  subroutine maybe(r)
    type(line(*)), pointer, optional, intent(inout) :: r
    if (.not. present(r)) then
      print '(a)', 'absent'
      return
    end if
    allocate (r)
    r%x = -r%n
  end subroutine
  subroutine mixed(g)
    type(grid(*, :)), allocatable, intent(out) :: g
    allocate (grid(*, 3) :: g)
  end subroutine
  recursive subroutine deeper(r, n)
    type(line(*)), allocatable, intent(inout) :: r
    integer, intent(in) :: n
    type(line(n)), allocatable :: s
    if (n == 0) return
    call deeper(s, n - 1)
    allocate (r)
    if (allocated(s)) print '(a, 2i3)', 'deeper', r%n, s%n
  end subroutine
  subroutine classy(r)
    class(line(*)), allocatable, intent(out) :: r
    allocate (r)
    r%x = 2*r%n
  end subroutine
  subroutine call_it(f, n)
    procedure(maker) :: f
    integer, intent(in) :: n
    type(line(n)), allocatable :: r
    call f(r)
    print '(a, 2i3)', 'called', r%n, size(r%x)
  end subroutine
  subroutine automatic(n)
    integer, value :: n
    type(line(n)), allocatable :: w
    call inner
    n = n + 5
    print '(a, 2i3)', 'automatic', w%n, size(w%x)
    deallocate (w)
    allocate (w)
    print '(a, 2i3)', 'automatic', w%n, size(w%x)
  contains
    subroutine inner
      allocate (w)
    end subroutine
  end subroutine
end module
program p
  use m
  implicit none
  type(line(3)), allocatable :: a, b(:)
  type(line(2)), pointer :: q
  type(grid(2, :)), allocatable :: g
  type(holder) :: h
  class(line(6)), allocatable :: c
  type(line(4)), allocatable :: d(:)
  procedure(maker), pointer :: f
  call one(a)
  print '(i3, 3f5.1)', a%n, a%x
  call many(b, 2)
  print '(2i3, 2f5.1)', size(b), b%n, b%x(1)
  call many(b, 4)
  print '(2i3, 4f5.1)', size(b), b%n, b%x(1)
  call through(b)
  print '(2i3, 5f5.1)', size(b), b%n, b%x(2)
  call maybe()
  call maybe(q)
  print '(i3, 2f5.1)', q%n, q%x
  deallocate (q)
  call mixed(g)
  print '(2i3, 2i3)', g%a, g%b, shape(g%t)
  deallocate (a)
  call deeper(a, 2)
  call h%fill(d)
  print '(3i3, 4f5.1)', size(d), d%n, h%r%n, h%r%x
  call classy(c)
  print '(i3, 6f5.1)', c%n, c%x
  f => one
  call f(a)
  call call_it(f, 5)
  call call_it(one, 7)
  call automatic(4)
end program
