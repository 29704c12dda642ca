! What may stand once, and what stands at the front: accessibility (Fortran 2018, 8.6.1), PRIVATE of a type (C734),
! IMPORT (table 5.1), a format or a namelist group (12.6.2.1).
module twice
  implicit none
  private
  public !~ E0217
  type pair
    sequence
    integer :: a, b
  end type
  type hidden
    private
    private !~ E0217
    integer :: a
  contains
    private
    procedure, nopass :: s
    private !~ E0217
  end type
contains
  subroutine s()
  end subroutine
end module
program main
  implicit none
  interface
    subroutine f(x)
      integer, intent(in) :: x
      import !~ E0115
    end subroutine
  end interface
  integer :: a = 1
  namelist /group/ a
  write (*, fmt='(i3)', nml=group) !~ E0327
end program
