! A type with a procedure for its output is not written component by component, where that procedure would be called.
module points_of
  implicit none
  type point
    integer :: x = 1, y = 2
  contains
    procedure :: show
    generic :: write(formatted) => show
  end type
  type line
    type(point) :: from, to
  end type
contains
  subroutine show(dtv, unit, iotype, v_list, iostat, iomsg)
    class(point), intent(in) :: dtv
    integer, intent(in) :: unit, v_list(:)
    character(*), intent(in) :: iotype
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write (unit, '(a,i0,a,i0,a)', iostat=iostat, iomsg=iomsg) '<', dtv%x, ',', dtv%y, '>'
  end subroutine
end module

program defined_output
  use points_of
  implicit none
  type(point) :: p
  type(line) :: l
  print '(2i3)', p
  if (p%x > 5) print *, l             !~ W0901
  write (*, '(dt)') p                 !~ W0901, R0901
end program
