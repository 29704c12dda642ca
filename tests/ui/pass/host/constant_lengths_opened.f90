! The same as `constant_lengths.f90`, where one object more makes the lengths known at run time only: the output is the same.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    integer(2) :: id = 3
    real :: x(n) = 1
    character(n) :: name = 'abcdefgh'
  end type
  type(line(n=:)), allocatable :: forced_open_1
  type :: outer(n)
    integer, len :: n
    type(line(n)) :: parts(2)
    type(line(2)) :: two
    complex :: z = (1, 2)
    integer :: t(n, 0:n) = 4
    logical :: l(n) = .true.
  end type
  type(outer(n=:)), allocatable :: forced_open_2
  type, extends(line) :: longer(k)
    integer, len :: k
    integer(1) :: more(k) = 9
  end type
  type(outer(2)), save :: saved
  type(line(3)), parameter :: c = line(3)(id=8, x=[1.0, 2.0, 3.0])
  type(line(3)), parameter :: cs(2) = [c, line(3)(name='q')]
  integer, parameter :: words(5) = transfer(c, [1])
  real, parameter :: tot = sum(cs(1)%x) + c%x(2)
  type(line(2)) :: given(2)
  data given(1)%x, given(2)%name, given%id /1.5, 2.5, 'zz', 2*6/
  interface operator(+)
    procedure add
  end interface
contains
  function add(a, b) result(r)
    type(line(3)), intent(in) :: a, b
    type(line(3)) :: r
    r%x = a%x + b%x
    r%id = a%id + b%id
    r%name = a%name(1:1) // b%name(2:)
  end function
  subroutine show(r)
    type(line(3)), intent(in) :: r
    print '(i4, 3f6.1, 1x, 3a)', r%id, r%x, '[', r%name, ']'
  end subroutine
  subroutine change(r, o)
    type(line(3)), intent(inout) :: r(:)
    type(line(3)), intent(out), optional :: o
    r(size(r)) = r(1)
    r(1)%x(2) = -1
    if (present(o)) call show(o)
  end subroutine
  function table(n) result(t)
    integer, intent(in) :: n
    type(line(3)) :: t(n)
    integer :: i
    do i = 1, n
      t(i)%x = [i, 2*i, 3*i]
      t(i)%name = repeat(achar(96 + i), 3)
    end do
  end function
  elemental integer function total(r)
    type(line(3)), intent(in) :: r
    total = nint(sum(r%x))
  end function
end module
program p
  use m
  implicit none
  type(line(3)) :: a, b, v(4), w(2, 2)
  type(line(3)), allocatable :: d(:), e
  class(line(3)), allocatable :: k
  class(*), allocatable :: u
  type(longer(3, 2)) :: g
  type(outer(2)) :: o, q
  type(line(3)), pointer :: ptr(:)
  type(line(3)), target :: tg(3)
  integer(1), allocatable :: bytes(:)
  integer :: i
  character(200) :: text(80)
  namelist /grp/ a, o, v
  a = line(3)(5, [1.0, 2.0, 3.0], 'xyz')
  b = a + c
  call show(b)
  v = a
  v(2) = b
  call change(v(1:3), b)
  call show(b)
  do i = 1, 4
    call show(v(i))
  end do
  print '(4i5)', total(v)
  d = table(3)
  call show(d(2))
  d = [d, a, cs]
  print '(8i5)', total(d), size(d)
  d = pack(d, total(d) >= 6)
  print '(8i5)', total(d), size(d)
  w = reshape(d(1:4), [2, 2])
  print '(4i5)', total(transpose(w))
  v = cshift(v, 1)
  print '(4i5)', total(v)
  v = merge(v, a, [.true., .false., .true., .false.])
  print '(4i5)', total(v)
  print '(6i5)', total(spread(a, 1, 3)), total(unpack(d(1:2), [.true., .false., .true.], a))
  e = d(1)
  call show(e)
  allocate (k, source=a)
  print '(3f5.1)', k%x
  deallocate (k)
  allocate (longer(3, 2) :: k)
  select type (k)
  type is (longer(*, *))
    k%more = [1_1, 2_1]
    print '(2i3, 3f5.1)', k%more, k%x
  end select
  g%x = 7
  u = g
  select type (u)
  type is (longer(*, *))
    print '(2i3, 3f5.1)', u%more, u%x
  end select
  o%parts(1) = line(2)(1, [3.0, 4.0], 'mn')
  o%t(2, 0) = 77
  o%l(1) = .false.
  q = o
  saved = q
  print '(2f5.1, a, 6i4, 2l2)', saved%parts(1)%x, saved%parts(1)%name, saved%t, saved%l
  bytes = transfer(o, bytes)
  q = transfer(bytes, q)
  print '(i5, 2f5.1, a, 6i4, 2l2, 2f4.1)', size(bytes), q%parts(1)%x, q%parts(1)%name, q%t, q%l, q%z
  print '(6i5)', storage_size(a), storage_size(o), storage_size(g), words(2), nint(tot), size(transfer(v, [1]))
  print '(4f5.1, 3a)', given(1)%x, given(2)%x, given(2)%name, given(1)%name, '|'
  tg = table(3)
  ptr => tg(3:1:-2)
  ptr(1)%x(1) = 100
  print '(3i5)', total(tg)
  text = ''
  write (text, grp)
  do i = 1, size(text)
    if (text(i) /= '') print '(a)', trim(text(i))
  end do
  text(1) = '&grp a%x(2:3) = 8 9, o%parts(2)%name(2:2) = "Q", o%t(1,:) = 3*6, v(2:3)%id = 11, 12, o%two = 4 2*5.5'
  text(2) = '"ab" o%z = (3,4), o%l = F T/'
  read (text, grp)
  print '(3f5.1, a, 6i4, 4i4, i4, 2f5.1, a, 2f4.1, 2l2)', a%x, o%parts(2)%name, o%t, v%id, o%two%id, o%two%x, o%two%name, o%z, o%l
end program
