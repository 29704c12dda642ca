! DATA in an internal procedure makes a variable of its own, whatever the host has (Fortran 2018, 19.5.1.4).
program p
  integer :: i = 5, j = 6
  call s
  print *, i, j
contains
  subroutine s
    integer :: j
    data i /1/      !~ W0231
    data j /2/
    print *, i, j
    i = 3
  end subroutine
end program
