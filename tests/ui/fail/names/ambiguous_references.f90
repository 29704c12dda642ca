! References that mean two procedures, abstract interfaces, and labels for procedures without alternate returns
! (Fortran 2018, 15.4.3.2, 15.4.3.4.5, 15.5.2.14).
module first
  implicit none
  interface copy
    module procedure copy_here
  end interface
contains
  subroutine copy_here(n)
    integer, intent(in) :: n
  end subroutine
end module

module second
  implicit none
  interface copy
    module procedure copy_there, copy_real
  end interface
contains
  subroutine copy_there(n)
    integer, intent(in) :: n
  end subroutine
  subroutine copy_real(x)
    real, intent(in) :: x
  end subroutine
end module

program main
  use first
  use second
  implicit none
  abstract interface
    subroutine plan(n)
      integer, intent(in) :: n
    end subroutine
    integer function give(n)
      integer, intent(in) :: n
    end function
  end interface
  real :: x
  call copy(1) !~ E0409
  call copy(1.0)
  call plan(1) !~ E0218
  print *, give(1) !~ E0218
  call copy_here(*10) !~ E0401
  call cpu_time(*10) !~ E0401
10 continue
end program
