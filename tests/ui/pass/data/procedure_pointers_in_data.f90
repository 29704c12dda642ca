! DATA gives values to objects with procedure pointers that have none by their type.
program procedure_pointers_in_data
  implicit none
  type t
    integer :: n
    procedure(), pointer, nopass :: p
  end type
  type(t) :: x
  data x / t(5, null()) /
  print *, x%n, associated(x%p)
end program
