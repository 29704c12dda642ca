! What may be in COMMON and EQUIVALENCE, saved, contiguous or initialised (Fortran 2018, 8.5, 8.6.7 and 8.10).
module kinds
  implicit none
  type plain
    integer :: a
  end type
  type ready
    sequence
    integer :: a = 1
  end type
  type owner
    sequence
    integer, allocatable :: a(:)
  end type
  type good
    sequence
    integer :: a
  end type
  type holder
    real, contiguous, pointer :: view(:)
    real, contiguous, pointer :: one !~ E0219
  contains
    procedure, nopass :: view => task !~ E0418
  end type
  public :: task
  public :: nothing !~ E0201
contains
  subroutine task()
  end subroutine
  integer function count() result(n)
    save :: n !~ E0219
    n = 1
  end function
end module

subroutine blocks(d)
  use kinds
  implicit none
  real, save :: d !~ E0219
  type(good) :: g
  type(plain) :: p
  type(ready) :: r
  type(owner) :: o
  integer, save :: kept !~ E0219
  integer :: i, j, k
  integer, target :: t
  integer :: twice(2) = 1 !~ E0321
  real, contiguous :: x(3) !~ W0219
  character(3), pointer :: word
  character(4), target :: words
  common /one/ g
  common /two/ p !~ E0221
  common /three/ r !~ E0221
  common /four/ o !~ E0221
  common /five/ kept
  equivalence (i, j)
  equivalence (k, t) !~ E0222
  data twice /1, 2/
  word => words !~ E0313
end subroutine

module mixed
  implicit none
  interface both !~ E0409
    procedure :: value_of, store
  end interface
contains
  integer function value_of(i)
    integer, intent(in) :: i
    value_of = i
  end function
  subroutine store(x)
    real, intent(in) :: x
  end subroutine
end module

module targets
  implicit none
  integer, target :: saved
  integer, target, allocatable :: grown
  integer, pointer :: other
  integer, pointer :: a => saved
  integer, pointer :: b => other !~ E0321
  integer, pointer :: c => grown !~ E0321
  procedure(one), pointer :: p !~ E0413
  procedure(real), pointer :: q
contains
  elemental integer function one(i)
    integer, intent(in) :: i
    one = i
  end function
  real function two()
    two = 2
  end function
  integer function three()
    three = 3
  end function
  subroutine choose()
    q => two
    q => three !~ E0313
    q => idle !~ E0313
  end subroutine
  subroutine idle()
  end subroutine
end module

function pointed() result(p)
  integer, pointer :: p
  integer :: q
  allocate (p)
  return
  entry plain_one() result(q) !~ E0417
  q = 1
end function

program rules
  implicit none
  type, abstract :: shape
    integer :: sides
  end type
  type, extends(shape) :: square
    integer :: edge
  end type
  type box
    integer, allocatable :: m(:)
  end type
  type(square) :: a, b
  type(box) :: boxes(2)
  integer :: v(3) = [1, 2, 3], unit = 10
  logical :: is_open
  namelist /group/ unit
  allocate (boxes(1)%m(1), boxes(2)%m(1))
  allocate (boxes(1)%m(1), boxes(1)%m(2)) !~ E0334
  a%shape%sides = 4
  b%shape = a%shape !~ E0325
  where (v > 2)
    v = 0
  elsewhere
    v = 1
  elsewhere (v < 1) !~ E0330
    v = 2
  end where
  write (*, '(a)', advance='maybe') 'x' !~ E0327
  inquire (file='x', unit=unit, opened=is_open) !~ E0327
contains
  subroutine read_it(n)
    integer, intent(in) :: n
    namelist /input/ n
    read (*, input) !~ E0311
  end subroutine
end program
