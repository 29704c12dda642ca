! What statements of the procedure see of the record (checked against gfortran, T editing of internal files aside): list-directed
! and formatted parts in list-directed and formatted statements, new records, errors that are passed back.
module m
  implicit none
  type :: t
    integer :: a = 1
    character(3) :: s = 'abc'
  contains
    procedure :: wr
    procedure :: rd
    generic :: write(formatted) => wr
    generic :: read(formatted) => rd
  end type
  type :: outer
    character(2) :: p = 'pp'
    type(t) :: x(2)
    character(2) :: q = 'qq'
  end type
  integer :: mode = 0
contains
  recursive subroutine wr(dtv, unit, iotype, v_list, iostat, iomsg)
    class(t), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    select case (mode)
    case (0)
      write(unit, '(a,i0,a,a)', iostat=iostat, iomsg=iomsg) '<', dtv%a, '|'//dtv%s//'>', iotype
    case (1)
      write(unit, *, iostat=iostat, iomsg=iomsg) dtv%s, dtv%s
    case (2)
      write(unit, '(a,/,a)', iostat=iostat, iomsg=iomsg) 'x', 'y'
    case (3)
      write(unit, '(a,t2,a)', iostat=iostat, iomsg=iomsg) 'xuvw', 'y'
    case (4)
      iostat = 77; iomsg = 'my error'
    case (5)
      write(unit, '(*(i0,:,","))', iostat=iostat) size(v_list), v_list
    case (6)
      write(unit, *) 'one'
      write(unit, *) 'two'
      write(unit, *) 'three'
      iostat = 0
    case (7)
      iostat = 0
    end select
  end subroutine
  subroutine rd(dtv, unit, iotype, v_list, iostat, iomsg)
    class(t), intent(inout) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    select case (mode)
    case (0)
      read(unit, '(i3,a3)', iostat=iostat, iomsg=iomsg) dtv%a, dtv%s
    case (1)
      read(unit, *, iostat=iostat, iomsg=iomsg) dtv%a, dtv%s
    end select
  end subroutine
end module
program p
  use m
  type(t) :: x, y(2)
  type(outer) :: o
  character(80) :: s
  character(20) :: msg
  integer :: i, k
  do k = 0, 7
    if (k == 4) cycle
    mode = k
    write(*,'(a,i0)') 'mode ', k
    write(*,*) x
    write(*,*) 'a', x, 'b'
    print *, 'a', x, x, 'b'
    write(*,*) y
    if (k/=5) write(*,'(a,dt,a)') 'a', x, 'b'
    write(*,'(a,dt"foo"(1,2,3),a,dt(7))') 'a', x, 'b', x
    s = '#'
    if (k==2) cycle
    write(s,*) x
    if (k/=2) write(*,'(3a)') '[', trim(s), ']'
    s = '#'
    if (k/=2) write(s,'(a,dt"xx",a)') 'a', x, 'b'
    write(*,'(3a)') '[', trim(s), ']'
  end do
  mode = 4
  write(*,*,iostat=i,iomsg=msg) x
  write(*,'(i0,1x,a)') i, msg
  write(*,'(dt)',iostat=i,iomsg=msg) x
  write(*,'(i0,1x,a)') i, msg
  mode = 1
  mode = 0
end program
