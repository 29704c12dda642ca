! run: -Mstandard
! Fields of input have a width (Fortran 2018, 13.7.2.1).
program main
  implicit none
  integer :: i
  read (*, '(i0)') i !~ W0118
  write (*, '(i0)') i
  i = 'a' !~ E0301
end program
