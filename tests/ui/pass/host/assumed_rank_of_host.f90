! Internal procedures use the assumed-rank arguments of their host (Fortran 2018, 8.5.8.7, 19.5.1.4).
module m
  use iso_c_binding
contains
  subroutine s(a, b, c, d, e, txt)
    real, intent(inout) :: a(..)
    class(*), intent(in) :: b(..)
    type(*), intent(in), target :: c(..)
    real, allocatable, intent(inout) :: d(..)
    integer, pointer, intent(in) :: e(..)
    character(*), intent(in) :: txt(..)
    integer :: calls
    calls = 0
    call inner(2)
    print *, 'calls', calls
  contains
    recursive subroutine inner(depth)
      integer, intent(in) :: depth
      calls = calls + 1
      print *, rank(a), shape(a)
      print *, rank(b), size(b), rank(c), size(c)
      print *, rank(d), allocated(d), rank(e), associated(e)
      print *, rank(txt), len(txt), size(txt), lbound(a)
      if (depth > 0) call inner(depth - 1)
      select rank (a)
      rank (0)
        a = a + 1
      rank (1)
        a = a * 2
      rank (2)
        a(1, :) = a(1, :) + 10
      end select
      select rank (d)
      rank (1)
        if (.not. allocated(d)) allocate (d(0:2), source=1.0)
        d = d + 1
      end select
      select rank (e)
      rank (2)
        e = e + 1
      end select
      select rank (txt)
      rank (1)
        print *, txt
      rank (0)
        print *, 'scalar ', txt
      end select
    end subroutine
  end subroutine

  subroutine sized(a)
    real :: a(..)
    call inner()
  contains
    subroutine inner()
      select rank (a)
      rank (*)
        print *, 'assumed size', rank(a), a(2)
      rank (1)
        print *, 'one', a(2)
      rank default
        print *, 'default', rank(a)
      end select
    end subroutine
  end subroutine

  subroutine hand(a)
    real :: a(*)
    call sized(a)
  end subroutine
  subroutine any_of(c, n)
    type(*), intent(in), target :: c
    type(*), target :: n(:)
    call inner()
  contains
    subroutine inner()
      print *, size(n), c_associated(c_loc(c)), c_associated(c_loc(n))
    end subroutine
  end subroutine
end module
use m
real :: x(3), y(2,2), z
real, allocatable :: d(:)
integer, pointer :: e(:,:)
integer, target :: t(2,2)
x = 1; y = 2; z = 3; t = 0; e => t
call s(x, y, t, d, e, ['ab','cd'])
print *, x
print *, d, t
call s(y, 'a', z, d, e, 'xyz')
print *, y
print *, d
print *, t
call s(z, x, x, d, e, ['q'])
print *, z
call sized(x); call sized(y); call hand(x)
call any_of(z, y(:,1))
end
