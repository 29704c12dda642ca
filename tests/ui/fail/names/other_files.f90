! Functions that another file may define are refused by name; what looks like a mistake is an error.
program p
  real(8) :: t, wallclock, timer
  external timer
  t = wallclock()          !~ W0901, R0901
  t = timer()              !~ W0901
  u = elapsed_time(1, t)   !~ W0901
  call summarise(t)        !~ W0901
end program
