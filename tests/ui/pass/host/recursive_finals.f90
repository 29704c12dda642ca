! The FINAL subroutine for arrays is called for arrays of a type that holds itself (Fortran 2018, 7.5.6.2).
module m
  implicit none
  type node
    integer :: v = 0
    type(node), allocatable :: kids(:)
    type(node), allocatable :: next
  contains
    final :: one, many
  end type
contains
  subroutine one(a)
    type(node), intent(inout) :: a
    print *, 'one', a%v
  end subroutine
  subroutine many(a)
    type(node), intent(inout) :: a(:)
    print *, 'many', a%v
  end subroutine
  subroutine s
    type(node) :: r
    type(node), allocatable :: all(:)
    r%v = 1
    allocate (r%kids(2))
    r%kids%v = [2, 3]
    allocate (r%kids(2)%kids(1))
    r%kids(2)%kids(1)%v = 4
    allocate (r%next)
    r%next%v = 5
    allocate (all(2))
    all(1)%v = 6
    all(2) = r
    deallocate (all)
    print *, 'end'
  end subroutine
end module
program p
  use m
  call s
end program
