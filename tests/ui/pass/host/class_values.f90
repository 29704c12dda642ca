! What stands in parentheses is a value also for a polymorphic dummy argument: what the procedure does to a variable does not change it.
module shapes
  implicit none
  type :: shape
    integer :: k = 7
  contains
    procedure :: set
    final :: gone
  end type
  type, extends(shape) :: named
    character(:), allocatable :: name
  contains
    procedure :: set => set_named
  end type
  integer :: finals = 0
contains
  subroutine set(this, from)
    class(shape), intent(inout) :: this
    class(shape), intent(in) :: from
    this%k = 100
    print *, 'shape', from%k
  end subroutine
  subroutine set_named(this, from)
    class(named), intent(inout) :: this
    class(shape), intent(in) :: from
    this%k = 100
    this%name = 'changed'
    select type (from)
    type is (named)
      print *, 'named ', from%k, from%name
    class default
      print *, 'other', from%k
    end select
  end subroutine
  subroutine all_of(these, from)
    class(shape), intent(inout) :: these(:)
    class(shape), intent(in) :: from(:)
    these%k = 100
    print *, 'all', from%k
  end subroutine
  elemental subroutine one_of(this, from)
    class(shape), intent(inout) :: this
    class(shape), intent(in) :: from
    this%k = 10
    this%k = this%k + from%k
  end subroutine
  subroutine any_of(this, from)
    class(*), intent(inout) :: this
    class(*), intent(in) :: from
    select type (this)
    type is (integer)
      this = 5
    class is (shape)
      this%k = 5
    end select
    select type (from)
    type is (integer)
      print *, 'integer', from
    class is (shape)
      print *, 'any', from%k
    end select
  end subroutine
  impure elemental subroutine gone(this)
    type(shape), intent(inout) :: this
    finals = finals + 1
  end subroutine
end module
program p
  use shapes
  implicit none
  type(shape) :: x, a(3)
  type(named) :: y
  class(shape), allocatable :: c, d(:)
  integer :: i
  x%k = 1
  call x%set((x))
  y = named(k=1, name='first')
  call y%set((y))
  y%k = 1
  call y%set((y%shape))
  c = named(k=1, name='second')
  finals = 0
  call c%set((c))
  a%k = [1, 2, 3]
  call all_of(a, (a))
  a%k = [1, 2, 3]
  call one_of(a, (a))
  print *, a%k
  a%k = [1, 2, 3]
  call one_of(a, (a(2)))
  print *, a%k
  allocate(d(3), source=a)
  d%k = [1, 2, 3]
  call all_of(d, (d))
  d%k = [1, 2, 3]
  call one_of(d, (d))
  print *, d%k
  i = 1
  call any_of(i, (i))
  x%k = 1
  call any_of(x, (x))
  print *, finals
end program
