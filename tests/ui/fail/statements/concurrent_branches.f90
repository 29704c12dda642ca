! Branches out of DO CONCURRENT (Fortran 2018, C1138); EXIT and RETURN are elsewhere.
program p
  integer :: i, k
  do concurrent (i = 1:3)
    if (i == 2) goto 10  !~ E0115
    if (i == 3) goto 5
    read (*, *, err=10) k !~ E0115
5   continue
  end do
10 continue
end program
