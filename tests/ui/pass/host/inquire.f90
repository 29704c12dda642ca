! INQUIRE: every specifier, of a connected unit, of an unconnected one and of a file.
program asks
  implicit none
  integer :: u, n, r, at, size
  logical :: exists, opened, named
  character(12) :: access, action, form, position, sequential, direct, stream, blank, delim, pad, sign, decimal, round
  character(12) :: reads, writes, both, formatted, encoding
  character(32) :: name
  open(newunit=u, file='cufemu_inquire.tmp', status='replace', action='readwrite', delim='quote', blank='zero')
  inquire(u, exist=exists, opened=opened, named=named, name=name, recl=r, size=size)
  print *, exists, opened, named, trim(name), r, size
  inquire(unit=u, access=access, action=action, form=form, position=position)
  print '(4(a, 1x))', access, action, form, position
  inquire(unit=u, sequential=sequential, direct=direct, stream=stream, formatted=formatted)
  print '(4(a, 1x))', sequential, direct, stream, formatted
  inquire(unit=u, blank=blank, delim=delim, pad=pad, sign=sign, decimal=decimal, round=round, encoding=encoding)
  print '(7(a, 1x))', blank, delim, pad, sign, decimal, round, encoding
  inquire(unit=u, read=reads, write=writes, readwrite=both)
  print '(3(a, 1x))', reads, writes, both
  write(u, '(a)') 'one', 'two'
  inquire(unit=u, position=position, size=size)
  print *, position, size
  rewind(u)
  read(u, *)
  inquire(unit=u, position=position)
  print *, position
  inquire(file='cufemu_inquire.tmp', number=n, exist=exists)
  print *, n == u, exists
  close(u, status='delete')
  inquire(file='cufemu_inquire.tmp', exist=exists, opened=opened, access=access, read=reads, recl=r)
  print *, exists, opened, access, reads, r
  open(newunit=u, status='scratch', access='direct', recl=8, form='unformatted')
  write(u, rec=3) 1.5d0
  inquire(unit=u, nextrec=n, recl=r, named=named, position=position, pad=pad)
  print *, n, r, named, position, pad
  close(u)
  open(newunit=u, status='scratch', access='stream')
  write(u) 1, 2
  inquire(unit=u, pos=at, stream=stream, form=form)
  print *, at, stream, form
  close(u)
  open(newunit=u, status='scratch', encoding='utf-8')
  inquire(unit=u, encoding=form)
  print *, form
  close(u)
  open(newunit=u, status='scratch')
  inquire(unit=u, encoding=form)
  print *, form
  close(u)
  inquire(unit=77, encoding=form)
  print *, form
  open(newunit=u, status='scratch', form='unformatted', convert='big_endian')
  inquire(unit=u, convert=form)
  print *, form
  close(u)
  open(newunit=u, status='scratch', form='unformatted')
  inquire(unit=u, convert=form)
  print *, form
  close(u)
  inquire(unit=77, convert=form)
  print *, form
  inquire(unit=77, opened=opened, action=action, write=writes)
  print *, opened, action, writes
end program
