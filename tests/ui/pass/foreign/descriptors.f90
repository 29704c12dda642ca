! Arguments that C gets by descriptors: assumed shape, rank and length, allocatables, pointers, absent ones (Fortran 2018, 18.3.6).
! run: tests/ui/pass/foreign/descriptors.c
program descriptors
  use iso_c_binding
  implicit none
  type, bind(c) :: pair
    integer(c_int) :: a, b
  end type
  interface
    function sum_of(a) bind(c) result(s)
      import c_double
      real(c_double), intent(in) :: a(:, :)
      real(c_double) :: s
    end function
    function shape_of(a, extents) bind(c) result(rank)
      import c_int
      type(*), intent(in) :: a(..)
      integer(c_int) :: extents(*), rank
    end function
    function kind_of(a) bind(c) result(kind)
      import c_int
      type(*), intent(in), optional :: a(..)
      integer(c_int) :: kind
    end function
    function make(a, n) bind(c) result(had)
      import c_int
      integer(c_int), allocatable :: a(:)
      integer(c_int), value :: n
      integer(c_int) :: had
    end function
    subroutine point(p, target) bind(c)
      import c_int
      integer(c_int), pointer, intent(inout) :: p(:)
      integer(c_int), pointer, intent(in), optional :: target(:)
    end subroutine
    subroutine upper_case(text) bind(c)
      import c_char
      character(*, c_char), intent(inout) :: text
    end subroutine
    subroutine lines(texts) bind(c)
      import c_char
      character(*, c_char), intent(in) :: texts(:)
    end subroutine
  end interface
  real(c_double) :: a(4, 6)
  integer(c_int) :: extents(15), i
  integer(c_int), allocatable :: values(:)
  integer(c_int), pointer :: p(:)
  integer(c_int), target :: t(10)
  character(8) :: text
  character(3) :: texts(2, 3)
  a = reshape([(real(i, c_double), i = 1, 24)], [4, 6])
  print '(3f8.1)', sum_of(a), sum_of(a(::2, 6:1:-2)), sum_of(a(2:3, 1:4:3) + 1)
  print '(a, 16i5)', 'shape', shape_of(a, extents), extents(:2)
  print '(a, 16i5)', 'shape', shape_of(a(2:3, :), extents), extents(:2)
  print '(a, 16i5)', 'scalar', shape_of(a(1, 1), extents)
  call assumed_size(a)
  print '(a, 16i3)', 'kinds', kind_of(1), kind_of([(1., 2.)]), kind_of('a'), kind_of(c_null_ptr), kind_of(pair(1, 2)), &
    kind_of(1_c_int8_t), kind_of(.true._c_bool), kind_of(a), kind_of()
  print '(a, 16i4)', 'make', make(values, 4), lbound(values), values
  print '(a, 16i4)', 'make', make(values, 2), values
  values = [7, 8, 9]
  print '(a, 16i4)', 'make', make(values, -1), merge(1, 0, allocated(values))
  t = [(i, i = 1, 10)]
  p => t(2::3)
  call point(p)
  print '(a, 16i4)', 'point', lbound(p), p
  p(0) = 21
  print '(a, 16i4)', 'point', p
  block
    integer(c_int), pointer :: q(:)
    q => t(10:1:-4)
    call point(p, q)
    p = -p
  end block
  print '(a, 16i4)', 'point', lbound(p), t
  text = 'mixed Up'
  call upper_case(text(2:))
  print '(a)', text
  texts = reshape(['abc', 'def', 'ghi', 'jkl', 'mno', 'pqr'], [2, 3])
  call lines(texts(2, :))
  call forwarded([1, 2])
  call forwarded([(1., 2.), (3., 4.)])
contains
  subroutine forwarded(b)
    type(*), intent(in) :: b(..)
    print '(a, 16i3)', 'forwarded', kind_of(b)
  end subroutine
  subroutine assumed_size(b)
    real(c_double) :: b(2, *)
    print '(a, 16i5)', 'open', shape_of(b, extents), extents(:2)
  end subroutine
end program
