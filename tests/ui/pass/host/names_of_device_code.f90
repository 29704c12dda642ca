! Procedures of device code are no intrinsic procedures of host code: a procedure of the program that has such a name is called.
program main
  real(8) :: clock, seconds
  integer :: ballot
  seconds = clock()
  print *, seconds, ballot(3)
  call syncthreads()
end program

real(8) function clock()
  clock = 1.5d0
end function

integer function ballot(i)
  integer :: i
  ballot = i + 1
end function

subroutine syncthreads()
  print *, 'of the program'
end subroutine
