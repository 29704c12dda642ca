! Bounds and lengths of results that come from procedure arguments and from the shapes of local arrays; lengths of the host's
! allocatables.
module m
  implicit none
  abstract interface
    pure integer function counts(a)
      integer, intent(in) :: a(:)
    end function
    subroutine each(i)
      integer, intent(in) :: i
    end subroutine
  end interface
contains
  pure integer function elements(a)
    integer, intent(in) :: a(:)
    elements = size(a)
  end function
  pure integer function twice(a)
    integer, intent(in) :: a(:)
    twice = 2*size(a)
  end function
  function text(a, f)
    integer, intent(in) :: a(:)
    procedure(counts) :: f
    character(f(a)) :: text
    text = 'abcdefghij'
  end function
  function numbers(a, f) result(r)
    integer, intent(in) :: a(:)
    procedure(counts) :: f
    integer :: r(0:f(a) - 1)
    integer :: i
    r = [(10*i, i = 1, size(r))]
  end function
  function shaped(x) result(r)
    real, intent(in) :: x(:)
    integer :: half(2:size(x)/2)
    integer :: both(lbound(half, 1):2*ubound(half, 1))
    character(size(both)) :: r
    r = repeat('-', len(r))
    half = 0
    both = 0
  end function
  function joined(words, n) result(r)
    character(n), intent(in) :: words(-n:)
    integer, value :: n
    character(n*size(words)) :: r
    integer :: i
    r = ''
    do i = lbound(words, 1), ubound(words, 1)
      r((i + n)*n + 1:) = words(i)
    end do
  end function
  subroutine through(f)
    procedure(counts) :: f
    print '(3a, i3)', '[', text([1, 2], f), ']', size(numbers([1, 2, 3], f))
  end subroutine
  subroutine times(n, what)
    integer, intent(in) :: n
    procedure(each) :: what
    integer :: i
    do i = 1, n
      call what(i)
    end do
  end subroutine
  subroutine names(n, list)
    integer, intent(in) :: n
    character(n), allocatable, intent(out) :: list(:)
    character(n + 1), allocatable :: last
    call times(3, add)
    print '(*(a))', '[', last, ']'
  contains
    subroutine add(i)
      integer, intent(in) :: i
      if (.not. allocated(list)) allocate(list(3))
      list(i) = repeat('x', i)
      last = list(i)
    end subroutine
  end subroutine
end module
program p
  use m
  implicit none
  procedure(counts), pointer :: f
  character(2), allocatable :: list(:)
  real :: x(8)
  print '(4a)', text([1, 2, 3], elements), '|', text([1, 2], twice), '|'
  print '(*(i4))', numbers([5, 6], twice), size(numbers([5, 6, 7], elements))
  call through(elements)
  call through(twice)
  f => twice
  print '(2a, i3)', text([1], f), '|', size(numbers([1], f))
  print '(a, i3)', shaped(x), len(shaped(x))
  call names(2, list)
  print '(2a, i3)', joined(list, 2), '|', len(joined(list, 2))
  print '(*(a, "|"))', list
end program
