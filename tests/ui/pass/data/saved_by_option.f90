! run: -Msave
! `-Msave` saves the local variables of procedures that are not recursive.

program saved_by_option
  implicit none
  integer :: i
  do i = 1, 3
    call count(i == 1)
  end do
  print *, depth(3)
contains
  subroutine count(is_first)
    logical, intent(in) :: is_first
    integer :: n, list(2)
    integer, allocatable :: kept(:)
    if (is_first) then
      n = 0
      list = [10, 20]
      kept = [7]
    end if
    n = n + 1
    list = list + n
    print *, n, list, kept
  end subroutine

  recursive integer function depth(n) result(d)
    integer, intent(in) :: n
    integer :: own
    own = n
    d = 0
    if (n > 0) d = depth(n - 1) + own
  end function
end program
