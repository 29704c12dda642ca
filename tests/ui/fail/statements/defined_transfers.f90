! Procedures that input and output statements could not call (Fortran 2018, 12.6.4.8.2), and statements that may not stand there.
module m
  implicit none
  type :: t
    integer :: x = 1
  contains
    procedure :: w1, w2
    generic :: write(formatted) => w1
    generic :: write(unformatted) => w2
  end type
  type :: s
    integer :: x = 1
  end type
  interface read(formatted)
    procedure r1
  end interface
  interface write(formatted)
    procedure w3
  end interface
contains
  subroutine w1(dtv, unit, iotype, v_list, iostat, iomsg)
    class(t), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(4)         !~ E0338
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    iostat = 0
  end subroutine
  subroutine w2(dtv, unit, iostat)           !~ E0338
    class(t), intent(in) :: dtv
    integer, intent(in) :: unit
    integer, intent(out) :: iostat
    iostat = 0
  end subroutine
  subroutine w3(dtv, unit, iotype, v_list, iostat, iomsg)
    type(s), intent(in) :: dtv               !~ E0338
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    iostat = 0
  end subroutine
  subroutine r1(dtv, unit, iotype, v_list, iostat, iomsg)
    class(s), intent(inout) :: dtv
    integer(8), intent(in) :: unit           !~ E0338
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    iostat = 0
  end subroutine
end module
program p
end program
