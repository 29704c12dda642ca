! ASSOCIATED of a procedure pointer and a dummy procedure.
module m
  implicit none
  abstract interface
    integer function changed(x)
      integer, intent(in) :: x
    end function
  end interface
contains
  integer function twice(x)
    integer, intent(in) :: x
    twice = 2*x
  end function
  integer function next(x)
    integer, intent(in) :: x
    next = x + 1
  end function
  subroutine compare(f, p)
    procedure(changed) :: f
    procedure(changed), pointer, intent(in) :: p
    print '(2l2)', associated(p, f), associated(p)
  end subroutine
end module
program p
  use m
  implicit none
  procedure(changed), pointer :: q
  q => null()
  call compare(twice, q)
  q => twice
  call compare(twice, q)
  call compare(next, q)
end program
