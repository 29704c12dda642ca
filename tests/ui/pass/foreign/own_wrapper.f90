! A file of the program that defines what cufemu has too is called.
program p
  use iso_c_binding
  implicit none
  interface
    subroutine sort_int(input, n) bind(c, name='sort_int_wrapper')
      import
      integer(c_int) :: input(*)
      integer(c_int), value :: n
    end subroutine
  end interface
  integer :: i(3) = [3, 1, 2]
  call sort_int(i, 3)
  print '(3i3)', i
end program
