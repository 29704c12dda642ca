! PRESENT of procedure pointers, class(*) arrays of another rank than the dummy and their elements in TRANSFER, allocatable
! components from values that are not allocated.
module parts
  implicit none
  type t
    integer(8), allocatable :: n
    real, allocatable :: x(:)
  end type
contains
  subroutine call_it(f)
    interface
      subroutine f
      end subroutine
    end interface
    optional :: f
    print '(a,l2)', 'present', present(f)
  end subroutine
  subroutine pointer_it(f)
    procedure(nothing), pointer, optional, intent(in) :: f
    print '(a,l2)', 'present', present(f)
    if (present(f)) print '(a,l2)', 'associated', associated(f)
  end subroutine
  subroutine nothing
  end subroutine
  subroutine square(x, n)
    integer, intent(in) :: n
    class(*), intent(in) :: x(n, n)
    print '(a,4i3)', 'bounds', lbound(x), ubound(x)
    select type (x)
    type is (integer)
      print '(a,4i3)', 'integer', x
    type is (real)
      print '(a,4f5.1)', 'real', x
    class default
      print '(a)', 'other'
    end select
  end subroutine
  subroutine sized(x)
    class(*), intent(in) :: x(*)
    select type (x)
    type is (integer)
      print '(a,2i3)', 'integer', x(1:2)
    class default
      print '(a)', 'other'
    end select
  end subroutine
end module

program various
  use parts
  implicit none
  procedure(nothing), pointer :: p => null(), q => null()
  integer, allocatable :: k
  real, allocatable :: y(:)
  type(t) :: a
  integer :: n(4) = [1, 2, 3, 4], m(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  class(*), allocatable :: any(:)
  call call_it(p)
  call call_it
  p => nothing
  call call_it(p)
  call pointer_it(p)
  call pointer_it(q)
  call square(n, 2)
  call square([1., 2., 3., 4.], 2)
  call square(m, 2)
  allocate (any, source=n)
  call square(any, 2)
  print '(3i3)', transfer(any(2), 1), transfer(any(3:4), n)
  call sized(n)
  call sized(m)
  a = t(k, y)
  print '(a,2l2)', 'components', allocated(a%n), allocated(a%x)
  k = 4
  a = t(k, [1, 2])
  print '(a,i3,2f4.1)', 'components', a%n, a%x
end program
