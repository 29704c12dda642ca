! Objects with length type parameters that are known at run time only, where they cannot be used.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    real :: x(n)
  end type
  type(line(2)), parameter :: constant = line(2)([1.0, 2.0])
  real, parameter :: first = constant%x(1) !~ W0901
  type(line(2)), device :: remote !~ W0901
contains
  attributes(global) subroutine kernel(r)
    type(line(*)) :: r !~ W0901
    r%x(1) = 1
  end subroutine
  subroutine allocates(r)
    type(line(*)), allocatable, intent(out) :: r
    allocate(r) !~ W0901
  end subroutine
  subroutine group()
    type(line(2)) :: r
    namelist /values/ r
    write (*, values) !~ W0901
  end subroutine
  subroutine bits()
    type(line(2)) :: r
    print *, transfer(r, [1.0]) !~ W0901
  end subroutine
  subroutine given()
    type(line(2)) :: r
    data r%x /1.0, 2.0/ !~ W0901
    print *, r%x
  end subroutine
end module
program p
  use m
  implicit none
  type(line(:)), allocatable :: r(:)
  allocate(line(3) :: r(2))
  r%x(1) = 4
  print '(2f4.1)', r%x(1)
  read (*, *) r%x(2) !~ R0901
end program
