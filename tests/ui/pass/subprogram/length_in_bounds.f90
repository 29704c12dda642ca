! The bounds of a result or a variable ask for its own length (Fortran 2018, 10.1.11).
module lengths
  implicit none
contains
  character(n) function of_prefix(n) result(r)
    integer, intent(in) :: n
    dimension r(len(r) + 1)
    r = 'abcdef'
  end function
  function of_constant() result(r)
    character(3) :: r(2:len(r))
    r = 'xyz'
  end function
end module

program length_in_bounds
  use lengths
  implicit none
  print '(2i3, 9a4)', size(of_prefix(2)), len(of_prefix(4)), of_prefix(2)
  print '(i3, 9a4)', size(of_constant()), of_constant()
end program
