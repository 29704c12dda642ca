! RANDOM_INIT: a repeatable sequence begins anew at each call, another one is a new one at each.
program main
  implicit none
  real :: first(3), again(3), other, third
  call random_init(repeatable=.true., image_distinct=.true.)
  call random_number(first)
  call random_init(.true., .false.)
  call random_number(again)
  print *, all(first == again)
  call random_init(.false., .false.)
  call random_number(other)
  print *, other >= 0 .and. other < 1
  call random_init(.false., .false.)
  call random_number(third)
  print *, other /= third
end program
