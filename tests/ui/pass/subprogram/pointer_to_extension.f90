! A type-bound procedure that takes a pointer to the extension where the inherited one takes a pointer to any: called directly and
! through the parent.
module lists
  implicit none
  type :: item
    integer :: id = 0
    class(item), pointer :: next => null()
  end type item

  type, extends(item) :: heavy
    integer :: weight = 0
  end type heavy

  type :: maker
    integer :: made = 0
  contains
    procedure :: make
  end type maker

  type, extends(maker) :: heavy_maker
  contains
    procedure :: make => make_heavy
  end type heavy_maker
contains
  function make(self, next) result(new)
    class(maker), intent(inout) :: self
    class(item), pointer, intent(in) :: next
    class(item), pointer :: new
    allocate (new)
    self%made = self%made + 1
    new%id = self%made
    new%next => next
  end function make

  function make_heavy(self, next) result(new)        !~ W0418
    class(heavy_maker), intent(inout) :: self
    type(heavy), pointer, intent(in) :: next
    type(heavy), pointer :: own
    class(item), pointer :: new
    allocate (own)
    self%made = self%made + 1
    own%id = self%made
    if (associated(next)) then
      own%weight = 10*next%weight + self%made
    else
      own%weight = self%made
    end if
    own%next => next
    new => own
  end function make_heavy
end module lists

program pointer_to_extension
  use lists
  implicit none
  class(maker), allocatable :: any_maker
  class(item), pointer :: first
  integer :: i
  allocate (heavy_maker :: any_maker)
  nullify (first)
  do i = 1, 3
    first => any_maker%make(first)
  end do
  do while (associated(first))
    select type (first)
    type is (heavy)
      print *, 'heavy', first%id, first%weight
    class default
      print *, 'light', first%id
    end select
    first => first%next
  end do
end program pointer_to_extension
