! IMPLICIT NONE with a list (Fortran 2018, 8.7): the constraints, and what EXTERNAL asks for in a scope and in those inside it.
module m
  implicit none (type, external)
contains
  subroutine s
    real :: g
    call undeclared(1) !~ E0201
    print *, g(1.0) !~ E0201
  contains
    subroutine inner
      block
        call undeclared(2) !~ E0201
      end block
    end subroutine
  end subroutine
  subroutine t(f, h)
    real, external :: f
    external :: h
    print *, f(1.0)
    call h
  end subroutine
end module
subroutine undeclared(i)
  implicit none (external)
  integer :: i
  print '(i3)', i
  x = 1
end subroutine
real function g(x)
  implicit none (type, type) !~ E0224
  real :: x
  g = x
end function
subroutine types_and_letters
  implicit none (type)
  implicit integer (i) !~ E0224
  y = 1 !~ E0201
end subroutine
subroutine given_twice
  implicit none (type)
  implicit none (external) !~ E0224
end subroutine
program main
  use m
  call s
end program
