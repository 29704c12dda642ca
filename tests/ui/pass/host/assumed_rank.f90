! Assumed-rank dummies and SELECT RANK (Fortran 2018, 8.5.8.7 and 11.1.10).
module ranks
  implicit none
  type :: point
    integer :: x = 0
  end type
  type, extends(point) :: pixel
    integer :: colour = 7
  end type
  type :: holder
    integer :: id = 3
  contains
    procedure :: count_of
  end type
contains
  recursive subroutine describe(x, name)
    real, intent(in), optional :: x(..)
    character(*), intent(in) :: name
    if (.not. present(x)) then
      print '(2a)', name, ': absent'
      return
    end if
    print '(2a,i0,a,i0,a,5i4)', name, ': rank ', rank(x), ' size ', size(x), ' shape', shape(x)
    select rank (x)
    rank (0)
      print '(f6.1)', x
    rank (1)
      print '(a,2i3,6f6.1)', 'vector', lbound(x), ubound(x), x
      if (size(x) > 2) call describe(x(1:2), 'inner')
    rank (2)
      print '(a,f6.1)', 'matrix', sum(x)
    rank default
      print '(a,i0)', 'other ', rank(x)
    end select
  end subroutine

  subroutine double(x)
    real, intent(inout) :: x(..)
    select rank (y => x)
    rank (0)
      y = 2*y
    rank (1)
      y = 2*y
    rank (2)
      y(:, 1) = 2*y(:, 1)
    end select
  end subroutine

  subroutine forward(x)
    real, intent(inout) :: x(..)
    call double(x)
    print '(a,i0,l2)', 'forwarded ', rank(x), is_contiguous(x)
  end subroutine

  subroutine stars(x, n)
    integer, intent(in) :: n
    integer, intent(in) :: x(n, *)
    call ends(x)
  end subroutine

  subroutine ends(x)
    integer, intent(in) :: x(..)
    print '(a,5i4)', 'shape', shape(x)
    select rank (x)
    rank (*)
      print '(a,3i4)', 'assumed size', x(1:3)
    rank (2)
      print '(a)', 'matrix'
    end select
  end subroutine

  subroutine grow(a)
    integer, allocatable, intent(inout) :: a(..)
    select rank (a)
    rank (0)
      if (.not. allocated(a)) allocate (a)
      a = 5
    rank (1)
      if (allocated(a)) deallocate (a)
      allocate (a(0:2))
      a = [1, 2, 3]
      print '(a,2i3)', 'bounds', lbound(a, 1), ubound(a, 1)
    end select
  end subroutine

  subroutine aim(p, t)
    integer, pointer, intent(out) :: p(..)
    integer, target, intent(in) :: t(:)
    select rank (p)
    rank (1)
      p => t(2:)
    rank (2)
      p(1:1, 1:size(t)) => t
    end select
  end subroutine

  subroutine any_type(x)
    class(*), intent(in) :: x(..)
    select rank (x)
    rank (0)
      select type (x)
      type is (integer)
        print '(a,i0)', 'integer ', x
      class is (point)
        print '(a,i0)', 'point ', x%x
      end select
    rank (1)
      select type (x)
      type is (character(*))
        print '(a,i0,9(1x,a))', 'text ', len(x), x
      type is (real)
        print '(a,2i2,9f5.1)', 'real', lbound(x), ubound(x), x
      class is (point)
        print '(a,9i3)', 'points', x%x
      end select
    rank default
      print '(a,i0)', 'rank ', rank(x)
    end select
  end subroutine

  subroutine texts(x)
    character(*), intent(in) :: x(..)
    select rank (x)
    rank (0)
      print '(a,i0,1x,a)', 'one ', len(x), x
    rank (1)
      print '(a,i0,9(1x,a))', 'many ', len(x), x
    end select
  end subroutine

  integer function count_of(self, x) result(n)
    class(holder), intent(in) :: self
    integer, intent(in) :: x(..)
    n = size(x) + self%id
  end function

  integer function elements(x) result(n)
    type(*), intent(in) :: x(..)
    n = size(x)
    call nothing(x)
  end function

  subroutine nothing(x)
    type(*), intent(in) :: x(..)
    print '(a,i0)', 'rank of anything ', rank(x)
  end subroutine

  subroutine leave(x)
    integer, intent(in) :: x(..)
    outer: select rank (x)
    rank (1)
      if (x(1) > 0) exit outer
      print '(a)', 'not positive'
    rank default
      goto 10
      print '(a)', 'not reached'
10    print '(a)', 'jumped'
    end select outer
    print '(a)', 'left'
  end subroutine
end module

program assumed_rank
  use ranks
  implicit none
  interface
    subroutine takes(x)
      integer, intent(in) :: x(..)
    end subroutine
  end interface
  procedure(takes), pointer :: p
  real :: s = 1.5, v(0:3) = [1, 2, 3, 4], m(2, 3) = 2, c(2, 2, 2) = 1
  integer :: i(2, 3) = 4
  integer, allocatable :: a(:), b
  integer, pointer :: q(:), r(:, :)
  integer, target :: t(3) = [7, 8, 9]
  type(holder) :: h
  class(point), allocatable :: w(:)
  call describe(s, 'scalar')
  call describe(v, 'v')
  call describe(v(0:3:2), 'gaps')
  call describe(m, 'm')
  call describe(c, 'c')
  call describe(name='none')
  call describe(2*v, 'value')
  call double(s)
  call double(v(1:2))
  call double(m)
  print '(f6.1,4f5.1,6f5.1)', s, v, m
  call forward(v(::2))
  call forward(s)
  print '(5f6.1)', v, s
  call stars(i, 2)
  call grow(a)
  call grow(b)
  print '(5i3)', a, b
  call aim(q, t)
  call aim(r, t)
  print '(9i3)', q, r, shape(r)
  call any_type(5)
  call any_type(v)
  call any_type(['ab', 'cd'])
  call any_type(m)
  call any_type(pixel(4, 5))
  allocate (pixel :: w(-1:1))
  w%x = [1, 2, 3]
  call any_type(w)
  call texts('hello')
  call texts(['abc', 'def'])
  print '(2i4)', h%count_of([1, 2]), h%count_of(1)
  print '(3i4)', elements(v), elements(s), elements(['a', 'b'])
  p => leave
  call p([1])
  call p([-1])
  call p(i)
end program
