! Specific names of intrinsic functions as actual arguments, and `rand` with a seed.

program specific_names
  implicit none
  intrinsic :: dacosh, derf, algama, dgamma, cdsqrt, dconjg, dimag, zabs
  real(8) :: x, rand
  print '(4f9.5)', of_double(dacosh, 2d0), of_double(derf, .5d0), of_double(dgamma, 4.5d0), of_real(algama, 3.5)
  print '(4f9.5)', of_complex(cdsqrt, (3d0, 4d0)), of_complex(dconjg, (3d0, 4d0))
  print '(2f9.5)', part(dimag, (3d0, 4d0)), part(zabs, (3d0, 4d0))
  x = rand(86456)
  call srand(86456)
  print *, rand(0) == x
contains
  real(8) function of_double(f, x)
    real(8), external :: f
    real(8), intent(in) :: x
    of_double = f(x)
  end function
  real function of_real(f, x)
    real, external :: f
    real, intent(in) :: x
    of_real = f(x)
  end function
  complex(8) function of_complex(f, x)
    complex(8), external :: f
    complex(8), intent(in) :: x
    of_complex = f(x)
  end function
  real(8) function part(f, x)
    real(8), external :: f
    complex(8), intent(in) :: x
    part = f(x)
  end function
end program
