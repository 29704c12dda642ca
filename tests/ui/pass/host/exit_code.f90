! EXIT of the compiler's library ends the program with its code and shows nothing.
! exit: 7
program p
  print *, 'before'
  call exit(7)
  print *, 'not reached'
end program
