! POSITION= of INQUIRE: how the file was connected, until it is moved (Fortran 2018, 12.10.2).
program inquire_position
  implicit none
  logical :: there
  open (7, file='inquire_position.tmp', status='replace')
  call show()
  write (7, '(a)') 'one'
  write (7, '(a)') 'two'
  call show()
  rewind (7)
  call show()
  close (7)
  open (7, file='inquire_position.tmp', position='append')
  call show()
  close (7)
  open (7, file='inquire_position.tmp', position='rewind')
  call show()
  close (7)
  open (7, file='inquire_position.tmp', position='asis')
  call show()
  close (7, status='delete')
  open (7, status='scratch', position='append')
  call show()
  close (7)
  open (7, status='scratch', access='direct', recl=8)
  call show()
  inquire (unit=5000000000_8, exist=there)
  print '(l2)', there
contains
  subroutine show()
    character(12) :: position
    inquire (7, position=position)
    print '(a)', trim(position)
  end subroutine
end program
