! The result of a function in an output list is finalised when the statement has ended (Fortran 2018, 7.5.6.3).
module m
  implicit none
  type h
    integer :: v = 0
  contains
    final :: bye
  end type
contains
  subroutine bye(a)
    type(h), intent(inout) :: a
    print *, 'bye', a%v
    a%v = -1
  end subroutine
  function make(i)
    integer, intent(in) :: i
    type(h) :: make
    make%v = i
  end function
  integer function val(x)
    type(h), intent(in) :: x
    val = x%v
  end function
end module
program p
  use m
  print *, 'values', val(make(3)), val(make(4))
end program
