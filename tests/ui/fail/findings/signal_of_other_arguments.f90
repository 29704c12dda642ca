! A procedure for signals takes the number of the signal by value, or nothing.
program p
  implicit none
  integer, external :: signal, kill, getpid
  integer :: done
  done = signal(10, handler, -1)
  done = kill(getpid(), 10)
  print *, done !~ R0801
contains
  subroutine handler(a, b)
    real :: a, b
    print *, a, b
  end subroutine
end program
