! Sequence types of one name have the initial values of their own definitions.

subroutine show(r)
  implicit none
  type point
    sequence
    integer x, y
  end type
  type(point) r
  print *, 'point', r%x, r%y
end subroutine
program sequence_defaults
  implicit none
  type point
    sequence
    integer :: x = 3, y = 4
  end type
  type(point) p
  print *, p%x, p%y
  call show(p) !~ W0404
end program
