! Declarations that stand in no BLOCK (Fortran 2018, C1107).
program p
  integer :: i = 1
  block
    common /c/ x          !~ E0115
    real :: y, z
    equivalence (y, z)    !~ E0115
  end block
  block
    namelist /n/ i        !~ E0115
  end block
  block
    implicit integer (z)  !~ E0115
  end block
  block
    integer :: j
    save
    dimension :: k(3)
    parameter (m = 3)
    j = i + m
    k = j
    print *, k
  end block
end program
