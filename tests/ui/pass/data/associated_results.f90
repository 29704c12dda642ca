! `associated` of what pointer functions give.

module choices
  implicit none
  type :: node
    integer :: value = 0
    type(node), pointer :: next => null()
  contains
    procedure :: follower
  end type
  integer :: calls = 0
contains
  function follower(this) result(p)
    class(node), intent(in) :: this
    class(node), pointer :: p
    p => this%next
  end function

  function part(a, n) result(p)
    integer, intent(in), target :: a(:)
    integer, intent(in) :: n
    integer, pointer :: p(:)
    calls = calls + 1
    p => null()
    if (n > 0) p => a(1:n)
  end function

  function letters(text, is_there) result(p)
    character(len=*), intent(in), target :: text
    logical, intent(in) :: is_there
    character(len=len(text)), pointer :: p
    p => null()
    if (is_there) p => text
  end function
end module

program associated_results
  use choices
  implicit none
  integer, target :: a(5) = [1, 2, 3, 4, 5]
  character(3), target :: text = 'abc'
  type(node), target :: one, two
  one%next => two
  print *, associated(part(a, 0)), associated(part(a, 2)), associated(part(a, 2), a(1:2)), associated(part(a, 2), a)
  print *, associated(letters(text, .false.)), associated(letters(text, .true.)), associated(letters(text, .true.), text)
  print *, associated(one%follower()), associated(two%follower()), calls
end program
