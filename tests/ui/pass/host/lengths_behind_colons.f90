! nvfortran takes `:` for `*` before a length.
program lengths_behind_colons
  character:5 c, d*2
  integer:2 i
  real:8 :: x = 0.1
  c = 'abcdefg'
  d = c
  i = 3
  print *, c, d, i, kind(i), kind(x)
end program
