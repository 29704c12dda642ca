! nvfortran takes a generic interface with the name of its module.
module both
  implicit none
  interface both
    module procedure of_integer, of_real
  end interface
contains
  integer function of_integer(i)
    integer, intent(in) :: i
    of_integer = i + 1
  end function
  integer function of_real(x)
    real, intent(in) :: x
    of_real = nint(x) + 10
  end function
end module

program p
  use both
  implicit none
  print *, both(1), both(2.0)
end program
