! A scalar may be given to a dummy array of assumed type and size (Fortran 2018, 15.5.2.4).
module memory
  use iso_c_binding
  implicit none
contains
  integer function first(x)
    type(*), intent(in), target :: x(*)
    integer, pointer :: p
    call c_f_pointer(c_loc(x), p)
    first = p
  end function
end module

program scalars_of_any_type
  use memory
  implicit none
  integer :: n = 5, a(3) = [7, 8, 9]
  print '(4i4)', first(n), first((n)), first(a), first(a(2))
end program
