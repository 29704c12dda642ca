! Operators of one letter may be defined behind their use in a file, by a macro or in an included file; elsewhere `.x.` is `.neqv.`.
#define OF(name) operator(.name.)
module uses
  implicit none
contains
  logical function differ(a, b)
    use logical_operators, only: operator(.o.)
    logical, intent(in) :: a, b
    differ = a .o. b
  end function
end module

program late_operators
  use uses
  use numbers
  implicit none
  real :: x = 2, y = 3
  logical :: l = .true.
  print *, x .x. y, .n. y, differ(l, l), l .a. .f.
end program

module numbers
  implicit none
  interface OF(x)
    procedure cross
  end interface
  interface operator( & ! behind a comment
    .n. )
    procedure negative
  end interface
contains
  pure real function cross(a, b)
    real, intent(in) :: a, b
    cross = a*b + 1
  end function
  pure real function negative(a)
    real, intent(in) :: a
    negative = -a
  end function
end module
include 'late_operators.inc'
