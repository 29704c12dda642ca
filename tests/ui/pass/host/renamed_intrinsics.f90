! Procedures of the intrinsic modules under other names.
program renamed_intrinsics
  use, intrinsic :: iso_c_binding, only: address => c_ptr, nowhere => c_null_ptr, is_somewhere => c_associated, &
    address_of => c_loc, follow => c_f_pointer, bytes_of => c_sizeof, word => c_int
  use, intrinsic :: ieee_arithmetic, only: is_no_number => ieee_is_nan, special => ieee_value, quiet => ieee_quiet_nan
  implicit none
  type(address) :: p = nowhere
  integer(word), target :: n = 5
  integer(word), pointer :: q
  real :: x
  print '(l2)', is_somewhere(p)
  p = address_of(n)
  print '(2l2)', is_somewhere(p), is_somewhere(p, address_of(n))
  call follow(p, q)
  print '(2i3)', q, bytes_of(n)
  x = special(x, quiet)
  print '(2l2)', is_no_number(x), is_no_number(1.)
end program
