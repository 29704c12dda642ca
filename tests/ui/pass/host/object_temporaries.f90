! Objects that own memory as temporaries: array constructors, copies for arguments, overlapping sections, masks, constructors with
! objects and arrays of objects in them. Each is done several times, in memory that has held something else before.
module m
  implicit none
  type inner
    integer, allocatable :: a(:)
  end type
  type outer
    type(inner) :: one
    type(inner) :: two(2)
  end type
contains
  function make(n) result(r)
    integer, intent(in) :: n
    class(inner), allocatable :: r(:)
    allocate (r(3), source=[inner([n]), inner([n, n]), inner([n, n, n])])
  end function
  integer function total(list, n)
    integer, intent(in) :: n
    type(inner), intent(inout) :: list(n)
    integer :: i
    total = 0
    do i = 1, n
      total = total + sum(list(i)%a)
      list(i)%a = [list(i)%a, 1]
    end do
  end function
  subroutine noise()
    integer :: junk(200)
    junk = 12345
    if (sum(junk) == 0) print *, junk
  end subroutine
end module
program object_temporaries
  use m
  implicit none
  type(inner) :: list(4)
  type(inner), allocatable :: grown(:)
  type(outer) :: o
  integer :: i, k
  do k = 1, 3
    call noise()
    list(1:3) = make(k)
    list(4) = inner([100*k])
    list = [list(4), list(1:3)]
    list(2:4) = list(1:3)
    where ([.true., .false., .true., .false.]) list = list(4:1:-1)
    forall (i = 1:2) list(i) = list(i + 2)
    print '(*(1x,i0))', k, (list(i)%a, i = 1, 4)
    print '(i0)', total(list(1:3:2), 2)
    print '(i0)', total(list(4:1:-2), 2)
    print '(*(1x,i0))', (size(list(i)%a), i = 1, 4)
    grown = [make(k), list]
    print '(*(1x,i0))', (size(grown(i)%a), i = 1, size(grown))
    o = outer(list(1), [list(2), inner([k])])
    o = outer(o%two(2), o%two(2:1:-1))
    print '(*(1x,i0))', o%one%a, o%two(1)%a, o%two(2)%a
    grown = reshape([grown, grown], [2])
    print '(*(1x,i0))', (grown(i)%a, i = 1, size(grown))
  end do
end program
