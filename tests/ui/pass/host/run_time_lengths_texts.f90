! Allocatable and pointer components of characters whose length is a length parameter that is known at run time only.
module m
  implicit none
  type :: table(n)
    integer, len :: n
    character(n), allocatable :: names(:)
    character(2*n), allocatable :: title
    character(n), pointer :: first => null()
  end type
contains
  subroutine show(t)
    type(table(*)), intent(in) :: t
    integer :: i
    print '(*(i0, 1x))', t%n, len(t%names), size(t%names)
    print '(*(3a))', ('[', t%names(i), ']', i = 1, size(t%names))
    if (allocated(t%title)) print '(3a)', '<', t%title, '>'
  end subroutine
  function made(n) result(t)
    integer, intent(in) :: n
    type(table(n)) :: t
    allocate (t%names(2))
    t%names = 'result'
  end function
end module
program p
  use m
  implicit none
  type(table(4)) :: a
  type(table(:)), allocatable :: b, c
  character(4), target :: text = 'text'
  character(7) :: long(3) = ['one    ', 'seven77', 'x      ']
  integer :: n
  n = 3
  allocate (a%names(2))
  a%names = ['ab  ', 'cdef']
  call show(a)
  a%names = long
  a%title = 'a title that is long'
  call show(a)
  allocate (table(n) :: b)
  b%names = a%names
  b%title = 'ti'
  call show(b)
  b%names(2) = 'longer'
  deallocate (b%title)
  call show(b)
  allocate (c, source=b)
  c%names(1) = '1'
  call show(c)
  call show(b)
  b = a
  call show(b)
  a = table(4)(long(2:3), 'ti', null())
  call show(a)
  a%first => text
  print *, a%first, len(a%first), len(a%title)
  allocate (a%first)
  a%first = 'xyz'
  print *, a%first, text, associated(c%first)
  deallocate (a%first)
  call show(made(5))
end program
