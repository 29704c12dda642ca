! Two program units give the same memory of a COMMON block different initial values.
program main
  common /a/ x(3), i
  common /b/ word
  common /c/ k, l
  character(6) :: word
  real :: y(2), z !~ E0221
  equivalence (y, k)
  data word(1:2) / 'ab' /
  data k / 5 /
  data y(1) / 1.0 /
  equivalence (z, x(3))
  print *, x, i, word, k, l, y, z
end program

block data one
  common /a/ x(3), i
  data x(1), i / 1.0, 5 /
end block data

block data two
  common /a/ y(3), j !~ E0221
  data y(1), y(2), j / 1.0, 2.0, 6 /
end block data

subroutine s
  common /b/ letters(6)
  common /c/ k(2)
  character :: letters
  data letters(2), letters(3) / 'b', 'c' / ! other characters of the word
  data k(2) / 7 /
  print *, letters(2:3), k
end subroutine
