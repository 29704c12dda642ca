! Specifiers of OPEN and CLOSE that nvfortran has beside those of the standard.
program words
  implicit none
  integer :: i, status
  character(6) :: how = 'DELETE'
  logical :: is_there
  open (10, file='open_words.tmp', type='replace', disp='delete')
  write (10, *) 1
  close (10)
  call look('deleted as OPEN said')
  open (10, file='open_words.tmp', disp='delete')
  write (10, *) 2
  close (10, status='keep')
  call look('kept as CLOSE said')
  open (10, file='open_words.tmp', readonly, shared)
  read (10, *) i
  write (10, *, iostat=status) 3
  print *, i, status /= 0
  close (10, disp='save')
  call look('saved')
  open (10, file='open_words.tmp', readonly, dispose='delete', iostat=status)
  print *, 'readonly and deleted:', status
  open (10, status='scratch', dispose='keep', iostat=status)
  print *, 'scratch and kept:', status
  open (10, name='open_words.tmp', type='old')
  close (10, dispose=how)
  call look('deleted as CLOSE said')
  open (11, file='open_words.tmp', type='new', recordsize=8, form='unformatted', access='direct')
  write (11, rec=2) 5, 6
  read (11, rec=2) i
  inquire (11, recl=status)
  print *, i, status
  open (11, file='open_words.tmp', dispose='delete', status='old')
  close (11, type='delete')
  call look('deleted by type=')
contains
  subroutine look(what)
    character(*), intent(in) :: what
    inquire (file='open_words.tmp', exist=is_there)
    print *, what, is_there
  end subroutine
end program
