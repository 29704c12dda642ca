! INQUIRE by IOLENGTH counts the components of objects, without the gaps between them, as WRITE does.
program p
  implicit none
  type :: inner
    character :: c = 'a'
    real(8) :: x = 1
  end type
  type :: outer
    integer :: k(3) = 2
    type(inner) :: parts(2)
    character(5) :: name = 'xy'
  end type
  type(outer) :: o(2)
  integer :: length, unit, last, i
  inquire (iolength=length) o, (o(i)%parts(1), i = 1, 2)
  open (newunit=unit, status='scratch', form='unformatted', access='stream')
  write (unit) o, (o(i)%parts(1), i = 1, 2)
  inquire (unit, pos=last)
  print '(2i4)', length, last - 1
end program
