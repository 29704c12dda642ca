! IMPLICIT may name a class: objects of these letters are polymorphic.
module shapes
  implicit none
  type :: shape
    integer :: n = 1
  end type
  type, extends(shape) :: square
    integer :: side = 2
  end type
contains
  subroutine tell(s, u)
    implicit class(shape) (s), class(*) (u)
    select type (s)
    type is (square)
      print '(a,2i3)', 'square', s%n, s%side
    class default
      print '(a,i3)', 'shape', s%n
    end select
    select type (u)
    type is (integer)
      print '(a,i3)', 'integer', u
    type is (real)
      print '(a,f5.1)', 'real', u
    class default
      print '(a)', 'other'
    end select
  end subroutine
end module

program implicit_class
  use shapes
  implicit class(shape) (a-b), class(*) (c), integer (i)
  allocatable :: a, c
  allocate (a, source=square(3, 4))
  allocate (c, source=2.5)
  call tell(a, c)
  call tell(shape(5), i0())
  select type (a)
  type is (square)
    print '(a,i3)', 'a is a square of', a%side
  end select
contains
  integer function i0()
    i0 = 6
  end function
end program
