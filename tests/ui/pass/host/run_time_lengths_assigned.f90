! Finalisation, defined assignment and recursion in types with run-time lengths.
module m
  implicit none
  type :: part(n)
    integer, len :: n
    integer :: v(n) = 0
  contains
    procedure :: set
    generic :: assignment(=) => set
    final :: gone
  end type
  type :: whole(n)
    integer, len :: n
    type(part(n)) :: p
    type(part(n)) :: list(n)
    type(whole(n)), pointer :: next => null()
    type(whole(:)), allocatable :: below
  end type
contains
  subroutine set(to, from)
    class(part(*)), intent(inout) :: to
    class(part(*)), intent(in) :: from
    print '(a, 2i3)', 'set', to%n, from%n
    to%v = from%v + 1
  end subroutine
  subroutine gone(p)
    type(part(*)), intent(inout) :: p
    print '(a, *(i3))', 'gone', p%n, p%v
  end subroutine
  subroutine work(n)
    integer, intent(in) :: n
    type(whole(n)) :: a, b
    a%p%v = 5
    a%list(1)%v = 7
    b = a
    print '(a, *(i3))', 'b', b%p%v, b%list(1)%v
    allocate(whole(n + 1) :: a%below)
    a%below%list(2)%v = 3
    b = a
    print '(a, *(i3))', 'b', b%below%n, b%below%list(2)%v
  end subroutine
end module
program p
  use m
  implicit none
  call work(1)
end program
