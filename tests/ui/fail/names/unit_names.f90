! Names of program units that are declared again, and binding labels of two procedures.
module grid
  implicit none
  integer :: grid !~ E0229
end module
module heat
  use, intrinsic :: iso_c_binding
contains
  subroutine first() bind(c, name='start') !~ (1) E0230
  end subroutine
  subroutine second() bind(c, name='start') !~ E0230
  end subroutine
  subroutine third() bind(c)
  end subroutine
end module
subroutine heat() !~ E0212
end subroutine
program main
  implicit none
  real :: main(3) !~ E0229
end program
