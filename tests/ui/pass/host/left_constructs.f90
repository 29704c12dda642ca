! What a function gives for a selector ends with the construct, however that is left (Fortran 2018, 7.5.6.3), and what a BLOCK holds
! ends with it in the main program too (9.7.3.2).
! run: --memory 12m
module m
  implicit none
  type h
    integer :: v = 0
  contains
    final :: bye
  end type
contains
  subroutine bye(a)
    type(h), intent(inout) :: a
    print *, 'bye', a%v
  end subroutine
  function make(i)
    integer, intent(in) :: i
    type(h) :: make
    make%v = i
  end function
  integer function val(x)
    type(h), intent(in) :: x
    val = x%v
  end function
  function many(n)
    integer, intent(in) :: n
    integer :: many(n)
    many = 1
  end function
  subroutine returns(k)
    integer, intent(in) :: k
    associate (x => make(10 + k))
      if (k == 1) return
      print *, 'goes on', x%v
    end associate
    select case (val(make(20 + k)))
    case (22)
      return
    end select
    print *, 'not here'
  end subroutine
end module
program p
  use m
  implicit none
  integer :: i, k, total
  do i = 1, 3
    associate (x => make(i))
      if (i == 2) cycle
      print *, 'inside', x%v
      if (i == 3) exit
    end associate
  end do
  call returns(1)
  call returns(2)
  do k = 1, 3
    block
      type(h), allocatable :: w
      type(h) :: own
      allocate (w)
      w%v = 30 + k
      own%v = 40 + k
      go to (1, 2) k
      print *, 'third'
    end block
1   print *, 'first'
    cycle
2   print *, 'second'
  end do
  i = 5
  associate (x => make(50))
    if (i - 5) 3, 4, 3
  end associate
3 print *, 'not here'
4 print *, 'behind'
  total = 0
  do i = 1, 300
    associate (z => many(25000))
      if (mod(i, 2) == 0) cycle
      total = total + z(i)
    end associate
  end do
  print *, total
end program
