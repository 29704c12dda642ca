! What Fortran does not have as an intrinsic procedure is a procedure of the program, where it has one of that name.
program main
  implicit none
  real(8) :: cbrt, rsqrt
  real :: exp10, rand
  integer :: on_device
  external rand
  print *, cbrt(8d0), rsqrt(4d0), exp10(2.), rand(3), on_device(1)
end program

real(8) function cbrt(x)
  real(8) :: x
  cbrt = -1
end function

real(8) function rsqrt(x)
  real(8) :: x
  rsqrt = -2
end function

real function exp10(x)
  real :: x
  exp10 = -3
end function

real function rand(i)
  integer :: i
  rand = -i
end function

integer function on_device(i)
  integer :: i
  on_device = i + 1
end function
