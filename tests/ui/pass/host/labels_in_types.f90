! Statements of a derived type may have labels, which mean nothing outside of it.
program labels_in_types
  implicit none
  type first
1   integer :: g = 1
  end type
  type second
1   integer :: g = 2
  end type
  type(first) :: a
  type(second) :: b
  goto 1
  print '(a)', 'wrong'
1 print '(2i3)', a%g, b%g
end program
