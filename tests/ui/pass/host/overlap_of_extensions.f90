! The value of an assignment is evaluated before anything is stored (Fortran 2018, 10.2.1.3), also where the target is a pointer
! component that only an extension of the declared type has.
module nodes
  implicit none
  type base
    integer :: k = 0
  end type
  type, extends(base) :: part
    integer, pointer :: p(:) => null()
  end type
  type holder
    class(base), allocatable :: one
    class(*), allocatable :: any
  end type
contains
  subroutine shift(q, a)
    class(base), intent(inout) :: q
    integer, target, intent(inout) :: a(:)
    select type (q)
    type is (part)
      q%p => a
      q%p(2:) = a(:size(a) - 1)
    end select
  end subroutine
  subroutine shift_within(h, a)
    class(*), intent(inout) :: h
    integer, target, intent(inout) :: a(:)
    select type (h)
    type is (holder)
      select type (z => h%one)
      class is (part)
        z%p => a
        z%p(2:) = 10*a(:size(a) - 1)
      end select
    end select
  end subroutine
end module

program main
  use nodes
  implicit none
  class(base), allocatable :: own
  type(holder) :: h
  integer, target :: a(4) = [1, 2, 3, 4]
  allocate (part :: own, h%one, h%any)
  select type (own)
  type is (part)
    own%p => a
    own%p(2:4) = a(1:3)
    a(2:4) = own%p(1:3)
  end select
  print '(4i5)', a
  a = [1, 2, 3, 4]
  call shift(own, a)
  print '(4i5)', a
  select type (z => h%any)
  type is (part)
    z%p => a
    z%p(1:3) = a(2:4)
    a(2:4) = z%p(1:3)
  end select
  print '(4i5)', a
  a = [1, 2, 3, 4]
  call shift_within(h, a)
  print '(4i5)', a
end program
