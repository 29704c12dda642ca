! An elemental function may read the array that its results are assigned to in a procedure that no statement names: defined output, an
! assignment that the type of a component binds, and a final procedure. The value is complete before the first element is assigned
! (Fortran 2018, 10.2.1.3).
module m
  implicit none
  integer :: a(4) = [1, 2, 3, 4]
  type io
    integer :: i = 1
  contains
    procedure :: wr
    generic :: write(formatted) => wr
  end type
  type as
    integer :: k = 0
  contains
    procedure :: set
    generic :: assignment(=) => set
  end type
  type hold
    type(as) :: x
  end type
  type fin
    integer :: i = 0
  contains
    final :: bye
  end type
  type, extends(fin) :: late
  end type
  integer :: seen = 0
contains
  subroutine wr(dtv, unit, iotype, vlist, iostat, iomsg)
    class(io), intent(in) :: dtv
    integer, intent(in) :: unit, vlist(:)
    character(*), intent(in) :: iotype
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write (unit, '(i4)', iostat=iostat, iomsg=iomsg) a(5 - dtv%i)
  end subroutine
  impure elemental integer function written(i)
    integer, intent(in) :: i
    character(8) :: c
    type(io) :: o
    o%i = i
    write (c, '(dt)') o
    read (c, *) written
  end function
  elemental subroutine set(this, that)
    class(as), intent(inout) :: this
    type(as), intent(in) :: that
    this%k = a(5 - that%k)
  end subroutine
  elemental integer function assigned(i)
    integer, intent(in) :: i
    type(hold) :: p, q
    p%x%k = i
    q = p
    assigned = q%x%k
  end function
  impure elemental subroutine bye(this)
    type(fin), intent(inout) :: this
    if (this%i > 0) seen = a(5 - this%i)
  end subroutine
  subroutine mk(i)
    integer, intent(in) :: i
    type(late) :: o
    o%i = i
  end subroutine
  impure elemental integer function ended(i)
    integer, intent(in) :: i
    call mk(i)
    ended = seen
  end function
  impure elemental integer function made(i)
    integer, intent(in) :: i
    class(*), allocatable :: any
    allocate (any, source=fin(i))
    deallocate (any)
    made = seen
  end function
end module
program main
  use m
  implicit none
  a = [1, 2, 3, 4]; a = written([1, 2, 3, 4]); print '(a,4i2)', 'output', a
  a = [1, 2, 3, 4]; a = assigned([1, 2, 3, 4]); print '(a,4i2)', 'assignment', a
  a = [1, 2, 3, 4]; a = ended([1, 2, 3, 4]); print '(a,4i2)', 'final', a
  a = [1, 2, 3, 4]; a = made([1, 2, 3, 4]); print '(a,4i2)', 'polymorphic', a
  a = [1, 2, 3, 4]
  where (a > 0) a = written([1, 2, 3, 4])
  print '(a,4i2)', 'where', a
  a = [1, 2, 3, 4]
  forall (integer :: i=1:4) a(i) = assigned(i)
  print '(a,4i2)', 'forall', a
end program
