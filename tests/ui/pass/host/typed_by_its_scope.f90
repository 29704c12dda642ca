! An EXTERNAL function without a type has that of the rules of the scope that declares it (Fortran 2018, 8.7).
module declares
  implicit integer (d)
  external :: dfun
end module

program main
  use declares
  use, intrinsic :: ieee_arithmetic
  implicit integer (e)
  external :: efun
  print *, efun(1), dfun(2)
  call inside
  print *, ieee_int(a=-3.7d0, round=ieee_up, kind=8)
contains
  subroutine inside
    implicit real (d, e)
    print *, efun(3), dfun(4)
  end subroutine
end program

integer function efun(i)
  integer i
  efun = i + 1
end function

integer function dfun(i)
  integer i
  dfun = i + 10
end function
