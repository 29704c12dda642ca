! Where assumed-rank variables must not stand.
module misuse
  implicit none
  real :: outside(..)                   !~ E0324
contains
  subroutine uses(x, y)
    real, intent(inout) :: x(..)
    integer, intent(in) :: y(..)
    integer :: n
    x = 0                               !~ E0336
    print *, x                          !~ E0336
    n = y + 1                           !~ E0336
    n = size(y)
    call plain(y)                       !~ E0336
    block
      integer :: s(y + 1)               !~ E0336
      n = size(s)
    end block
    associate (z => y + 1)              !~ E0336
      n = z
    end associate
    select rank (n)                     !~ E0336
    rank (0)
      n = 1
    end select
    select rank (y)
    rank (1)
      n = y(1)
    rank (1)                            !~ E0320
      n = y(2)
    rank (16)                           !~ E0320
      n = 2
    end select
  end subroutine
  subroutine plain(i)
    integer, intent(in) :: i
    print *, i
  end subroutine
end module
program main
  use misuse
  implicit none
  integer :: k = 1
  call uses(outside, k)
end program
