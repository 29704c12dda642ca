! Procedures of the run-time library that no module declares: random numbers are C's, clocks only go forwards. Procedures of the
! program, and variables, come before those of the library.
module names_of_the_library
  implicit none
contains
  subroutine system(n)
    integer, intent(in) :: n
    print *, 'system', n
  end subroutine

  integer function secnds(n)
    integer, intent(in) :: n
    secnds = n + 1
  end function
end module

integer function dtime(n)
  implicit none
  integer, intent(in) :: n
  dtime = 2*n
end function

program run_time_library
  implicit none
  external srand
  real(8) :: rand
  integer :: irand, i, n, time, before
  real :: etime, times(2), now
  print *, rand(), rand(0)
  call srand(1)
  print *, rand()
  n = irand()
  print *, n, irand(), undeclared()
  do i = 1, 998
    n = irand()
  end do
  print *, n
  now = etime(times)
  print *, now == times(1), times(2) == 0
  before = time()
  print *, before >= 0, time() >= before
  call hidden()
contains
  real(8) function undeclared()
    undeclared = secnds(0.0) - secnds(0.0)
  end function

  subroutine hidden()
    use names_of_the_library
    integer :: dtime
    real :: time
    time = 1.5
    call system(7)
    print *, secnds(4), dtime(4), time
  end subroutine
end program
