! What compilers have had besides the standard, and no program here may use.
program forms_of_vax
  ncharacter*5 s !~ E0105
  character:5 c
  integer:2 i
  c = 'abcdefg'
  i = 3
  print *, c, i
end program
options /extend_source !~ E0105
