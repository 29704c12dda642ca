! A name behind a character literal, with a blank between them, is no mark of the literal.
program main
  integer :: c, h
  c = 1
  h = 2
  print *, 'text' c !~ E0111
  print *, 'text' h !~ E0111
  print *, 'text'h, ''h !~ E0111
end program
