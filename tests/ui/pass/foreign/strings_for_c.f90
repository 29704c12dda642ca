! Strings for C: `f_c_string` with and without trailing blanks (Fortran 2023, 18.2.3.5).
program strings_for_c
  use iso_c_binding
  implicit none
  interface
    function strlen(s) bind(c)
      import :: c_size_t, c_char
      character(kind=c_char), intent(in) :: s(*)
      integer(c_size_t) :: strlen
    end function
  end interface
  character(6) :: text = ' abc  '
  logical :: asis = .true.
  print '(9i3)', strlen(f_c_string(text)), strlen(f_c_string(text, asis)), strlen(f_c_string(text, .false.)), &
    len(f_c_string(''))
end program
