! The index of FORALL and DO CONCURRENT: once in a statement, and not changed in it (Fortran 2018, C1036, 11.1.7.2, 11.1.7.5).
program p
  integer :: i, j, a(3), b(3, 3)
  forall (i = 1:3, i = 1:2) a(i) = i             !~ E0319
  forall (i = 1:3) i = 1                         !~ E0319
  forall (i = 1:3)
    forall (j = 1:3) i = j                       !~ E0319
  end forall
  forall (i = 1:3)
    forall (i = 1:2) a(i) = i                    !~ E0319
    forall (j = 1:2) b(i, j) = i
  end forall
  do concurrent (i = 1:3, j = 1:3, i = 1:2)      !~ E0319
    b(i, j) = 1
  end do
  do concurrent (i = 1:3)
    i = 2                                        !~ E0319
    do j = 1, 2
      a(i) = j
    end do
  end do
  do concurrent (i = 1:3)
    do i = 1, 2                                  !~ E0319
    end do
  end do
  print *, [((i, i = 1, 2), i = 1, 3)]           !~ E0331
  print *, [((i + j, i = 1, 2), j = 1, 3)]
end program
