! The name of an intrinsic function as an argument: a reference before has made it one, without INTRINSIC.
program p
  real :: x
  x = -abs(2.0)
  call apply(abs, x)
  x = sqrt(4.0) + x
  call apply(sqrt, x + 9)
contains
  subroutine apply(f, z)
    external :: f
    real :: f, z
    print '(f5.1)', f(z)
  end subroutine
end program
