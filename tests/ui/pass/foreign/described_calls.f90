! Arguments by descriptors of C go through procedure pointers and dummy procedures too, and C passes arguments of different ranks.
! run: tests/ui/pass/foreign/described_calls.c
module m
  use iso_c_binding
  implicit none
  abstract interface
    integer(c_int) function sum_of(a, scale) bind(c)
      import
      integer(c_int), intent(in), optional :: a(:)
      type(*), intent(in), optional :: scale(..)
    end function
    subroutine maker(a, n) bind(c)
      import
      integer(c_int), allocatable, intent(inout) :: a(:)
      integer(c_int), value :: n
    end subroutine
    integer(c_int) function inquirer(a) bind(c)
      import
      type(*), intent(in) :: a(..)
    end function
    integer(c_int) function measure(text) bind(c)
      import
      character(*, c_char), intent(in) :: text
    end function
  end interface
  interface
    integer(c_int) function c_sum(a, scale) bind(c)
      import
      integer(c_int), intent(in), optional :: a(:)
      type(*), intent(in), optional :: scale(..)
    end function
    subroutine c_make(a, n) bind(c)
      import
      integer(c_int), allocatable, intent(inout) :: a(:)
      integer(c_int), value :: n
    end subroutine
    integer(c_int) function c_rank(a) bind(c)
      import
      type(*), intent(in) :: a(..)
    end function
    integer(c_int) function c_length(text) bind(c)
      import
      character(*, c_char), intent(in) :: text
    end function
    type(c_funptr) function c_give() bind(c)
      import
    end function
    integer(c_int) function c_calls(f) bind(c)
      import
      type(c_funptr), value :: f
    end function
    integer(c_int) function c_twice(a) bind(c)
      import
      integer(c_int), contiguous, optional, intent(inout) :: a(:)
    end function
    integer(c_int) function c_twice_any(a) bind(c, name='c_twice')
      import
      integer(c_int), contiguous, optional, intent(inout) :: a(..)
    end function
    subroutine c_ranks(out) bind(c)
      import
      integer(c_int) :: out(*)
    end subroutine
  end interface
contains
  integer(c_int) function f_sum(a, scale) bind(c)
    integer(c_int), intent(in), optional :: a(:)
    type(*), intent(in), optional :: scale(..)
    f_sum = -2
    if (.not. present(a)) return
    f_sum = 3*sum(a)
    if (present(scale)) f_sum = f_sum + rank(scale) + 1
  end function
  integer(c_int) function f_ranks(a, b) bind(c)
    type(*), intent(in) :: a(..), b(..)
    f_ranks = 10*rank(a) + rank(b)
  end function
  integer(c_int) function f_three(a, b, c) bind(c)
    integer(c_int), intent(in) :: a(..), c(..)
    integer(c_int), intent(in), optional :: b(..)
    f_three = 100*rank(a) + rank(c)
    if (present(b)) f_three = f_three + 10*rank(b)
    select rank (c)
    rank (1)
      f_three = f_three + 1000*c(2)
    rank (3)
      f_three = f_three + 1000*c(2, 2, 2)
    end select
  end function
  integer function through(f, a, scale)
    procedure(sum_of) :: f
    integer(c_int), intent(in), optional :: a(:)
    type(*), intent(in), optional :: scale(..)
    through = f(a, scale)
  end function
  integer function doubled(a)
    integer(c_int), optional, intent(inout) :: a(:)
    doubled = c_twice(a)
  end function
  integer function doubled_any(a)
    integer(c_int), optional, intent(inout) :: a(:, :)
    doubled_any = c_twice_any(a)
  end function
end module

program described_calls
  use m
  implicit none
  procedure(sum_of), pointer :: s
  procedure(maker), pointer :: made
  procedure(inquirer), pointer :: asked
  procedure(measure), pointer :: measured
  integer(c_int) :: x(6) = [1, 2, 3, 4, 5, 6], y(2, 3), out(5)
  integer(c_int), allocatable :: a(:)
  real(c_double) :: r(2, 2)

  s => c_sum
  print *, s(x), s(x(::2), r), s()
  call c_f_procpointer(c_give(), s)
  print *, s(x), s(x(6:1:-2), 1), s()
  s => f_sum
  print *, s(x), s(x(::2), r), s()
  print *, through(c_sum, x), through(f_sum, x, 2), through(s), through(c_sum)
  call c_f_procpointer(c_give(), s)
  print *, through(s, x(2:)), through(s, x, 1_c_short), through(s)
  print *, c_calls(c_funloc(c_sum)), c_calls(c_funloc(f_sum))

  made => c_make
  call made(a, 3)
  print *, lbound(a), a
  call made(a, 2)
  print *, lbound(a), a
  call made(a, 0)
  print *, allocated(a)

  asked => c_rank
  print *, asked(x), asked(r), asked(1.0), asked(y(1, :))
  measured => c_length
  print *, measured('four'), measured('x'//'yz')

  print *, doubled(x(::2)), x
  print *, doubled(x), x
  print *, doubled()
  y = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  print *, doubled_any(y(:, ::2)), y
  print *, doubled_any(y(2:2, :)), y
  print *, doubled_any()

  call c_ranks(out)
  print *, out
end program
