! `complex(x, y)`, as other compilers have it: the kind is the greatest of the arguments' kinds.

program complex_function
  implicit none
  real(8) :: d = 2.5d0
  integer :: i = 3
  print *, complex(i, 4), kind(complex(i, 4))
  print *, complex(1.5, d), kind(complex(1.5, d))
  print *, complex(x=i, y=2)
  print *, %loc(d) == loc(d)
end program
