! A pointer component takes what a function points to (Fortran 2018, R756, C7108, R1037).
module lists
  implicit none
  type :: reference
    integer, pointer :: p => null()
    integer, pointer :: a(:) => null()
  end type
  type :: holder
    class(reference), pointer :: c => null()
  end type
  integer, target :: numbers(4) = [10, 20, 30, 40]
contains
  recursive function sum_to(n) result(v)
    integer, intent(in) :: n
    integer, pointer :: v
    type(reference) :: inner
    allocate (v)
    v = n
    if (n > 0) then
      inner = reference(sum_to(n - 1))
      v = v + inner%p
      deallocate (inner%p)
    end if
  end function
  function part(first) result(v)
    integer, intent(in) :: first
    integer, pointer :: v(:)
    v => numbers(first:)
  end function
  function any_reference() result(v)
    class(reference), pointer :: v
    allocate (v)
    v%p => numbers(4)
  end function
end module
program main
  use lists
  implicit none
  type(reference) :: r, both(2)
  type(holder) :: h
  r = reference(sum_to(4))
  print '(i0,l2)', r%p, associated(r%a)
  deallocate (r%p)
  both = [reference(a=part(3)), reference(p=sum_to(2), a=part(2))]
  print '(*(i4))', both(1)%a, both(2)%a, both(2)%p
  both(1)%a(1) = 33
  print '(*(i4))', numbers
  deallocate (both(2)%p)
  h = holder(any_reference())
  print '(i0)', h%c%p
  deallocate (h%c)
end program
