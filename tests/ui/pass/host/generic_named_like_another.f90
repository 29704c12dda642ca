! A generic has the name of a procedure that belongs to another generic: the name means those of the generic first.
module m
  implicit none
  interface plan
    module procedure swapped
  end interface
  interface planc
    subroutine plan(a, n)
      integer, intent(in) :: n
      integer, intent(inout) :: a(n)
    end subroutine
  end interface
contains
  subroutine swapped(b, k)
    integer, intent(in) :: k
    integer, intent(inout) :: b(k)
    b = b(k:1:-1)
  end subroutine
end module
program p
  use m
  implicit none
  integer :: x(3) = [1, 2, 3]
  call plan(x, 3)
  print *, x
  call planc(x, 3)
  print *, x
end program
subroutine plan(a, n)
  integer, intent(in) :: n
  integer, intent(inout) :: a(n)
  a = a + 10
end subroutine
