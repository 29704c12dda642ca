! Defined input/output of components and namelist objects; INQUIRE of the unit that a procedure gets; the condition of a part.
module m
  implicit none
  type :: point
    private
    integer :: x = 0, y = 0
  contains
    procedure :: w, r
    generic :: write(formatted) => w
    generic :: read(formatted) => r
  end type
  type :: outer
    integer :: k = 1
    type(point) :: p
  end type
contains
  subroutine w(dtv, unit, iotype, v_list, iostat, iomsg)
    class(point), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write(unit, '(i0,",",i0)', iostat=iostat, iomsg=iomsg) dtv%x, dtv%y
    if (iotype == 'NAMELIST' .and. size(v_list) /= 0) iostat = 1
  end subroutine
  subroutine r(dtv, unit, iotype, v_list, iostat, iomsg)
    class(point), intent(inout) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    logical :: open, named
    integer :: n
    inquire(unit=unit, opened=open, iostat=n)
    if (unit < 0) print '(l1,1x,l1)', open, n /= 0
    read(unit, *, iostat=iostat, iomsg=iomsg) dtv%x, dtv%y
  end subroutine
end module
program p
  use m
  implicit none
  type(point) :: a, b(2)
  type(outer) :: o
  integer :: k = 5, u, i
  character(100) :: line, msg
  namelist /g/ k, a, b, o
  open(newunit=u, status='scratch')
  write(u, '(a)') ' &g k=3, a=1 2', ' b = 3,4, 5,6', ' o%p= 9 8 k=7 /'
  rewind u
  read(u, nml=g)
  print '(i0)', k
  print '(dt,1x,dt,1x,dt)', a, b
  print '(dt)', o%p
  rewind u
  write(u, nml=g)
  rewind u
  do
    read(u, '(a)', iostat=i) line
    if (i /= 0) exit
    write(*,'(a)') trim(line)
  end do
  line = '4 5 6'
  read(line, *) a, k
  print '(dt,1x,i0)', a, k
  line = '4 x 6'
  msg = ''
  read(line, *, iostat=i, iomsg=msg) a, k
  print '(l1)', i > 0
end program
