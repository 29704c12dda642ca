! Polymorphic objects: dynamic dispatch, `select type`, allocation by type and by source, unlimited polymorphism.
module shapes
  implicit none

  type, abstract :: shape
    character(8) :: name = 'none'
  contains
    procedure(area_of), deferred :: area
    procedure :: describe
    procedure, nopass :: corners => no_corners
    generic :: operator(+) => total
    procedure, private :: total
  end type

  abstract interface
    real function area_of(this)
      import :: shape
      class(shape), intent(in) :: this
    end function
  end interface

  type, extends(shape) :: square
    real :: side = 1
  contains
    procedure :: area => square_area
    procedure, nopass :: corners => four_corners
  end type

  type, extends(square) :: oblong
    real :: other = 2
    integer, allocatable :: marks(:)
  contains
    procedure :: area => oblong_area
    procedure :: describe => describe_oblong
  end type

  type, extends(shape) :: disc
    real :: radius = 1
  contains
    procedure :: area => disc_area
  end type

  type :: holder
    class(shape), allocatable :: held
  end type

contains
  real function square_area(this) result(a)
    class(square), intent(in) :: this
    a = this%side**2
  end function

  real function oblong_area(this) result(a)
    class(oblong), intent(in) :: this
    a = this%side * this%other
  end function

  real function disc_area(this) result(a)
    class(disc), intent(in) :: this
    a = 3 * this%radius**2
  end function

  subroutine describe(this, indent)
    class(shape), intent(in) :: this
    integer, intent(in) :: indent
    print '(a,a,f6.2,i3)', repeat(' ', indent), this%name, this%area(), this%corners()
  end subroutine

  subroutine describe_oblong(this, indent)
    class(oblong), intent(in) :: this
    integer, intent(in) :: indent
    call this%square%describe(indent + 2)
    print '(a,a,2f6.2)', repeat(' ', indent), 'oblong  ', this%side, this%other
  end subroutine

  integer function no_corners()
    no_corners = 0
  end function

  integer function four_corners()
    four_corners = 4
  end function

  real function total(a, b)
    class(shape), intent(in) :: a, b
    total = a%area() + b%area()
  end function

  function made(kind) result(s)
    integer, intent(in) :: kind
    class(shape), allocatable :: s
    select case (kind)
    case (1)
      allocate (square :: s)
    case (2)
      allocate (s, source=oblong('long', 3, 4, [1, 2, 3]))
    case default
      s = disc('disc', 2)
    end select
  end function

  subroutine grow(s)
    class(shape), intent(inout) :: s
    select type (s)
    type is (square)
      s%side = s%side + 1
    class is (square)
      s%side = s%side + 10
    type is (disc)
      s%radius = s%radius + 1
    end select
  end subroutine

  ! What SELECT TYPE has found may be pointed to, whether the selector has TARGET or not.
  subroutine point_at(s)
    class(shape), intent(in) :: s
    type(disc), pointer :: found
    select type (seen => s)
    type is (disc)
      found => seen
      print *, found%radius
    end select
  end subroutine

  subroutine tell(x)
    class(*), intent(in) :: x
    select type (x)
    type is (integer)
      print '(a,i0)', 'integer ', x
    type is (real(8))
      print '(a,f0.3)', 'double ', x
    type is (character(*))
      print '(a,i0,a)', 'text of ', len(x), ': '//x
    class is (shape)
      print '(a,a)', 'shape ', x%name
    class default
      print '(a)', 'something'
    end select
  end subroutine

  subroutine fresh(s)
    class(square), intent(out) :: s
    print '(a,l2)', 'fresh', s%side == 1
  end subroutine
end module

program polymorphism
  use shapes
  implicit none
  class(shape), allocatable :: a, b
  class(shape), pointer :: p
  class(*), allocatable :: any, list(:)
  type(square), target :: sq
  type(oblong), target :: ob
  type(holder) :: h, g
  class(square), allocatable :: row(:)
  integer :: i

  do i = 1, 3
    a = made(i)
    call a%describe(i)
    call grow(a)
    call point_at(a)
    print '(f8.2)', a%area()
  end do

  b = made(2)
  print '(f8.2)', a + b
  h%held = b
  g = h
  call grow(g%held)
  print '(2f8.2)', h%held%area(), g%held%area()
  select type (s => g%held)
  type is (oblong)
    s%marks(2) = 20
    print '(3i4)', s%marks
    s%square%side = 0.5
  end select
  print '(f8.2)', g%held%area()

  sq%name = 'target'
  p => sq
  call grow(p)
  print '(f8.2)', sq%side
  p => ob
  print '(f8.2,l2)', p%area(), same_type_as(p, ob)
  print '(3l2)', extends_type_of(p, sq), extends_type_of(sq, p), same_type_as(p, sq)

  allocate (any, source=42)
  call tell(any)
  deallocate (any)
  allocate (any, source='some words')
  call tell(any)
  any = 2.5d0
  call tell(any)
  call tell(ob)
  call tell((1.0, 2.0))
  allocate (list(3), source=[7, 8, 9])
  do i = 1, 3
    call tell(list(i))
  end do

  allocate (oblong :: row(2))
  row(2)%side = 5
  print '(2f8.2)', (row(i)%area(), i = 1, 2)
  print '(2f8.2)', row%side
  call fresh(row(2))
  print '(2f8.2)', (row(i)%area(), i = 1, 2)
  call move_alloc(a, b)
  print '(2l2,f8.2)', allocated(a), allocated(b), b%area()
end program
