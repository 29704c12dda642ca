! The attributes `static`, which is `save`, and `automatic`, which keeps a variable from being saved.

program automatic_and_static
  implicit none
  integer :: i
  do i = 1, 3
    print *, counted(i), factorial(i + 2)
  end do
contains
  integer function counted(step)
    integer, intent(in) :: step
    integer, static :: total
    integer :: calls
    static calls
    integer, automatic :: own
    save
    own = step
    if (step == 1) then
      total = 0
      calls = 0
    end if
    total = total + own
    calls = calls + 1
    counted = 100 * calls + total
  end function

  recursive integer function factorial(n) result(f)
    integer, intent(in) :: n
    integer :: own
    automatic :: own
    save
    own = n
    f = 1
    if (n > 1) f = factorial(n - 1) * own
  end function
end program
