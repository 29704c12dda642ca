! Components have no attributes of variables (Fortran 2018, R738).
program p
  type :: t
    integer, parameter :: a = 3   !~ E0219
    integer, save :: b            !~ E0219
    integer, target :: c          !~ E0219
    integer, intent(in) :: d      !~ E0219
    real, external :: e           !~ E0219
    real, optional :: f           !~ E0219
    real, value :: g              !~ E0219
    real, volatile :: h           !~ E0219
    real, private :: i
    real, allocatable, dimension(:) :: j
    real, pointer, contiguous :: k(:)
  end type
  real, external :: f(3)          !~ E0219
end program
