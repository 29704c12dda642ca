! Namelist groups with objects whose lengths are known at run time only, written and read.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    integer :: id = 0
    real :: x(n) = 0
    character(n) :: name = ''
  end type
  type :: pair(n)
    integer, len :: n
    type(line(n)) :: left
    type(line(2)) :: all(n)
    integer :: k = 7
  end type
contains
  subroutine fields(r, s)
    type(line(*)), intent(inout) :: r, s(:)
    character(300) :: text(30)
    integer :: i
    namelist /values/ r, s
    text = ''
    write (text, values)
    do i = 1, size(text)
      if (text(i) /= '') print '(a)', trim(text(i))
    end do
    text = ''
    text(1) = '&values r%x(2) = 5, r%name = "pq", s(2)%x = 3*8, s%id = 1 2, s(1)%name(2:2) = "-"'
    text(2) = ' r%id = 4, s(1) = 9 1 2 3 "abc" /'
    read (text, values)
    print '(i3, *(f5.1))', r%id, r%x
    print '(a)', r%name
    do i = 1, size(s)
      print '(i3, 1x, a, 3f5.1)', s(i)%id, s(i)%name, s(i)%x
    end do
  end subroutine
end module
program p
  use m
  implicit none
  type(line(:)), allocatable :: r, none(:)
  type(line(3)) :: s(2)
  allocate (line(2) :: r)
  r%x = [1.5, 2.5]
  call fields(r, s)
  allocate (line(4) :: none(0))
  call nested(2)
contains
  subroutine nested(n)
    integer, intent(in) :: n
    type(pair(n)) :: a, b(2)
    character(400) :: text(2)
    integer :: i
    namelist /groups/ a, b, none
    text(1) = '&groups a%left%x(2) = 3, a%all(2)%x = 4 5, b(2)%left%name = "zz", b%k = 1 2'
    text(2) = ' b(1)%all(1) = 6 7 8 "uv", a%left = 1 2 3 "xy" a%k = 99 /'
    read (text, groups)
    print '(i3, 2f5.1, 1x, a, i3)', a%left%id, a%left%x, a%left%name, a%k
    do i = 1, 2
      print '(i3, 2f5.1, 1x, a)', a%all(i)%id, a%all(i)%x, a%all(i)%name
      print '(i3, 1x, a, i3, 2f5.1, 1x, a)', b(i)%k, b(i)%left%name, b(i)%all(1)%id, b(i)%all(1)%x, b(i)%all(1)%name
    end do
    write (*, groups)
  end subroutine
end program
