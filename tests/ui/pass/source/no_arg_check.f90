! gfortran's attribute NO_ARG_CHECK: an argument of any type, kind and rank.
module passing
  use iso_c_binding
  implicit none
  interface
    function memcmp(a, b, n) bind(c) result(order)
      import :: c_int, c_size_t
      type(*), intent(in) :: a(*), b(*)
      integer(c_size_t), value :: n
      integer(c_int) :: order
    end function
  end interface
contains
  logical function is_same(a, b, n)
    !GCC$ attributes no_arg_check :: a
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: b
    integer :: a(*), b(*)
    integer, intent(in) :: n
    is_same = memcmp(a, b, int(n, c_size_t)) == 0
  end function
end module

program no_arg_check
  use passing
  implicit none
  integer(8) :: i(2) = [4294967297_8, 2_8]
  print *, is_same(i, [1, 1, 2], 12), is_same(i, [1, 2], 8), is_same('AB', 16961, 2)
end program
