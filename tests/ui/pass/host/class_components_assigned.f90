! An assignment of objects assigns a polymorphic component by the procedure that its dynamic type binds, if its declared type binds one
! (Fortran 2018, 10.2.1.3, paragraph 13).
module m
  implicit none
  type base
    integer :: i = 0
  contains
    procedure, private :: copy => copy_base
    generic :: assignment(=) => copy
  end type
  type, extends(base) :: ext
    integer :: j = 0
  contains
    procedure, private :: copy => copy_ext
  end type
  type plain
    integer :: k = 7
  end type
  type, extends(plain) :: holder_inside
    type(base) :: part
  end type
  type holder
    class(base), allocatable :: one
    class(base), allocatable :: many(:)
    class(plain), allocatable :: other
  end type
contains
  subroutine copy_base(a, b)
    class(base), intent(out) :: a
    class(base), intent(in) :: b
    a%i = b%i + 100
  end subroutine
  subroutine copy_ext(a, b)
    class(ext), intent(out) :: a
    class(base), intent(in) :: b
    a%i = b%i + 1000
    select type (b)
    type is (ext)
      a%j = b%j + 2000
    end select
  end subroutine
  subroutine show(h)
    type(holder), intent(in) :: h
    if (allocated(h%one)) then
      print *, 'one', h%one%i
      select type (p => h%one)
      type is (ext)
        print *, 'j', p%j
      end select
    end if
    if (allocated(h%many)) print *, 'many', lbound(h%many), h%many%i
    if (allocated(h%other)) then
      print *, 'other', h%other%k
      select type (p => h%other)
      type is (holder_inside)
        print *, 'part', p%part%i
      end select
    end if
  end subroutine
end module
program p
  use m
  implicit none
  type(holder) :: x, y
  y = x
  call show(y)
  allocate (x%one, source=ext(i=1, j=2))
  allocate (x%many(0:1), source=[base(5), base(6)])
  allocate (x%other, source=holder_inside(k=3, part=base(4)))
  y = x
  call show(y)
  x = x
  call show(x)
  deallocate (x%one)
  y = x
  call show(y)
end program
