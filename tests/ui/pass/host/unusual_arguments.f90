! Arguments of which little is declared: elements of any type, absent and unset optionals, lengths that need another argument,
! results of entries, procedures by pointers without an interface, and functions that read what is assigned.
module implied
  public :: height, names_of_max
  intrinsic max, min
contains
  subroutine names_of_max()
    print '(a,f4.1)', 'height', height
  end
end module

module kinds_of_arguments
  implicit none
  type pair
    integer :: a(3)
  end type
  type holder
    integer, allocatable :: one, many(:)
    integer, pointer :: some(:) => null()
  end type
  type caller
    procedure(), pointer, nopass :: run => null(), task => null()
  end type
  integer :: steps = 0
  integer :: table(4) = [1, 2, 3, 4]
contains
  subroutine bytes(x, name)
    type(*), intent(in) :: x(..)
    character(*), intent(in) :: name
    print '(2a,i4,l2)', name, ':', sizeof(x), is_contiguous(x)
  end
  subroutine columns(x)
    type(*), intent(in) :: x(:, :)
    print '(a,i4)', 'columns:', sizeof(x)
    call bytes(x, 'passed on')
    call raw(x)
  end
  subroutine raw(x)
    type(*), intent(in) :: x(*)
  end
  subroutine sizes(n, x)
    class(*), intent(in) :: x(..)
    integer, intent(in) :: n
    print '(a,3i4)', 'class:', n, size(x), ubound(x, rank(x))
    select rank (x)
    rank (*)
      print '(a)', 'assumed size'
    rank default
      print '(a)', 'known size'
    end select
  end
  subroutine open_end(x, y)
    class(*), intent(in) :: x(*)
    integer, intent(in) :: y(*)
    call sizes(1, x)
    call sizes(2, y)
    call bytes(y(:2), 'part')
  end
  subroutine fill(text, a)
    integer, intent(in) :: a(..)
    character(size(a)), intent(out) :: text
    text = repeat('x', len(text))
  end
  elemental integer function plus(a, b)
    integer, intent(in), optional :: a, b
    plus = 0
    if (present(a)) plus = plus + a
    if (present(b)) plus = plus + 100 * b
  end
  elemental subroutine twice(x, y)
    integer, intent(inout) :: x
    integer, intent(in), optional :: y
    x = -1
    if (present(y)) x = 2 * y
  end
  subroutine texts(a, b, c)
    character(*), intent(in), optional :: a, b, c
    print '(i2,5a)', len(min(a, b, c)), '[', min(a, b, c), '][', max(a, b, c), ']'
  end
  elemental logical function beyond(x, round)
    real, intent(in) :: x
    logical, intent(in), optional :: round
    beyond = out_of_range(x, 0_1, round)
  end
  elemental integer function others(i)
    integer, intent(in) :: i
    others = sum(table) - table(i)
  end
  subroutine work(task)
    procedure() :: task
    call task()
    call task()
  end
  subroutine step()
    steps = steps + 1
  end
end module

function square(a) result(u)
  integer :: a(2), b(2), u(2), v(2)
  u = a * a
  return
  entry cube(b) result(v)
  u = b ** 3
end function

character(*) function whole(s)
  character(*) :: s, half*(*)
  whole = s
  return
  entry half(s)
  half = s(:len(s) / 2)
end function

program unusual
  use implied, only: height, names_of_max, largest => min, min => max
  use kinds_of_arguments
  implicit none
  interface
    function square(a) result(u)
      integer :: a(2), u(2)
    end
    function cube(b) result(v)
      integer :: b(2), v(2)
    end
  end interface
  character(8), external :: whole, half
  type(pair) :: pairs(2, 3)
  real(8) :: grid(4, 4)
  type(holder) :: h
  type(caller) :: c
  integer :: v(2), bits(3), i
  character(6) :: text
  character(3) :: short = 'gee'

  height = 2.5
  call names_of_max()
  print '(2i3)', min(1, 5), largest(1, 5)

  call bytes(7_2, 'scalar')
  call bytes(pairs, 'pairs')
  call bytes(grid(:, ::2), 'gaps')
  call bytes(grid(:, 2:), 'columns')
  call bytes(grid(2:, :), 'rows')
  call columns(grid(:2, :))
  call open_end(grid, [1, 2, 3])
  call sizes(3, pairs)
  text = ' '
  call fill(text, reshape([1, 2, 3, 4], [2, 2]))
  print '(3a)', '[', text, ']'

  v = 5
  call twice(v, h%one)
  call twice(v, h%many)
  call twice(v, h%some)
  print '(2i4)', v
  allocate (h%many(2), source=[4, 5])
  call twice(v, h%many)
  print '(2i4)', v
  v = plus(h%many, h%some)
  print '(2i4)', v
  call texts(short, 'crunch')
  call texts(short, 'crunch', 'a')
  print '(4l2)', beyond([127.6, 126.4]), beyond([127.6, 126.4], .true.)

  table = others([1, 2, 3, 4])
  print '(4i4)', table
  bits = [1, 2, 3]
  call mvbits(bits([3, 1, 2]), 0, 2, bits, 0)
  print '(3i4)', bits
  call mvbits(bits(1), 0, 2, bits(2:), 1)
  print '(3i4)', bits

  print '(4i4)', square([2, 3]), cube([2, 3])
  print '(5a)', '[', whole('abcdef'), '][', half('abcdef'), ']'
  c%run => work
  c%task => step
  do i = 1, 2
    call c%run(c%task)
  end do
  print '(i2)', steps
end program
