! Memory and variables of C code while checks follow the program: nobody knows what C has written there, and nothing is reported.
! run: --check init --race tests/ui/pass/foreign/checked.c
module shared
  use iso_c_binding
  implicit none
  integer(c_int), bind(c, name='shared_total') :: total
  integer(c_int), bind(c) :: own = 3
  interface
    type(c_ptr) function new_numbers(n) bind(c)
      import
      integer(c_int), value :: n
    end function
    subroutine fill(a) bind(c)
      import
      integer(c_int), intent(out) :: a(:)
    end subroutine
    subroutine make(a) bind(c)
      import
      integer(c_int), allocatable, intent(out) :: a(:)
    end subroutine
  end interface
end module

program checked
  use shared
  implicit none
  type(c_ptr) :: p
  integer(c_int), pointer :: numbers(:)
  integer(c_int), allocatable :: a(:)
  integer(c_int) :: copy(4), b(3, 2)
  p = new_numbers(4)
  call c_f_pointer(p, numbers, [4])
  copy = numbers
  print *, numbers(2), sum(copy)
  print *, total, own
  call fill(copy(2:3))
  call fill(b(2, :))
  print *, copy, b(2, :)
  call make(a)
  print *, a
end program
