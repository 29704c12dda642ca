! Objects of abstract types, deferred procedures, and guards that stand twice.
module shapes
  implicit none
  type, abstract :: shape
  contains
    procedure(draw_shape), deferred :: draw
  end type
  abstract interface
    subroutine draw_shape(this)
      import shape
      class(shape), intent(in) :: this
    end subroutine
  end interface
  type, extends(shape) :: dot
  contains
    procedure :: draw => draw_dot
  end type
contains
  subroutine draw_dot(this)
    class(dot), intent(in) :: this
  end subroutine
end module
program main
  use shapes
  implicit none
  class(shape), allocatable :: a
  class(*), allocatable :: any
  type(dot) :: d
  allocate (dot :: a)
  call a%draw()
  deallocate (a)
  allocate (a) !~ E0325
  allocate (shape :: a) !~ E0325
  allocate (a, source=d)
  call d%draw()
  call d%shape%draw() !~ E0325
  allocate (integer :: any)
  select type (any)
  type is (integer)
    print *, 1
  type is (real)
    print *, 2
  type is (integer) !~ E0320
    print *, 3
  end select
end program
