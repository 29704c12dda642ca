! `not` of logical values is `.not.`, as nvfortran has it.
program logical_not
  implicit none
  logical :: l = .true., m(3) = [.true., .false., .true.]
  if (not(l)) error stop 'scalar'
  if (any(not(m) .eqv. m)) error stop 'array'
  print *, not(l), not(m), not(12)
end program
