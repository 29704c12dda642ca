! PARAMETER without parentheses: a name without a declared type has the type of its value, whatever IMPLICIT says.
program bare
  call implicit_types
  call no_implicit_types
contains
  subroutine implicit_types
    implicit real (a-z)
    parameter x = 5, n = 2.5, text = 'abcd', ready = .true., wide = 7_8, z = (1.0, 2.0)
    parameter twice = 2*x, both = text//'ef'
    parameter (y = 5)
    real(8) declared
    parameter declared = 3
    real a
    a = x/2
    print *, a, n, y/2, wide/2, z
    print *, text, len(text), both, len(both), ready
    print *, kind(x), kind(wide), kind(declared), kind(ready), twice/4, declared/2
  end subroutine

  subroutine no_implicit_types
    implicit none
    parameter lines = 3, name = 'xy'
    integer :: a(lines)
    a = 1
    print *, sum(a), name, len(name)
  end subroutine
end program
