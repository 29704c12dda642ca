! What pure procedures must not do: output, changes of what is not their own, saved variables, arguments without intent.
module counters
  implicit none
  integer :: total = 0
contains
  pure subroutine report(n)
    integer, intent(in) :: n
    character(8) :: text
    write (text, '(i8)') n
    print *, n !~ W0329
    write (*, *) text !~ W0329
    open (10) !~ W0329
  end subroutine
  pure recursive subroutine add(n, sum)
    integer, intent(in) :: n
    integer, intent(out) :: sum
    total = total + n !~ W0329
    sum = total
    call add(n, total) !~ W0329
  end subroutine
  pure integer function next(n)
    integer, intent(in) :: n
    integer, save :: last !~ W0329
    integer :: first = 1 !~ W0329
    next = n + 1
  end function
  pure integer function twice(n)
    integer :: n !~ E0333
    twice = 2*n
  end function
  pure integer function changes(n)
    integer, intent(inout) :: n !~ E0333
    n = n + 1
    changes = n
  end function
  pure subroutine swap(a, b, f, p, v)
    integer :: a, b !~ E0333, E0333
    interface
      pure integer function f(i)
        integer, intent(in) :: i
      end function
    end interface
    integer, pointer :: p
    integer, value :: v
    v = a
  end subroutine
  pure subroutine draw(x)
    real, intent(out) :: x
    call random_number(x) !~ W0329
  end subroutine
  elemental integer function size_of(list) !~v E0335
    integer, intent(in) :: list(:)
    size_of = size(list)
  end function
  elemental function boxed(x) result(y)
    integer, intent(in) :: x
    integer, allocatable :: y !~ E0335
    y = x
  end function
end module
program main
  use counters
  implicit none
  integer :: i, a(3)
  do concurrent (i = 1:3)
    a(i) = impure_value(i) !~ E0329
    a(i) = next(i)
  end do
  do concurrent (i = 1:3)
    call impure_step(i) !~ E0329
    if (a(i) > 2) return !~ E0115
  end do
contains
  integer function impure_value(n)
    integer, intent(in) :: n
    impure_value = n
  end function
  subroutine impure_step(n)
    integer, intent(in) :: n
    a(n) = 1
  end subroutine
end program
