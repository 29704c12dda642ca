! Branches into constructs, which nvfortran takes, and branches that the standard allows.
! exit: 0
program branches
  implicit none
  logical :: ready = .true.
  integer :: i, io
  goto 10                                  !~ W0108
  if (ready) then
    print *, 'left out'
10  print *, 'inside'
  end if
  if (ready) goto 20
  if (.not. ready) then
    print *, 'left out'
20 end if
  do i = 1, 2
    if (ready) goto 30
    goto 40
30  continue
40 end do
  if (i > 5) goto (50, 60), i              !~ W0108
  if (i - 9) 60, 60, 50                    !~ W0108
  select case (i)
  case (1)
50  print *, 'left out'
  end select
60 read (*, *, err=70, end=80, iostat=io) i !~ W0108
  block
70  continue
  end block
80 print *, 'end'
end program
