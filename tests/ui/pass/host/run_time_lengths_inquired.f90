! Length parameters that a declaration gives can be asked for where the object is not there.
module m
  implicit none
  type :: row(n)
    integer, len :: n
    integer :: x(n) = 1
    character(n) :: name = 'name'
  end type
  type :: bare(n)
    integer, len :: n
    integer :: x(n)
  end type
  type :: table(n)
    integer, len :: n
    type(row(n + 1)), allocatable :: a
    type(row(2*n)), pointer :: p => null()
  end type
contains
  subroutine work(n, k)
    integer, value :: n, k
    type(row(n)) :: none(k)
    type(row(n)), allocatable :: a, b(:)
    type(row(n)), pointer :: p
    type(table(n)) :: t
    n = 77
    nullify (p)
    print *, none%n, a%n, b%n, p%n
    print *, t%a%n, t%p%n
    call show(b%n, a%n + 1)
    allocate (b(2))
    print *, b%n, b(2)%n, len(b%name)
  end subroutine
  subroutine show(i, j)
    integer, intent(in) :: i, j
    print *, i, j
  end subroutine
  subroutine first(a)
    type(bare(*)), intent(out) :: a(*)
    a(1)%x = 7
    print *, a%n
  end subroutine
end module
program p
  use m
  implicit none
  type(bare(3)) :: r(2)
  call work(3, 0)
  call first(r)
  print *, r(1)%x
end program
