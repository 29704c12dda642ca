! A pointer component of a protected object cannot be associated outside of the module (Fortran 2018, 8.5.15).
module base
  implicit none
  type :: t
    integer, pointer :: p => null()
  end type
  type(t), target, save, protected :: object
end module
program main
  use base
  implicit none
  integer, target :: own = 3
  object%p => own !~ E0311
  nullify (object%p) !~ E0311
  allocate (object%p) !~ E0311
end program
