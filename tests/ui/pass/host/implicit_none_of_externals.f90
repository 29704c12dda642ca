! `implicit none (external)` leaves the types of letters as they are (Fortran 2018, 8.7); `external` or an interface says that a name is
! that of an external procedure.
module m
  implicit none (external)
  implicit integer (x)
contains
  subroutine s
    x = 2
    y = 1.5
    print '(i3,f4.1)', x, y
    call in
  contains
    subroutine in
      external ext
      z = 2.5
      call ext(z)
      print '(f4.1)', z
    end subroutine
  end subroutine
end module
module m2
  implicit none (type, external)
  external :: ext
  interface
    real function twice(z)
      real, intent(in) :: z
    end function
  end interface
contains
  subroutine s2(other)
    procedure() :: other
    real :: z
    real, external :: thrice
    procedure(), pointer :: p
    z = 3
    call ext(z)
    p => ext
    call p(z)
    call other(z)
    print '(3f5.1)', z, twice(z), thrice(z)
  end subroutine
end module
subroutine ext(z)
  z = z + 1
end subroutine
real function twice(z)
  real, intent(in) :: z
  twice = 2 * z
end function
real function thrice(z)
  thrice = 3 * z
end function
program main
  use m
  use m2
  implicit none (type)
  real :: z = 1
  call s
  call s2(ext)
  call ext2(z)
  print '(f4.1)', z
end program
subroutine ext2(z)
  implicit none ()
  real :: z
  z = z * 2
end subroutine
