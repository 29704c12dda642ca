! PAUSE with and without a code: the program goes on when its input ends.
program p
  implicit none
  integer :: i
  do i = 1, 2
    if (i == 2) pause
    print '(a, i2)', 'step', i
  end do
  pause 'load the tape'
  pause 17
  print '(a)', 'done'
end program
