! Within CLASS IS the object is polymorphic: its bound procedures are those of its dynamic type.
module kinds_of_things
  implicit none
  type :: b
    integer :: i = 1
  contains
    procedure :: name => name_b
  end type
  type, extends(b) :: c
    integer :: j = 2
  contains
    procedure :: vc
    procedure :: fc
    procedure :: name => name_c
  end type
  type, extends(c) :: d
    integer :: k = 3
  contains
    procedure :: vc => vd
  end type
contains
  subroutine name_b(this)
    class(b) :: this
    print '(a,i3)', 'b', this%i
  end subroutine
  subroutine name_c(this)
    class(c) :: this
    print '(a,2i3)', 'c', this%i, this%j
  end subroutine
  subroutine vc(this)
    class(c) :: this
    this%j = this%j + 1
    print '(a,2i3)', 'vc', this%i, this%j
  end subroutine
  subroutine vd(this)
    class(d) :: this
    this%k = this%k + 1
    print '(a,3i3)', 'vd', this%i, this%j, this%k
  end subroutine
  integer function fc(this, n)
    class(c) :: this
    integer, intent(in) :: n
    fc = this%j * n
  end function
  subroutine pass_c(x)
    class(c) :: x
    call x%vc()
  end subroutine
  subroutine use_it(x)
    class(b) :: x
    select type (x)
    class is (c)
      call x%vc()
      call x%name()
      call pass_c(x)
      print '(i4)', x%fc(10)
    class is (b)
      call x%name()
    end select
  end subroutine
end module

program class_is_calls
  use kinds_of_things
  implicit none
  class(b), allocatable :: p
  class(b), pointer :: r
  class(b), allocatable :: v(:)
  class(*), allocatable :: u
  integer :: n
  allocate (c :: p)
  select type (p)
  class is (c)
    call p%vc()
  end select
  call use_it(p)
  deallocate (p)
  allocate (d :: p)
  select type (p)
  class is (c)
    call p%vc()
    print '(i4)', p%fc(5)
  end select
  call use_it(p)
  allocate (d :: r)
  select type (r)
  class is (c)
    call r%vc()
    call r%name()
  end select
  select type (it => r)
  class is (d)
    call it%vc()
  end select
  deallocate (r)
  allocate (d :: v(2))
  do n = 1, 2
    select type (e => v(n))
    class is (c)
      call e%vc()
    end select
  end do
  select type (v)
  class is (c)
    call v(2)%vc()
    call use_it(v(1))
  end select
  allocate (d :: u)
  select type (u)
  class is (c)
    call u%vc()
    call use_it(u)
  end select
  call use_it(b(i=9))
end program
