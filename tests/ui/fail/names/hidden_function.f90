! A local declaration of a scalar hides the function of that name in the module.
module m
contains
  function factorial(x) result(res)
    integer, intent(in) :: x
    real(8) :: res
    integer :: i
    res = 1
    do i = 2, x
      res = res*i
    end do
  end function
  subroutine s(p)
    real(8), intent(out) :: p
    real(8) :: factorial               !~ (1) E0310
    p = factorial(5)                   !~ E0310
  end subroutine
end module
program t
  use m
  real(8) :: p
  call s(p)
end program
