! Array sections with gaps as arguments of unlimited polymorphic dummies of explicit shape and assumed size.
module m
  type :: t
    integer :: k
    character(3), allocatable :: s
  end type
contains
  subroutine z(x, n)
    integer, intent(in) :: n
    class(*), intent(inout) :: x(n)
    select type (x)
    type is (integer)
      print '(4i4)', x
      x = x + 100
    type is (character(*))
      print '(i4, 2(1x, a))', len(x), x
      x = 'q'
    type is (t)
      print '(2i4)', x%k
      x(1)%s = 'new'
      x%k = -x%k
    end select
  end subroutine
  subroutine star(x)
    class(*), intent(in) :: x(2,*)
    select type (x)
    type is (integer)
      print '(2i4)', x(:,2)
    end select
  end subroutine
end module
program p
  use m
  integer :: a(6) = [1,2,3,4,5,6], i, b(4,2) = reshape([(i,i=1,8)],[4,2])
  character(5) :: c(4) = ['abcde','fghij','klmno','pqrst']
  type(t) :: o(4)
  call z(a(::2), 3)
  print '(6i4)', a
  call z(c(::2)(2:3), 2)
  print '(4(a, 1x))', c
  do i = 1, 4
    o(i)%k = i
    o(i)%s = 'old'
  end do
  call z(o(4:1:-2), 2)
  print '(4i4, 4(1x, a))', o%k, (o(i)%s, i = 1, 4)
  call star(b(::3,:))
  call z(o%k, 4)
  print '(4i4)', o%k
end program
