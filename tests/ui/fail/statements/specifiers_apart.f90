! Specifiers of READ that exclude or need each other (Fortran 2018, C1220, 12.6.2.15).
! run: -Mstandard
program p
  integer :: i, k
  read (10, rec=1, end=10) i            !~ E0327
  read (*, '(i3)', size=k) i            !~ E0327
  read (*, '(i3)', size=k, advance='no') i
10 continue
end program
