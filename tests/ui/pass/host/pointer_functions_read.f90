! Function references with pointer results as input items: what they point to is read into (Fortran 2018, 9.2, 12.6.3). Each
! is evaluated when its turn comes, after the items before it.
module store
  implicit none
  real, target :: values(4) = 0
  integer, target :: count = 0
  character(4), target :: name = 'none'
  integer :: calls = 0
  type :: point
    integer :: x = 0, y = 0
  end type
  type(point), target :: corner
contains
  function value_at(i) result(p)
    integer, intent(in) :: i
    real, pointer :: p
    calls = calls + 1
    p => values(i)
  end function
  function counter() result(p)
    integer, pointer :: p
    p => count
  end function
  function part(first, last) result(p)
    integer, intent(in) :: first, last
    real, pointer :: p(:)
    p => values(first:last)
  end function
  function label() result(p)
    character(:), pointer :: p
    p => name
  end function
  function place() result(p)
    type(point), pointer :: p
    p => corner
  end function
end module

program reads
  use store
  implicit none
  character(40) :: line = '3 1.5 2.5 7'
  integer :: i, unit
  read (line, *) i, value_at(i), value_at(i - 2), counter()
  print *, values
  print *, count, calls
  line = '1 2 3 word 8 9'
  read (line, *) part(2, 4), label(), place()
  print *, values
  print *, name, corner
  line = ' 4 5 6'
  read (line, '(3f2.0)') (value_at(i), i = 3, 1, -1)
  print *, values, calls
  open (newunit=unit, status='scratch', form='unformatted')
  write (unit) 42, [9.0, 8.0]
  rewind (unit)
  read (unit) counter(), part(1, 2)
  print *, count, values
end program
