! Defined input/output (Fortran 2018, 12.6.4.8): type-bound and by interfaces, of abstract types, lists, arrays and sections,
! with DT and its values, on files, internal files, unformatted records and streams.
module shapes
  implicit none
  type, abstract :: shape
    character(8) :: name = ''
  contains
    procedure(io), deferred :: put
    generic :: write(formatted) => put
  end type
  abstract interface
    subroutine io(dtv, unit, iotype, v_list, iostat, iomsg)
      import
      class(shape), intent(in) :: dtv
      integer, intent(in) :: unit
      character(*), intent(in) :: iotype
      integer, intent(in) :: v_list(:)
      integer, intent(out) :: iostat
      character(*), intent(inout) :: iomsg
    end subroutine
  end interface
  type, extends(shape) :: circle
    integer :: r = 1
  contains
    procedure :: put => put_circle
  end type
  type, extends(shape) :: square
    integer :: a = 2
  contains
    procedure :: put => put_square
  end type
  type :: node
    integer :: v = 0
    type(node), pointer :: next => null()
  contains
    procedure :: put_node
    generic :: write(formatted) => put_node
    procedure :: raw_node
    generic :: write(unformatted) => raw_node
  end type
  type :: pair
    sequence
    integer :: a, b
  end type
  interface write(formatted)
    procedure put_pair
  end interface
  interface read(formatted)
    procedure get_pair
  end interface
  interface write(unformatted)
    procedure raw_pair
  end interface
  interface read(unformatted)
    procedure get_raw_pair
  end interface
  type :: holder
    integer :: n = 7
    type(pair) :: p(2)
    character(3) :: t = 'end'
  end type
contains
  subroutine put_circle(dtv, unit, iotype, v_list, iostat, iomsg)
    class(circle), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write(unit, '(a,i0,a)', iostat=iostat, iomsg=iomsg) 'circle(', dtv%r, ')'
  end subroutine
  subroutine put_square(dtv, unit, iotype, v_list, iostat, iomsg)
    class(square), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write(unit, '(a,i0,a)', iostat=iostat, iomsg=iomsg) 'square(', dtv%a, ')'
  end subroutine
  recursive subroutine put_node(dtv, unit, iotype, v_list, iostat, iomsg)
    class(node), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write(unit, '(i0)', iostat=iostat, iomsg=iomsg) dtv%v
    if (associated(dtv%next)) write(unit, '(a,dt)', iostat=iostat, iomsg=iomsg) ' -> ', dtv%next
  end subroutine
  recursive subroutine raw_node(dtv, unit, iostat, iomsg)
    class(node), intent(in) :: dtv
    integer, intent(in) :: unit
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write(unit, iostat=iostat, iomsg=iomsg) dtv%v, associated(dtv%next)
    if (associated(dtv%next)) write(unit, iostat=iostat, iomsg=iomsg) dtv%next
  end subroutine
  subroutine put_pair(dtv, unit, iotype, v_list, iostat, iomsg)
    type(pair), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    character(20) :: f
    if (size(v_list) == 2) then
      write(f, '(a,i0,a,i0,a)') '(i', v_list(1), ',1x,i', v_list(2), ')'
    else
      f = '(i0,"/",i0)'
    end if
    write(unit, f, iostat=iostat, iomsg=iomsg) dtv%a, dtv%b
  end subroutine
  subroutine get_pair(dtv, unit, iotype, v_list, iostat, iomsg)
    type(pair), intent(inout) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    if (iotype == 'LISTDIRECTED') then
      read(unit, *, iostat=iostat, iomsg=iomsg) dtv%a, dtv%b
    else
      read(unit, '(i3,1x,i3)', iostat=iostat, iomsg=iomsg) dtv%a, dtv%b
    end if
  end subroutine
  subroutine raw_pair(dtv, unit, iostat, iomsg)
    type(pair), intent(in) :: dtv
    integer, intent(in) :: unit
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write(unit, iostat=iostat, iomsg=iomsg) dtv%b
    write(unit, iostat=iostat, iomsg=iomsg) dtv%a
  end subroutine
  subroutine get_raw_pair(dtv, unit, iostat, iomsg)
    type(pair), intent(inout) :: dtv
    integer, intent(in) :: unit
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    read(unit, iostat=iostat, iomsg=iomsg) dtv%b
    read(unit, iostat=iostat, iomsg=iomsg) dtv%a
  end subroutine
end module
program p
  use shapes
  implicit none
  class(shape), allocatable :: s
  type :: box
    class(shape), allocatable :: it
  end type
  type(box) :: list(2)
  type(node), target :: n(3)
  type(pair) :: q, r(3)
  type(holder) :: h
  character(60) :: line
  character(20) :: msg
  integer :: i, k, u, raw(6)
  real :: x
  allocate(circle :: s)
  write(*, '(dt)') s
  print '(a,dt,a)', '[', s, ']'
  deallocate(s)
  allocate(s, source=square(a=9))
  write(line, '(dt)') s
  print '(a)', trim(line)
  allocate(circle :: list(1)%it)
  allocate(square :: list(2)%it)
  do i = 1, 2
    write(*, '(i0,1x,dt)') i, list(i)%it
  end do
  n(1)%next => n(2)
  n(2)%next => n(3)
  n%v = [1, 2, 3]
  write(*, '(dt)') n(1)
  write(line, '(dt)') n(1)
  print '(a)', trim(line)
  q%a = 3; q%b = 4
  print '(dt)', q
  print '(dt"x"(4,5),a)', q, '|'
  do i = 1, 3
    r(i)%a = i
    r(i)%b = 10*i
  end do
  print '(3(dt,:,", "))', r
  print '(*(dt,:,", "))', (r(i), i = 3, 1, -1)
  print '(*(dt,:,", "))', r(1:3:2)
  line = '  5   6'
  read(line, '(dt)') q
  print '(2(i0,1x))', q%a, q%b
  open(newunit=u, status='scratch')
  write(u, '(a)') '1 2 3 4 5', '6', '  7   8 9.5'
  rewind u
  read(u, *) i, q, r(1:2)
  print '(7(i0,1x))', i, q%a, q%b, r(1)%a, r(1)%b, r(2)%a, r(2)%b
  rewind u
  read(u, *)
  msg = "none"
  read(u, '(/,dt,f4.1)', iostat=i, iomsg=msg) q, x
  print '(i0,1x,a)', i, msg
  rewind u
  read(u, '(//,dt,f4.1)', iostat=i, iomsg=msg) q, x
  print '(3(i0,1x),f4.1)', i, q%a, q%b, x
  rewind u
  read(u, '(///,dt)', iostat=i) q
  print '(l1)', i < 0
  close(u)
  open(newunit=u, form='unformatted', status='scratch')
  write(u) q, n(1)
  rewind u
  read(u) raw(1:6)
  print '(3(i0,1x))', raw(1), raw(2), raw(3)
  rewind u
  q%a = 0
  read(u) q, k
  print '(3(i0,1x))', q%a, q%b, k
  close(u)
  open(newunit=u, form='unformatted', access='stream', status='scratch')
  write(u) q, r
  rewind u
  read(u) raw(1:6)
  print '(6(i0,1x))', raw
  read(u, pos=1) q, r(1)
  print '(4(i0,1x))', q%a, q%b, r(1)%a, r(1)%b
  close(u)
end program
