! Alternate returns of procedures of a generic name, and through dummy procedures without an interface.
module m
  implicit none
  interface solve
    module procedure solve_integer, solve_real, only_checks
  end interface
contains
  subroutine solve_integer(n, *)
    integer, intent(inout) :: n
    n = n - 1
    if (n > 0) return 1
  end subroutine
  subroutine solve_real(x, *, *)
    real, intent(inout) :: x
    x = x/2
    if (x < 1.0) return 1
    if (x > 10.0) return 2
  end subroutine
  subroutine only_checks(flag)
    logical, intent(in) :: flag
    print *, 'checked', flag
  end subroutine
end module

subroutine choose(n, *, *)
  implicit none
  integer :: n
  return n
end subroutine

subroutine by_dummy(proc, n)
  implicit none
  external :: proc
  integer :: n
  call proc(n, *1, *2)
  print *, n, 'went on'
  return
1 print *, n, 'first'
  return
2 print *, n, 'second'
end subroutine

program p
  use m
  implicit none
  external :: choose
  integer :: n, times
  real :: x
  n = 3
  times = 0
10 times = times + 1
  call solve(n, *10)
  print *, n, times
  x = 3.0
  call solve(x, *20, *30)
  print *, 'neither', x
  call solve(x, *20, *30)
  print *, 'not here'
20 print *, 'small', x
  x = 100.0
  call solve(x, *40, *30)
  print *, 'not here'
30 print *, 'large', x
40 call solve(.true.)
  do n = 0, 3
    call by_dummy(choose, n)
  end do
end program
