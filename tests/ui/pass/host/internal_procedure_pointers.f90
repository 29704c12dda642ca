! Pointers to internal procedures outlive the procedure that sets them, belong to the activation of their host, and are equal if both are.
module m
  implicit none
  abstract interface
    integer function changed(x)
      integer, intent(in) :: x
    end function
  end interface
  type :: holder
    procedure(changed), pointer, nopass :: p => null()
  end type
contains
  recursive subroutine host(n, outer)
    integer, intent(in) :: n
    procedure(changed), pointer, intent(in), optional :: outer
    integer :: base, k
    procedure(changed), pointer :: p, q
    type(holder) :: h
    base = 100*n
    call choose(1)
    k = other(5)
    print '(2i8)', p(7), k
    q => get()
    h = made()
    k = other(6)
    print '(3i8)', q(8), h%p(9), k
    print '(5l2)', associated(p, add), associated(p, q), associated(q, p), associated(h%p, p), associated(p, twice)
    p => twice
    print '(i8, l2)', p(3), associated(p, q)
    if (present(outer)) then
      q => add
      print '(2i8, l2)', outer(1), q(1), associated(outer, q)
    else
      call host(n + 1, q)
    end if
  contains
    subroutine choose(i)
      integer, intent(in) :: i
      integer :: pad(10)
      pad = i
      call deeper
      if (sum(pad) < 0) print *, pad
    end subroutine
    subroutine deeper
      p => add
    end subroutine
    function get() result(r)
      procedure(changed), pointer :: r
      r => add
    end function
    type(holder) function made()
      made = holder(add)
    end function
    integer function add(x)
      integer, intent(in) :: x
      add = base + x
    end function
    recursive integer function twice(x) result(r)
      integer, intent(in) :: x
      procedure(changed), pointer :: mine
      mine => twice
      r = add(x)*2 + merge(0, 1, associated(mine, twice))
    end function
  end subroutine
  integer function other(i)
    integer, intent(in) :: i
    integer :: a(100)
    a = i
    other = sum(a)
  end function
end module
program p
  use m
  call host(1)
end program
