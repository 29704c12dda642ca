! Modules iso_c_binding and iso_fortran_env: kinds, constants, units, and what converts addresses.
program p
  use iso_c_binding
  use iso_fortran_env
  implicit none
  integer(int8) :: i1
  integer(int16) :: i2
  integer(int32), target :: i4
  integer(int64) :: i8
  real(real32) :: r4
  real(real64), target :: r8(2, 3)
  integer(c_int) :: ci
  real(c_double) :: cd
  character(kind=c_char) :: cc
  logical(c_bool) :: cb
  type, bind(c) :: pair
    integer(c_int) :: a
    real(c_double) :: b
  end type
  type(pair) :: both
  type(c_ptr) :: address, none
  real(real64), pointer :: v(:)
  integer(int32), pointer :: s
  print '(10i4)', kind(i1), kind(i2), kind(i4), kind(i8), kind(r4), kind(r8), kind(ci), kind(cd), kind(cc), kind(cb)
  print '(9i4)', c_short, c_long, c_long_long, c_size_t, c_int8_t, c_int64_t, c_float, c_float_complex, c_double_complex
  print '(3i4)', c_signed_char, c_intptr_t, c_int16_t
  print '(6i4)', input_unit, output_unit, error_unit, iostat_end, character_storage_size, numeric_storage_size
  print '(3i4)', iachar(c_null_char), iachar(c_new_line), iachar(c_carriage_return)
  print '(i4, l2)', size(real_kinds), all(integer_kinds(1:4) == [1, 2, 4, 8])
  r8 = reshape([1d0, 2d0, 3d0, 4d0, 5d0, 6d0], [2, 3])
  address = c_loc(r8)
  none = c_null_ptr
  print '(4l2)', c_associated(address), c_associated(none), c_associated(address, c_loc(r8)), c_associated(address, none)
  call c_f_pointer(address, v, [6])
  v(6) = 60
  print '(6f6.1)', r8
  i4 = 7
  call c_f_pointer(c_loc(i4), s)
  s = s + 1
  print '(2i4)', i4, c_sizeof(i4)
  both = pair(1, 2.5d0)
  print '(i4, f4.1, i4)', both, c_sizeof(both)
  print '(2l2)', len(compiler_version()) > 0, len(compiler_options()) >= 0
  write (output_unit, '(a)') 'written'
end program
