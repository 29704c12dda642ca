! The edit descriptor Q gives how many characters of the record are still to be read.
program left
  implicit none
  character(10) :: text, word
  integer :: n, m
  integer(8) :: k
  text = 'abcdefgh'
  read (text, '(a3, q, tl3, q, 20x, q)') word, n, k, m
  print *, trim(word), n, k, m
  open (10, status='scratch')
  write (10, '(a)') 'abcdefgh', '', 'xyz'
  rewind 10
  read (10, '(q, a)') n, word(1:n)
  print *, n, word(1:n)
  read (10, '(q)') n
  read (10, '(q)') m
  print *, n, m
  write (*, '(i3, q, i3)') 1, 2, 3
end program
