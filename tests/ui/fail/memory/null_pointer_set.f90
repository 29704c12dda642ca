! A pointer to nothing is no empty array.
program main
  implicit none
  type :: holder
    integer, pointer :: p(:) => null()
  end type
  type(holder) :: h
  h%p = 1 !~ R0806
end program
