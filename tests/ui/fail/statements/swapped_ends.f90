! Ends that change places are one mistake, told once; others are found all the same.
program p
  implicit none
  integer :: i
  do i = 1, 3
    if (i > 2) then                      !~ E0102
      print *, i
    end do
  end if
  select case (i)
  case (1)
    block                                !~ E0102
      i = 2
  end select
  end block
contains
  subroutine s
    if (i > 1) i = 2
    end if                               !~ E0103
  end subroutin                          !~ E0111
  subroutine t
    do i = 1, 3
      i = i
    end while                            !~ E0111
  end subroutine
end program
