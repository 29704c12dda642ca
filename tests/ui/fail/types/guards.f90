! SELECT TYPE takes polymorphic objects, and characters of every length (Fortran 2018, C1165); `null` has one argument, EOR= needs ADVANCE=.
program p
  implicit none
  type t
    integer :: i = 0
  end type
  type(t) :: x
  class(*), allocatable :: y
  integer, pointer :: q, r
  integer :: n
  select type (x)   !~ E0325
  type is (t)
    print *, x%i
  end select
  allocate (y, source='abc')
  select type (y)
  type is (character(len=3))   !~ E0325
    print *, y
  end select
  q => null(r, 1)   !~ E0401
  read (*, '(i4)', eor=1) n   !~ E0327
1 continue
end program
