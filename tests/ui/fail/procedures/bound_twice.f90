! One binding name, or one procedure of a generic name, twice (Fortran 2018, 19.3.1, C1509, C778).
module m
  type :: t
  contains
    procedure :: show => a
    procedure :: show => b          !~ E0418
    procedure :: a
    generic :: g => a, a            !~ E0205
  end type
  type, extends(t) :: u
  contains
    procedure :: show => c
  end type
  interface g
    module procedure d, d           !~ E0205
  end interface
contains
  subroutine a(x)
    class(t) :: x
  end subroutine
  subroutine b(x)
    class(t) :: x
  end subroutine
  subroutine c(x)
    class(u) :: x
  end subroutine
  subroutine d(x)
    real :: x
  end subroutine
end module
program p
end program
