! run: --check bounds
! A disassociated pointer as an operand.
program operand_of_nothing
  implicit none
  type t
    real, pointer :: p(:) => null()
  end type
  type(t) :: x
  print *, x%p + 1 !~ R0806
end program
