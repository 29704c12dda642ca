! Memory that C code allocates itself is not reached where a check follows what C code does.
! run: --check init tests/ui/fail/foreign/own_memory.c
program own_memory
  use iso_c_binding
  implicit none
  interface
    type(c_ptr) function new_number(n) bind(c)
      import
      integer(c_int), value :: n
    end function
  end interface
  type(c_ptr) :: p
  integer(c_int), pointer :: number
  p = new_number(5)
  print '(l2)', c_associated(p)
  call c_f_pointer(p, number)
  print '(i3)', number   !~ R0901
end program
