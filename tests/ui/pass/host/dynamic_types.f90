! After DEALLOCATE or NULLIFY a polymorphic variable has its declared type again.
module shapes_of_things
  implicit none
  type base
    integer :: a = 1
  end type
  type, extends(base) :: more
    integer :: b = 2
  end type
end module

program dynamic_types
  use shapes_of_things
  implicit none
  class(base), allocatable :: p, q(:)
  class(base), pointer :: r => null()
  class(*), allocatable :: u
  type(more), target :: t
  allocate (more :: p)
  print '(2l2)', same_type_as(p, t), allocated(p)
  deallocate (p)
  print '(2l2)', same_type_as(p, base()), allocated(p)
  allocate (more :: q(3))
  print '(2l2)', same_type_as(q, t), extends_type_of(q, t)
  deallocate (q)
  print '(2l2)', same_type_as(q, t), extends_type_of(q, t)
  r => t
  print '(2l2)', same_type_as(r, t)
  r => null()
  print '(2l2)', same_type_as(r, t)
  r => t
  nullify (r)
  print '(2l2)', same_type_as(r, t)
  allocate (more :: p)
  call move(p, q)
  print '(3l2)', same_type_as(p, t), same_type_as(p, base())
  call kind_of(p)
  allocate (u, source=5)
  deallocate (u)
  select type (u)
  type is (integer)
    print '(a)', 'integer'
  class default
    print '(a)', 'nothing'
  end select
contains
  subroutine move(x, y)
    class(base), allocatable, intent(inout) :: x, y(:)
    class(base), allocatable :: z
    call move_alloc(x, z)
    print '(2l2)', same_type_as(x, t), same_type_as(z, t)
    allocate (y(2))
    print '(2l2)', same_type_as(y, t)
  end subroutine
  subroutine kind_of(x)
    class(base), allocatable, intent(in) :: x
    select type (x)
    class is (more)
      print '(a)', 'more'
    class default
      print '(a)', 'base'
    end select
  end subroutine
end program
