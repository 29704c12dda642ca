! A scalar argument of an elemental procedure that is a value is computed once, before an element changes what it is made of: functions
! of every type, constructors, characters; in calls, in assignments and in WHERE.
module shared
  implicit none
  type :: amount
    integer :: n = 0
    integer, allocatable :: more(:)
  end type
  integer :: times = 0
contains
  elemental integer function plus(a, b)
    integer, intent(in) :: a, b
    plus = a + b
  end function
  elemental integer function plus_amount(a, b)
    integer, intent(in) :: a
    class(amount), intent(in) :: b
    plus_amount = a + b%n
    if (allocated(b%more)) plus_amount = plus_amount + size(b%more)
  end function
  elemental subroutine add(to, from)
    integer, intent(inout) :: to
    integer, intent(in) :: from
    to = to + from
  end subroutine
  elemental subroutine add_amount(to, from)
    integer, intent(inout) :: to
    type(amount), intent(in) :: from
    to = to + from%n
  end subroutine
  elemental subroutine add_any(to, from)
    integer, intent(inout) :: to
    class(amount), intent(in) :: from
    to = to + from%n
  end subroutine
  elemental subroutine add_text(to, from)
    integer, intent(inout) :: to
    character(*), intent(in) :: from
    to = to + 100*len(from) + ichar(from(1:1))
  end subroutine
  integer function counted(i)
    integer, intent(in) :: i
    times = times + 1
    counted = i
  end function
  type(amount) function made(i)
    integer, intent(in) :: i
    times = times + 1
    made%n = i
    allocate(made%more(i))
  end function
  function text(i)
    integer, intent(in) :: i
    character(:), allocatable :: text
    times = times + 1
    text = achar(i) // 'ab'
  end function
  function chosen(i)
    integer, intent(in) :: i
    class(amount), allocatable :: chosen
    times = times + 1
    allocate(chosen)
    chosen%n = i
  end function
  function pointed(i)
    integer, intent(in) :: i
    type(amount), pointer :: pointed
    times = times + 1
    allocate(pointed)
    pointed%n = i
  end function
  subroutine show(v)
    integer, intent(inout) :: v(:)
    print '(*(i6))', v, times
    v = [1, 2, 3]
    times = 0
  end subroutine
end module
program p
  use shared
  implicit none
  integer :: v(3)
  v = [1, 2, 3]
  v = plus(v, v(1))
  call show(v)
  v = plus(v, counted(v(1)))
  call show(v)
  v = plus_amount(v, amount(v(1)))
  call show(v)
  v = plus_amount(v, made(v(1)))
  call show(v)
  v = plus_amount(v, amount(counted(v(1)), [v(1:2)]))
  call show(v)
  call add(v, (v(1)))
  call show(v)
  call add(v, counted(v(1)))
  call show(v)
  call add_amount(v, amount(v(1)))
  call show(v)
  call add_amount(v, made(v(1)))
  call show(v)
  call add_any(v, amount(v(1)))
  call show(v)
  call add_any(v, made(v(1)))
  call show(v)
  call add_text(v, achar(v(1)) // 'a')
  call show(v)
  call add_text(v, text(v(1)))
  call show(v)
  call add_text(v, text(v(1)) // text(v(2)))
  call show(v)
  v = plus_amount(v, chosen(v(1)))
  call show(v)
  call add_any(v, chosen(v(1)))
  call show(v)
  v = plus_amount(v, pointed(v(1)))
  call show(v)
  where (v > 1) v = plus_amount(v, made(v(2)))
  call show(v)
end program
