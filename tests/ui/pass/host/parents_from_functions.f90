! A structure constructor may take the parent component from a function, which is called once (Fortran 2018, 7.5.10): a user's
! constructor with the name of the type, too.
module shapes
  implicit none
  type base
    integer :: id = 0
    character(:), allocatable :: name
    real, allocatable :: size(:)
  contains
    final :: end_base
  end type
  interface base
    procedure new_base
  end interface
  type, extends(base) :: middle
    integer :: level = 1
  end type
  type, extends(middle) :: leaf
    logical :: is_last = .false.
  end type
  integer :: calls = 0
contains
  function new_base(id) result(b)
    integer, intent(in) :: id
    type(base) :: b
    calls = calls + 1
    b%id = 10*id
    b%name = 'number ' // achar(iachar('0') + id)
    allocate (b%size(id))
    b%size = id
  end function
  elemental subroutine end_base(b)
    type(base), intent(inout) :: b
    b%id = -1
  end subroutine
  function new_middle(id) result(m)
    integer, intent(in) :: id
    type(middle) :: m
    m = middle(base(id), level=id + 1)
  end function
  function new_leaf(id) result(l)
    integer, intent(in) :: id
    type(leaf), allocatable :: l
    allocate (l, source=leaf(middle=new_middle(id), is_last=id > 2))
  end function
  subroutine show(b)
    class(base), intent(in) :: b
    select type (b)
    type is (middle)
      print '(a,i4,1x,a,2i4,f6.1)', 'middle', b%id, b%name, b%level, size(b%size), sum(b%size)
    type is (leaf)
      print '(a,i4,1x,a,2i4,f6.1,l2)', 'leaf', b%id, b%name, b%level, size(b%size), sum(b%size), b%is_last
    end select
  end subroutine
end module

program main
  use shapes
  implicit none
  type(middle) :: m, list(3)
  class(base), allocatable :: c
  integer :: i
  m = middle(base(2), 5)
  call show(m)
  m = middle(base=base(3))
  call show(m)
  call show(middle((m%base), 8))
  call show(leaf(base(4), level=7))
  call show(leaf(new_middle(1), .true.))
  call show(leaf(middle(base(5), 6), .true.))
  c = new_leaf(3)
  call show(c)
  list = [(middle(base(i), i), i = 1, 3)]
  do i = 1, 3
    call show(list(i))
  end do
  if (same(middle(base(2), 1), middle(base(2), 1))) print '(a)', 'same'
  print '(a,i3)', 'calls', calls
contains
  logical function same(a, b)
    type(middle), intent(in) :: a, b
    same = a%name == b%name .and. a%id == b%id
  end function
end program
