! No specific procedure of a type-bound generic takes the arguments: all of them are named.
module m
  implicit none
  type file
    integer :: unit = 0
  contains
    procedure :: root, get_integer, get_real
    generic :: get => get_integer, get_real, root
  end type
contains
  subroutine root(me, p)
    class(file) :: me
    integer, pointer, intent(out) :: p
    nullify (p)
  end subroutine
  subroutine get_integer(me, path, value, default)
    class(file) :: me
    character(*), intent(in) :: path
    integer, intent(out) :: value
    integer, intent(in), optional :: default
    value = 1
  end subroutine
  subroutine get_real(me, path, value, default)
    class(file) :: me
    character(*), intent(in) :: path
    real, intent(out) :: value
    real, intent(in), optional :: default
    value = 1
  end subroutine
end module
program p
  use m
  implicit none
  type(file) :: f
  class(file), allocatable :: g
  real :: v
  call f%get('a', v, 1)    !~ E0408
  allocate (g)
  call g%get('a', v, 1)    !~ E0408
end program
