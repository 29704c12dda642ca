! The interface of a separate procedure knows the names of its module and what it uses itself; the statements know those of the
! submodule (Fortran 2018, 15.6.2.5). IMPLICIT rules: a submodule begins with the default ones; internal and module procedures begin
! with those around them, also where they have an IMPLICIT statement (8.7).
module kinds
  implicit none
  integer, parameter :: wp = 4
end module
module parts
  implicit none
  integer :: n = 3
  interface
    module function f(i) result(r)
      integer, intent(in) :: i
      integer :: r(len_of(i) + n)
    end function
    module subroutine g(z)
      integer, intent(inout) :: z(n:)
    end subroutine
    module function h(k) result(r)
      use kinds, only: wp
      integer, parameter :: two = 2
      integer, intent(in) :: k
      real(wp) :: r
    end function
    module subroutine own(x)
      real, intent(inout) :: x
    end subroutine
  end interface
contains
  pure integer function len_of(i)
    integer, intent(in) :: i
    len_of = i
  end function
end module
module other
  implicit none
  integer :: n = 5
contains
  pure integer function len_of(i)
    integer, intent(in) :: i
    len_of = 10*i
  end function
end module
submodule (parts) part
  use other
  integer, parameter :: wp = 8
  integer :: two = 5
  ! The name of a submodule is no name of anything in it (Fortran 2018, 14.2.3).
  integer :: part = 1
contains
  module procedure f
    r = size(r) + 100*n
  end procedure
  module procedure g
    z = lbound(z, 1)
  end procedure
  module procedure h
    real(wp) :: d
    d = k
    r = d + kind(r)*10 + kind(d) + two*100*part
  end procedure
  module procedure own
    y = 2.5
    k = y
    x = y + k
  end procedure
end submodule
module rules
  implicit real(8) (a-h, o-z)
contains
  subroutine s
    implicit logical (l)
    x = 1d0/3
    l = x > 0.3d0
    call inner
    print '(f14.11, i3, l2)', x, kind(x), l
  contains
    subroutine inner
      implicit integer (y)
      z = 2.75d0
      y1 = z
      l2 = .true.
      print '(f6.2, i3, l2, i3)', z, y1, l2, kind(z)
    end subroutine
  end subroutine
end module
program main
  use parts
  use rules, only: s
  implicit none
  integer :: z(2)
  real :: x
  print '(*(i4))', f(1)
  call g(z)
  print '(*(i4))', z
  print '(f6.1)', h(2)
  call own(x)
  print '(f6.1)', x
  call s
end program
