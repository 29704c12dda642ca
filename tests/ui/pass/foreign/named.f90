! C code calls procedures of the program by their names, with descriptors and memory of its own.
! run: tests/ui/pass/foreign/named.c
module procedures
  use iso_c_binding
  implicit none
  integer(c_int), target :: cells(3) = [10, 20, 30]
contains
  function total(a) bind(c) result(s)
    real(c_double), intent(in) :: a(:, :)
    real(c_double) :: s
    print '(a, 2i3)', 'shape', shape(a)
    s = sum(a)
  end function
  function both(a, b) bind(c, name='rank_of') result(r)
    type(*), intent(in) :: a(..), b(..)
    integer(c_int) :: r
    r = 100 * rank(a) + 10 * rank(b) + merge(1, 0, is_contiguous(a))
  end function
  subroutine fill(a, n) bind(c)
    integer(c_int), allocatable, intent(inout) :: a(:)
    integer(c_int), value :: n
    integer :: i
    if (allocated(a)) deallocate (a)
    if (n > 0) allocate (a(-1:n - 2), source=[(i * 11, i = 1, n)])
  end subroutine
  subroutine next(p) bind(c)
    integer(c_int), pointer, intent(inout) :: p(:)
    print '(a, 9i3)', 'pointer', lbound(p), p
    if (size(p) == 3) then
      nullify (p)
    else
      p => p(::2)
    end if
  end subroutine
  function length_of(text, other) bind(c) result(n)
    character(*, c_char), intent(inout) :: text
    character(*, c_char), intent(in), optional :: other
    integer(c_int) :: n
    n = len(text)
    if (present(other)) n = n + 10 * len(other)
    text(1:1) = 'F'
  end function
  subroutine negate(a) bind(c)
    real(c_double), contiguous, intent(inout) :: a(:, :)
    a = -a
  end subroutine
  function cell(i) bind(c) result(p)
    integer(c_int), value :: i
    type(c_ptr) :: p
    p = c_loc(cells(i))
  end function
end module

subroutine plain(i, text, x)
  integer :: i
  character(*) :: text
  real(8) :: x
  i = i + len(text)
  text(2:3) = 'xx'
  x = x * 2
end subroutine

real(8) function halves(x)
  real(8) :: x
  halves = x / 2
end function

program named
  use procedures
  implicit none
  interface
    subroutine start() bind(c)
    end subroutine
  end interface
  call start()
  print '(3i4)', cells
end program
