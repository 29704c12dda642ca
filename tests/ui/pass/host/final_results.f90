! Results of functions are finalised when the statement that refers to them is over, and what they own is freed: scalars, arrays,
! allocatable and polymorphic ones, in expressions, conditions, arguments and output.
module m
  implicit none
  type base
    integer :: id = 0
  contains
    final :: end_base, end_bases
  end type
  type, extends(base) :: child
    integer, allocatable :: data(:)
  contains
    final :: end_child
  end type
  type holder
    integer :: n = 0
    integer, allocatable :: list(:)
  end type
  interface operator(+)
    module procedure add
  end interface
contains
  subroutine end_base(x)
    type(base), intent(inout) :: x
    print '(a,i0)', 'base ', x%id
  end subroutine
  subroutine end_bases(x)
    type(base), intent(inout) :: x(:)
    print '(a,*(1x,i0))', 'bases', x%id
  end subroutine
  subroutine end_child(x)
    type(child), intent(inout) :: x
    print '(a,i0,l2)', 'child ', x%id, allocated(x%data)
  end subroutine
  function make(n) result(r)
    integer, intent(in) :: n
    type(base) :: r
    r%id = n
  end function
  function list(n) result(r)
    integer, intent(in) :: n
    type(base) :: r(n)
    integer :: i
    r%id = [(10*i, i = 1, n)]
  end function
  function on_heap(n) result(r)
    integer, intent(in) :: n
    type(base), allocatable :: r
    allocate (r)
    r%id = n
  end function
  function some(n) result(r)
    integer, intent(in) :: n
    class(base), allocatable :: r
    if (n > 100) then
      allocate (child :: r)
    else
      allocate (base :: r)
    end if
    r%id = n
  end function
  function shared(x) result(r)
    type(base), target, intent(in) :: x
    type(base), pointer :: r
    r => x
  end function
  type(base) function add(a, b)
    type(base), intent(in) :: a, b
    add%id = a%id + b%id
  end function
  integer function number(x)
    type(base), intent(in) :: x
    number = x%id
  end function
  subroutine take(x)
    type(base), value :: x
    x%id = x%id + 1
    print '(a,i0)', 'taken ', x%id
  end subroutine
  function filled(n) result(r)
    integer, intent(in) :: n
    type(holder) :: r
    r%n = n
    r%list = [1, 2, n]
  end function
  integer function total(h)
    type(holder), value :: h
    h%list = [h%list, 100]
    total = sum(h%list) + h%n
  end function
end module
program final_results
  use m
  implicit none
  type(base), target :: a
  type(base) :: b(2)
  type(holder) :: h
  class(base), allocatable :: many(:)
  integer :: i, n
  a%id = 1
  print '(a)', 'assigned'
  a = make(2)
  print '(a)', 'array'
  b = list(2)
  print '(a)', 'operator'
  a = a + make(3)
  print '(a)', 'argument'
  n = number(make(4)) + number(on_heap(5))
  print '(a)', 'condition'
  if (number(make(6)) > 5) print '(a)', 'yes'
  print '(a)', 'loop'
  do i = 1, 2
    n = number(make(6 + i))
  end do
  do while (number(make(n)) < 10)
    n = n + 1
  end do
  print '(a)', 'polymorphic'
  n = number(some(101))
  n = number(some(11))
  print '(a)', 'pointer'
  n = number(shared(a))
  print '(a)', 'polymorphic array'
  allocate (child :: many(2))
  many%id = [31, 32]
  deallocate (many)
  print '(a)', 'value'
  call take(make(12))
  print '(a,i0)', 'holders ', total(filled(5))
  h = filled(6)
  print '(a,i0,a,*(1x,i0))', 'again ', total(h), ':', h%list
  print '(a)', 'end'
end program
