! A reference to a function whose result is a pointer is a variable: it may be assigned and be an actual argument that is changed.
module cells
  implicit none
  integer, target :: store(4) = [1, 2, 3, 4]
  type box
    integer :: v(3) = [5, 6, 7]
  contains
    procedure :: at => box_at
    procedure :: all => box_all
  end type
contains
  function cell(i)
    integer, intent(in) :: i
    integer, pointer :: cell
    cell => store(i)
  end function
  function part(a, b)
    integer, intent(in) :: a, b
    integer, pointer :: part(:)
    part => store(a:b)
  end function
  function box_at(this, i) result(p)
    class(box), target :: this
    integer, intent(in) :: i
    integer, pointer :: p
    p => this%v(i)
  end function
  function box_all(this) result(p)
    class(box), target :: this
    integer, pointer :: p(:)
    p => this%v
  end function
end module

program pointer_functions
  use cells
  implicit none
  type(box), target :: b
  cell(2) = 20
  print '(4i4)', store
  part(3, 4) = [30, 40]
  print '(4i4)', store
  part(1, 2) = 9
  cell(cell(1) - 8) = cell(1) + 1
  print '(4i4)', store
  call double(cell(4))
  call double_all(part(2, 3))
  print '(4i4)', store
  b%at(2) = 60
  b%all() = b%all() + 1
  print '(3i4)', b%v
contains
  subroutine double(n)
    integer, intent(inout) :: n
    n = 2 * n
  end subroutine
  subroutine double_all(n)
    integer, intent(inout) :: n(:)
    n = 2 * n
  end subroutine
end program
