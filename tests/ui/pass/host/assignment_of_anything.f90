! A subroutine for assignments of CLASS(*) takes no part in intrinsic assignment, as in gfortran and flang.
module parts
  implicit none
  interface assignment(=)
    procedure :: as_logical
  end interface
contains
  subroutine as_logical(a, b)
    logical, intent(out) :: a
    class(*), intent(in) :: b
    a = .false.
    select type (b)
    type is (integer)
      a = b /= 0
    end select
  end subroutine
end module
program main
  use parts
  implicit none
  logical :: l
  l = 5
  print '(l2)', l
  l = .not. l
  print '(l2)', l
  l = 0
  print '(l2)', l
end program
