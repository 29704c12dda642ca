! Assignment finalises what was there and stays, parts with run-time lengths among it; new memory is not finalised.
module m
  implicit none
  type :: row(n)
    integer, len :: n
    integer :: x(n) = 1
  contains
    final :: rows
  end type
  type :: part
    integer :: i = 5
  contains
    procedure, private :: set
    generic :: assignment(=) => set
  end type
  type :: plain
    integer :: x = 1
    type(part) :: p
  contains
    final :: plain_one, plain_many
  end type
  type :: base(n)
    integer, len :: n
  contains
    final :: base_one
  end type
  type, extends(base) :: whole
    type(plain) :: list(n)
  contains
    final :: whole_one
  end type
contains
  subroutine rows(a)
    type(row(*)), intent(inout) :: a(:)
    print '(2x, a, *(i3))', 'rows', size(a), a%n
  end subroutine
  subroutine set(a, b)
    class(part), intent(inout) :: a
    class(part), intent(in) :: b
    a%i = b%i
  end subroutine
  subroutine plain_one(a)
    type(plain), intent(inout) :: a
    print '(2x, a, *(i3))', 'one', a%x
  end subroutine
  subroutine plain_many(a)
    type(plain), intent(inout) :: a(:)
    print '(2x, a, *(i3))', 'many', a%x
  end subroutine
  subroutine base_one(a)
    type(base(*)), intent(inout) :: a
    print '(2x, a)', 'base'
  end subroutine
  subroutine whole_one(a)
    type(whole(*)), intent(inout) :: a
    print '(2x, a)', 'whole'
  end subroutine
  subroutine with_lengths(n)
    integer, intent(in) :: n
    type(row(n)) :: b(2)
    type(row(:)), allocatable :: d(:)
    print '(a)', 'new'
    d = b
    print '(a)', 'same shape'
    d = b
    print '(a)', 'other shape'
    d = [b, b]
    print '(a)', 'end'
  end subroutine
  subroutine ordinary()
    type(plain) :: b(2)
    type(plain), allocatable :: d(:), e
    print '(a)', 'new'
    d = b
    e = b(1)
    print '(a)', 'same'
    e = b(2)
    d = b
    print '(a)', 'other shape'
    d = [b, b]
    print '(a)', 'end'
  end subroutine
  subroutine parts(n)
    integer, intent(in) :: n
    type(whole(n)) :: p, q
    p%list%x = 20
    print '(a)', 'parts'
    q = p
    print '(a)', 'end'
  end subroutine
end module
program p
  use m
  implicit none
  call with_lengths(3)
  call ordinary()
  call parts(2)
end program
