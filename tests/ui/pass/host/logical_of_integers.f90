! Logical operators with integers work on bits, and the last bit of an integer is its truth, as nvfortran has it.
program logical_of_integers
  implicit none
  integer :: flags(4) = [0, 1, 2, 3], i
  integer(8) :: wide = 6
  logical :: l
  do i = 1, 4
    if (.not. flags(i)) print *, flags(i), 'is even'                !~ W0336
    if (i > 1 .and. flags(i)) print *, flags(i), 'is odd'           !~ W0336
  end do
  print *, flags(3) .or. 8, wide .and. flags(4), 6 .neqv. 3         !~ W0336, W0336, W0336
  print *, 5 .eqv. 5, .not. 0                                       !~ W0336, W0336
  l = flags(4) .eqv. 1                                              !~ W0336
  print *, l, [1, 2] .and. [3, 3]                                   !~ W0336
end program
