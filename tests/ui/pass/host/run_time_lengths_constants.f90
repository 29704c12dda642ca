! Values of named constants whose lengths are known at run time elsewhere, in constant expressions.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    integer :: k(n) = 5
    character(n) :: name = 'abcdefgh'
    real :: y = 1.5
  end type
  type :: pair(n)
    integer, len :: n
    type(line(n)) :: left = line(2)([8, 9])
    type(line(n + 1)) :: right
  end type
  type(line(2)), parameter :: constant = line(2)([1, 2])
  type(line(3)), parameter :: table(2) = [line(3)(7), line(3)([4, 5, 6], 'xy', 2.5)]
  type(line(2)), parameter :: same = constant
  type(pair(2)), parameter :: two = pair(2)(right=line(3)([1, 2, 3]))
  integer, parameter :: first = constant%k(1), all(2) = constant%k, third = table(2)%k(3)
  integer, parameter :: columns(2) = table%k(2), total = sum(table(2)%k) + size(same%k)
  character(*), parameter :: name = constant%name // table(2)%name
  real, parameter :: y(2) = table%y
  integer :: extent(two%left%k(1)), other(third:two%right%k(3) + 9)
  integer, parameter :: kind = merge(8, 4, two%left%k(2) == 9)
contains
  subroutine run_time(r)
    type(line(*)), intent(in) :: r
    print '(3i3)', r%n, r%k(1), size(r%k)
  end subroutine
end module
program p
  use m
  implicit none
  type(pair(2)) :: v
  integer(kind) :: wide
  print '(7i3)', first, all, third, columns, total
  print '(3a)', '[', name, ']'
  print '(2f5.1)', y
  print '(4i4)', shape(extent), lbound(other), ubound(other), kind
  select case (third)
  case (table(2)%k(3)); print '(a)', 'case'
  end select
  call run_time(constant)
  call run_time(table(2))
  print '(5i3)', v%left%k, v%right%k
  print '(2a)', two%left%name, two%right%name
  print '(2a)', v%left%name, v%right%name
end program
