! C's `qsort` with C's `strcmp`: interfaces that say `ignore_tkr` of addresses take any object and any procedure.
module c_library
  implicit none
  interface
    subroutine sort(base, count, bytes, compare) bind(c, name='qsort')
      use iso_c_binding
      !pgi$ ignore_tkr base, count, bytes, compare
      type(c_ptr), value :: base
      integer(c_size_t), value :: count, bytes
      type(c_funptr), value :: compare
    end subroutine
    integer function strcmp(a, b) bind(c, name='strcmp')
      use iso_c_binding
      !pgi$ ignore_tkr a, b
      type(c_ptr), value :: a, b
    end function
    subroutine sort_letters(base, count, bytes, compare) bind(c, name='qsort')
      use iso_c_binding
      !dir$ ignore_tkr (r) base
      character(c_char) :: base(*)
      integer(c_size_t), value :: count, bytes
      integer(c_int), external :: compare
    end subroutine
  end interface
contains
  integer(4) function backwards(a, b) bind(c)
    integer(4), intent(in) :: a, b
    backwards = b - a
  end function
end module

program addresses
  use c_library
  use iso_c_binding
  implicit none
  character(8), allocatable :: names(:)
  integer(4) :: numbers(4) = [3, 1, 4, 2]
  integer :: i
  names = [character(8) :: 'zeta', 'alpha', 'mid']
  do i = 1, 3
    names(i)(8:8) = c_null_char
  end do
  call sort(names, size(names), len(names), strcmp)
  print *, names(:)(1:5)
  names = names(3:1:-1)
  call sort_letters(names, 3_c_size_t, 8_c_size_t, strcmp)
  print *, names(:)(1:5)
  call sort(numbers, 4, 4, backwards)
  print *, numbers
  print *, strcmp(names(1), names(2)) < 0
end program
